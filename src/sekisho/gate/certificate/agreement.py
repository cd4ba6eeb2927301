"""Do the parts of a certificate agree? What is claimed with what the recipe asks for, the reasons with its policy.

Each claim is checked by itself (``claims``). That is not enough: a claim may speak of another file, of other keys or of
less than was asked for, or be left out, and a policy may let through what the gate never would.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from sekisho.data.shape import Shape
from sekisho.errors import SekishoError
from sekisho.gate.certificate.claims import ClassesClaim, RejectionClaim
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.certificate.recount import Check, PublishedForm, find_regular_size, settle, settle_faults
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import POLICY_RULES, RETIRED_RULES, Policy
from sekisho.gate.rulebooks import builtin_rules, read_terms
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms
from sekisho.words import Said

INFEASIBLE = "infeasible"
RELEASE = "release"
DISTINCT = "distinct"
KINDS = {
    Shape.HISTORY: ("rejections", "twins"),
    Shape.RECORDS: ("risks", "conditions", "classes"),
    Shape.TABLE: ("patterns",),
}
"""By shape the kinds of claims that its certificates hold."""


def check_agreement(certificate: Certificate, folder: Path) -> Iterator[Check]:
    """Check that policy, reasons, recipe, claims and files of a certificate agree."""
    fine = Said("it is one that the gate accepts, and the reasons follow it")
    yield from settle_faults(Said("certificate|policy"), _list_policy_faults(certificate), fine=fine)
    yield from settle_faults(
        Said("certificate|claims"), _list_strange_subjects(certificate), fine=Said("every claim is of the release")
    )
    yield _check_presence(certificate, folder)
    if certificate.claims.classes:
        fine = Said("what is counted is what the recipe asks for")
        yield from settle_faults(
            Said("certificate|guarantees of the recipe"), _list_class_faults(certificate, folder), fine=fine
        )
    if certificate.claims.risks:
        target = certificate.recipe.get("target")
        right = all(claim.target == target for claim in certificate.claims.risks)
        yield settle(
            Said("certificate|target of the recipe"),
            right=right,
            finding=Said("the recipe's target is {target}", target=target),
        )
    if certificate.claims.rejections:
        fine = Said(
            "attacks are judged as it asks for: the {bound} bound decides", bound=certificate.recipe.get("bound")
        )
        yield from settle_faults(
            Said("certificate|rules of the recipe"), _list_disagreeing_attacks(certificate), fine=fine
        )


def read_policy(certificate: Certificate) -> Policy | None:
    """Return the policy of the recipe; None if it is none."""
    entries = certificate.recipe.get("policy", {})
    if not isinstance(entries, Mapping):
        return None
    verdicts = cast("Mapping[str, object]", entries)
    if not all(verdict in list(Verdict) for verdict in verdicts.values()):
        return None
    return Policy(verdicts={rule: Verdict(str(verdict)) for rule, verdict in verdicts.items()})


def list_broken_rules(certificate: Certificate) -> Iterator[str]:
    """Give the names of the gate's rules that a certificate's figures break, by its recipe."""
    claims = certificate.claims
    yield from claims.list_broken_rules()
    if certificate.recipe.get("claim") != "reported":
        for claim in claims.twins:
            if claim.standing is not Standing.HOLDS:
                yield f"claim {claim.standing}"
    attacked = certificate.shape is Shape.HISTORY or (
        certificate.shape is Shape.RECORDS and "target" in certificate.recipe
    )
    tried = claims.rejections or claims.risks or _is_proven(certificate)
    if attacked and certificate.candidates and not tried:
        yield "no attack"


def _is_proven(certificate: Certificate) -> bool:
    """Tell whether a history whose rows stayed with an engine needs no attack: H0 is proven, or nothing leaves."""
    twins, recipe = certificate.claims.twins, certificate.recipe
    counted = certificate.shape is Shape.HISTORY and bool(recipe.get("engine") or recipe.get("memory"))
    leaves = certificate.verdict is not Verdict.REFUSE
    return counted and (bool(twins) or not leaves) and all(claim.standing is Standing.HOLDS for claim in twins)


def _list_policy_faults(certificate: Certificate) -> Iterator[str]:
    policy = read_policy(certificate)
    if policy is None:
        yield Said("it gives a rule something that is no verdict")
        return
    yield from (
        Said("{rule}: the gate accepts no such policy", rule=rule) for rule in policy.find_faults(certificate.shape)
    )
    for reason in certificate.reasons:
        rule = POLICY_RULES.get(reason.rule) or RETIRED_RULES.get(reason.rule)
        if reason.rule == INFEASIBLE:
            right = reason.verdict is Verdict.REFUSE
        elif rule is None or certificate.shape not in rule.shapes:
            right = False
        elif certificate.shape is Shape.TABLE:  # its policy is confidential
            right = list(Verdict).index(reason.verdict) >= list(Verdict).index(rule.mildest)
        else:
            right = reason.verdict is policy.verdicts.get(reason.rule, rule.usual)
        if not right:
            yield Said("no policy of the gate makes {rule} come to {verdict}", rule=reason.rule, verdict=reason.verdict)


def _list_strange_subjects(certificate: Certificate) -> Iterator[str]:
    """Give the claims that are not of a kind that the shape has, or not of the release."""
    for kind in (kind for kinds in KINDS.values() for kind in kinds):
        if kind not in KINDS[certificate.shape] and getattr(certificate.claims, kind):
            yield Said("{kind} are nothing that is claimed of a {shape}", kind=kind, shape=certificate.shape)
    linked = any(claim.table is not None for claim in certificate.claims.patterns)
    for file in sorted({claim.published.file for claim in certificate.claims.of_files}):
        if file != certificate.release and not (
            linked and _is_release(file, linked=True) and file in certificate.files
        ):
            yield Said("{file} is not the release, and something is claimed of it", file=file)
    if certificate.release is not None and not _is_release(certificate.release, linked=linked):
        yield Said("{release} is no release", release=certificate.release)


def _is_release(file: str, *, linked: bool) -> bool:
    """Tell whether a file is called as a release is, or as one of several tables that leave together."""
    stem = Path(file).stem
    return stem.startswith(f"{RELEASE}-") if linked else stem == RELEASE


def _check_presence(certificate: Certificate, folder: Path) -> Check:
    """Check that nothing which a run claims of a release was left out, nor said twice."""
    claims, subject = certificate.claims, Said("certificate|completeness")
    if certificate.release is None:
        return settle(subject, right=True, finding=Said("no release leaves, so nothing need be claimed of one"))
    if certificate.shape is Shape.TABLE and any(claim.table is not None for claim in claims.patterns):
        return _check_each_table(certificate, subject)
    wanted = {Shape.HISTORY: claims.twins, Shape.TABLE: claims.patterns}.get(certificate.shape)
    if wanted is not None:
        return settle(
            subject,
            right=len(wanted) == 1,
            finding=Said("the release is counted {wanted} {wanted:time|times}", wanted=len(wanted)),
        )
    if "keys" not in certificate.recipe:
        return settle(
            subject,
            right=bool(claims.conditions),
            finding=Said(
                "{conditions} {conditions:condition is|conditions are} told", conditions=len(claims.conditions)
            ),
        )
    sensitive = list_names(certificate, "sensitive")
    counted = len(claims.classes) == max(1, len(sensitive))
    if not claims.classes:  # nothing can be counted without keys, or of no rows
        counted = not list_names(certificate, "keys") and not read_guarantees(certificate)
        counted = counted or _is_empty(folder, certificate.release)
    return settle(
        subject,
        right=counted,
        finding=Said("classes of equal keys are counted {classes} {classes:time|times}", classes=len(claims.classes)),
    )


def _check_each_table(certificate: Certificate, subject: str) -> Check:
    """Check that every file of several tables, and every table of the recipe, is counted once."""
    patterns = certificate.claims.patterns
    counted = Counter(claim.published.file for claim in patterns)
    offered = {name for name in certificate.files if _is_release(name, linked=True)}
    said = certificate.recipe.get("tables")
    asked = [one.get("name") for one in cast("list[Mapping[str, object]]", said)] if isinstance(said, list) else []
    right = (
        counted.keys() == offered
        and set(counted.values()) == {1}
        and sorted(map(str, asked)) == sorted(str(claim.table) for claim in patterns)
    )
    finding = Said("{tables} {tables:table leaves|tables leave}, each counted once", tables=len(patterns))
    if not right:
        finding = Said(
            "not every table of the recipe leaves and is counted once: {files}", files=", ".join(sorted(offered))
        )
    return settle(subject, right=right, finding=finding)


def _is_empty(folder: Path, release: str) -> bool:
    try:
        return find_regular_size(folder / release) == 0 or not PublishedForm(file=release).read(folder).height
    except SekishoError:
        return False


def _list_class_faults(certificate: Certificate, folder: Path) -> Iterator[str]:
    try:
        yield from _list_disagreeing_classes(certificate, folder)
    except SekishoError as error:
        yield str(error)


def _list_disagreeing_classes(certificate: Certificate, folder: Path) -> Iterator[str]:
    guarantees = read_guarantees(certificate)
    keys, sensitive = list_names(certificate, "keys"), list_names(certificate, "sensitive")
    places = {claim.sensitive for claim in certificate.claims.classes}
    if len(places) < len(certificate.claims.classes):
        yield Said("a sensitive column is counted twice")
    columns: list[str] | None = None
    if certificate.claims.classes[0].published.named:
        columns = certificate.claims.classes[0].published.read(folder).columns
    named: list[str] = []
    for claim in certificate.claims.classes:
        yield from _list_disagreements(claim, guarantees)
        if certificate.account is not None and claim.sensitive is not None and claim.unknown is None:
            yield Said("nobody says how many classes have no known value")
        if columns is None:
            continue
        shown = [name for name in keys if name in columns]  # a method may hide the column of its strata
        if sorted(_name_columns(columns, claim.keys)) != sorted(shown):
            yield Said(
                "the keys are {keys}, counted were {columns}",
                keys=", ".join(shown),
                columns=", ".join(_name_columns(columns, claim.keys)),
            )
        named += _name_columns(columns, () if claim.sensitive is None else (claim.sensitive,))
    if columns is not None and sorted(named) != sorted(sensitive):
        yield Said(
            "the sensitive columns are {sensitive}, counted were {named}",
            sensitive=", ".join(sensitive),
            named=", ".join(named),
        )


def _list_disagreements(claim: ClassesClaim, guarantees: Mapping[str, object]) -> Iterator[str]:
    if claim.required_k != guarantees.get("k"):
        yield Said(
            "the recipe asks for k {k}, the claim for {required_k}", k=guarantees.get("k"), required_k=claim.required_k
        )
    if claim.sensitive is None:
        return
    distinct = guarantees.get("l_kind", DISTINCT) == DISTINCT
    least = guarantees.get("l") if distinct else None
    least = int(least) if isinstance(least, int | float) and not isinstance(least, bool) else None
    if claim.required_values != least or (claim.values is None and not claim.unknown):
        yield Said(
            "the recipe asks for l {least}, the claim for {required_values}",
            least=least,
            required_values=claim.required_values,
        )
    wanted = guarantees.get("t") if claim.distance is not None else None
    if claim.required_distance != wanted:
        yield Said(
            "the recipe asks for t {wanted}, the claim for {required_distance}",
            wanted=wanted,
            required_distance=claim.required_distance,
        )


def _list_disagreeing_attacks(certificate: Certificate) -> Iterator[str]:
    claims, bound = certificate.claims.rejections, certificate.recipe.get("bound")
    if any(claim.decides != (claim.bound == bound) for claim in claims):
        yield Said("the recipe's bound is {bound}, and another decides", bound=bound)
    chances = {claim.p for claim in (*claims, *certificate.claims.twins)}
    if len(chances) > 1 or len({claim.alpha for claim in claims}) > 1:
        yield Said("attacks are judged by different tests")
    by_adversary: dict[str, list[RejectionClaim]] = {}
    for claim in claims:
        by_adversary.setdefault(claim.adversary, []).append(claim)
    for adversary, judged in by_adversary.items():
        figures = {(claim.claimed, claim.hits, claim.predicted) for claim in judged}
        if len(figures) > 1 or sorted(claim.bound for claim in judged) != sorted(Bound):
            yield Said("{adversary} is not judged once under each bound", adversary=adversary)
    yield from _list_strange_thresholds(certificate)


def _list_strange_thresholds(certificate: Certificate) -> Iterator[str]:
    """Give what the contest's own rules say otherwise, where they are shipped."""
    named = certificate.recipe.get("rules")
    if not isinstance(named, str) or named not in builtin_rules():
        return
    rules = read_terms(named)
    if not isinstance(rules, HistoryTerms):
        yield Said("{named} are no rules of a history", named=named)
        return
    for claim in certificate.claims.rejections:
        if (claim.p, claim.alpha) != (rules.verdict.p, rules.verdict.alpha):
            yield Said(
                "{named} judge by p {p} and alpha {alpha}", named=named, p=rules.verdict.p, alpha=rules.verdict.alpha
            )
        listed = rules.normative.get(claim.claimed) if claim.bound is Bound.UNION else None
        if claim.normative != (listed is not None) or (listed is not None and claim.threshold != listed):
            yield Said(
                "the table of {named} says {listed} for {claimed} claimed",
                named=named,
                listed=listed,
                claimed=claim.claimed,
            )


def _name_columns(columns: list[str], places: tuple[int, ...]) -> list[str]:
    return [columns[place] if 0 <= place < len(columns) else str(place) for place in places]


def list_names(certificate: Certificate, key: str) -> tuple[str, ...]:
    """Return the columns that a recipe names under a key."""
    names = certificate.recipe.get(key, [])
    return tuple(map(str, cast("list[object]", names))) if isinstance(names, list) else ()


def read_guarantees(certificate: Certificate) -> Mapping[str, object]:
    """Return what a recipe asks for, by its own names."""
    asked = certificate.recipe.get("guarantees", {})
    return cast("Mapping[str, object]", asked) if isinstance(asked, Mapping) else {}
