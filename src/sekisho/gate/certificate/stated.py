"""Do the stated words agree with the figures? What a claim's figures say is said again, and must be the same sentence.

Words are what people read. Statements whose figures anybody counts again are made again from those; a statement that
nothing supports, one left out, or a surer word than the gate has for it, is refuted. What attacks on cells came to,
what earlier releases add, and guarantees that only the original settles are the gate's word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sekisho.data.shape import Shape
from sekisho.errors import SekishoError
from sekisho.gate.certificate.agreement import list_names, read_guarantees
from sekisho.gate.certificate.claims import CLOSE, ClassesClaim, RejectionClaim, RiskClaim, TwinsClaim
from sekisho.gate.certificate.document import Certificate, StatementEntry
from sekisho.gate.certificate.recount import Check, count_rows_below, settle_faults
from sekisho.gate.outcome import Certainty
from sekisho.gate.statement_words import (
    ARITHMETIC,
    ATTACKS,
    CLAIM,
    COPIES,
    EARLIER,
    EPSILON,
    HIDDEN_CELLS,
    INTERVALS,
    NO_OTHER_SOURCE,
    NOBODY,
    REBUILT,
    TOGETHER,
    name_attacks,
    tell_hits,
    tell_knowledge,
    tell_mean_risk,
    tell_twins,
)
from sekisho.safety.claim import ClaimFinding, Standing
from sekisho.safety.records.anonymity import tell_smallest_class
from sekisho.safety.records.closeness import Distance, tell_farthest_class
from sekisho.safety.records.diversity import Diversity, tell_least_diversity
from sekisho.safety.records.published import NOTHING_KNOWN, add_unknown_classes
from sekisho.safety.rejection import Bound
from sekisho.utility.records.conditions import Condition
from sekisho.words import Said

KEPT, BROKEN = Certainty.PROVEN, Certainty.REFUTED
AGAINST_CONTROLS = ("attribute attack of ", "membership attack", COPIES)
"""Attacks that were counted on people who are not in the file, who are confidential: nobody can count again."""
PER_COLUMN = {"l": "l-diversity", "t": "t-closeness", "beta": "beta-likeness", "delta": "delta-disclosure"}
PER_COLUMN_OF_HISTORIES = {"l": "secret-values"}
WHOLE = {
    "k": "k-anonymity",
    "highest": "prosecutor-risk",
    "average": "prosecutor-risk",
    "k_map": "k-map",
    "presence": "delta-presence",
    "individual": "individual risk",
}
PROMISES = ("pk-anonymity", "sampling", "k-map", "delta-presence", "individual risk")
"""What is promised under an assumption at best."""


OF_TABLES = {INTERVALS: ("", ARITHMETIC), REBUILT: ("", NO_OTHER_SOURCE)}
"""By what is said of tables what it may rest on."""


def check_statements(certificate: Certificate, folder: Path) -> Iterator[Check]:
    """Check that a certificate says what its figures say, and no more."""
    fine = Said("{statements} statements say what the figures say, and no more", statements=len(certificate.statements))
    yield from settle_faults(Said("certificate|statements"), _list_all_faults(certificate, folder), fine=fine)


def _list_all_faults(certificate: Certificate, folder: Path) -> Iterator[str]:
    try:
        yield from _list_faults(certificate, folder)
    except SekishoError as error:
        yield str(error)


def _list_faults(certificate: Certificate, folder: Path) -> Iterator[str]:
    said = _index(certificate.statements)
    if len(said) < len(certificate.statements):
        yield Said("two statements are about the same")
    for subject, statement in _index(_say_again(certificate, folder)).items():
        if said.get(subject) != statement:
            yield Said(
                "{subject}: the figures say {tell}, the statement {other_tell}",
                subject=subject,
                tell=_tell(statement),
                other_tell=_tell(said.get(subject)),
            )
    known = _list_subjects(certificate)
    for subject, statement in said.items():
        yield from _list_unsupported(statement, known.get(subject, ()))
    yield from _list_twin_faults(certificate, said)
    yield from _list_guarantee_faults(certificate, said)


def _list_unsupported(statement: StatementEntry, allowed: tuple[Certainty, ...]) -> Iterator[str]:
    subject, standing = statement.subject, statement.standing
    if not allowed:
        yield Said("{subject}: nothing supports this statement", subject=subject)
    elif standing not in allowed:
        yield Said("{subject}: it cannot be {standing}", subject=subject, standing=standing)
    elif standing == Certainty.PROMISED and not statement.assumes:
        yield Said("{subject}: a promise says what it rests on", subject=subject)
    elif subject == ATTACKS and statement.assumes:
        yield Said("{subject}: what attacks came to rests on nothing", subject=subject)
    elif subject in OF_TABLES and (statement.detail or statement.assumes not in OF_TABLES[subject]):
        yield Said("{subject}: of a table no more is said in public", subject=subject)


def _list_twin_faults(certificate: Certificate, said: Mapping[str, StatementEntry]) -> Iterator[str]:
    """Give what is wrong where H0 does not hold: refuted is said, not proven is nothing that may be said."""
    standing = said[CLAIM].standing if CLAIM in said else None
    for claim in certificate.claims.twins:
        wanted = BROKEN if claim.standing is Standing.REFUTED else None
        if claim.standing is not Standing.HOLDS and standing != wanted:
            yield Said(
                "{claim}: it is {claim_standing}, and is said to be {standing}",
                claim=CLAIM,
                claim_standing=claim.standing,
                standing=standing,
            )


def _list_guarantee_faults(certificate: Certificate, said: Mapping[str, StatementEntry]) -> Iterator[str]:
    """Give what the recipe asks for and nothing is said of, or what is said to be broken without a reason."""
    rules = {reason.rule for reason in certificate.reasons}
    for subject in _list_needed(certificate):
        if subject not in said and certificate.release is not None:
            yield Said("{subject}: nothing is said of it", subject=subject)
        broken = subject in said and said[subject].standing == BROKEN and subject != INTERVALS
        if broken and "guarantee broken" not in rules:
            yield Said("{subject}: it is refuted, and no reason says so", subject=subject)


def _index(statements: tuple[StatementEntry, ...] | Iterator[StatementEntry]) -> dict[str, StatementEntry]:
    return {statement.subject: statement for statement in statements}


def _tell(statement: StatementEntry | None) -> str:
    if statement is None:
        return Said("statement|nothing")
    return Said("{sentence} ({hint})", sentence=statement.standing, hint=statement.detail)


def _say_again(certificate: Certificate, folder: Path) -> Iterator[StatementEntry]:
    claims = certificate.claims
    for claim in claims.twins:
        yield from _say_twins(claim)
    for bound in Bound:
        yield from _say_hits([claim for claim in claims.rejections if claim.bound is bound], claims.rejections)
    for claim in claims.conditions:
        if claim.limit is not None and claim.value is not None:
            condition = Condition(name=claim.name, value=claim.value, limit=claim.limit, side=claim.side)
            yield StatementEntry(
                standing=KEPT if condition.met else BROKEN,
                subject=f"condition {claim.name}",
                detail=condition.describe(),
            )
    yield from _say_risks(claims.risks)
    for claim in claims.classes:
        yield from _say_classes(certificate, claim, folder)


def _say_twins(claim: TwinsClaim) -> Iterator[StatementEntry]:
    if claim.standing is Standing.HOLDS:
        detail = tell_twins(claim.least, claim.p) if claim.classes else NOBODY
        yield StatementEntry(standing=KEPT, subject=CLAIM, detail=detail, assumes=ClaimFinding.assumption)


def _say_hits(claims: list[RejectionClaim], every: tuple[RejectionClaim, ...]) -> Iterator[StatementEntry]:
    if not claims:
        return
    strength = {claim.adversary: claim.hits / max(1, claim.threshold) for claim in every if claim.decides}
    strongest = max(claims, key=lambda claim: strength.get(claim.adversary, 0.0))
    bound = strongest.bound
    detail = tell_hits(
        len(claims),
        bound,
        strongest=strongest.adversary,
        hits=strongest.hits,
        claimed=strongest.claimed,
        predicted=[claim.predicted for claim in claims if claim.predicted is not None],
    )
    standing = BROKEN if any(claim.effective for claim in claims) else Certainty.NOT_REFUTED
    yield StatementEntry(standing=standing, subject=name_attacks(bound), detail=detail)


def _say_risks(claims: tuple[RiskClaim, ...]) -> Iterator[StatementEntry]:
    if not claims:
        return
    strongest = max(claims, key=lambda claim: claim.mean)
    detail = tell_mean_risk(
        len(claims),
        strongest=strongest.adversary,
        mean=strongest.mean,
        tests=len(strongest.risks),
        target=strongest.target,
    )
    standing = BROKEN if any(claim.refuted for claim in claims) else Certainty.NOT_REFUTED
    yield StatementEntry(standing=standing, subject=ATTACKS, detail=detail)


def _say_classes(certificate: Certificate, claim: ClassesClaim, folder: Path) -> Iterator[StatementEntry]:
    assumes = tell_knowledge(list_names(certificate, "keys"))
    frame = claim.published.read(folder)
    if claim.required_k is not None:
        below = count_rows_below(frame, claim.keys, claim.required_k)
        detail = tell_smallest_class(claim.k, claim.required_k, below)
        yield _state("k-anonymity", detail, assumes, kept=claim.k >= claim.required_k)
    if claim.sensitive is None or not claim.published.named or claim.sensitive >= frame.width:
        return
    column = frame.columns[claim.sensitive]
    unknown = claim.unknown or 0
    if claim.required_values is not None and claim.values is not None:
        wanted = read_guarantees(certificate).get("l")
        if isinstance(wanted, int | float):
            detail = add_unknown_classes(tell_least_diversity(Diversity.DISTINCT, claim.values, wanted), unknown)
            yield _state(f"l-diversity of {column}", detail, assumes, kept=claim.values >= wanted)
    elif claim.required_values is not None and unknown:
        yield _state(f"l-diversity of {column}", NOTHING_KNOWN, assumes, kept=True)
    if claim.required_distance is not None and claim.distance is not None:
        words = tell_farthest_class(claim.distance, Distance.EQUAL, claim.required_distance)
        kept = claim.distance <= claim.required_distance + CLOSE
        yield _state(f"t-closeness of {column}", add_unknown_classes(words, unknown), assumes, kept=kept)


def _state(subject: str, detail: str, assumes: str, *, kept: bool) -> StatementEntry:
    return StatementEntry(standing=KEPT if kept else BROKEN, subject=subject, detail=detail, assumes=assumes)


def _list_needed(certificate: Certificate) -> Iterator[str]:
    """Give what the recipe's guarantees say something of; of a table what its pattern is for."""
    if certificate.shape is Shape.TABLE:
        yield INTERVALS
    asked = read_guarantees(certificate)
    per_column = PER_COLUMN_OF_HISTORIES if certificate.shape is Shape.HISTORY else PER_COLUMN
    yield from dict.fromkeys(subject for name, subject in WHOLE.items() if asked.get(name))
    for column in list_names(certificate, "sensitive"):
        yield from (
            Said("{subject} of {column}", subject=subject, column=column)
            for name, subject in per_column.items()
            if asked.get(name) is not None
        )
    for name in _list_named(asked):
        columns = [
            Said("{subject} of {column}", subject=name, column=column)
            for column in list_names(certificate, "sensitive")
        ]
        said = {statement.subject for statement in certificate.statements}
        yield from [subject for subject in columns if subject in said] or [name]


def _list_named(asked: Mapping[str, object]) -> Iterator[str]:
    """Give the guarantees that are asked for by their names, with parameters that have no key of their own."""
    keyed = {*PER_COLUMN.values(), *WHOLE.values()}
    yield from (name for name, value in asked.items() if isinstance(value, Mapping) and name not in keyed)


def _list_subjects(certificate: Certificate) -> dict[str, tuple[Certainty, ...]]:
    """Return what a statement may be about, with the words that the gate has for it."""
    attacks = (Certainty.NOT_REFUTED, BROKEN)
    together = {TOGETHER: (Certainty.PROMISED, BROKEN)}
    if certificate.shape is Shape.TABLE:
        rebuilt = (Certainty.PROMISED, Certainty.NOT_REFUTED, BROKEN)
        return {INTERVALS: (KEPT, Certainty.PROMISED, BROKEN), REBUILT: rebuilt, **together}
    if certificate.shape is Shape.HISTORY:
        names = [one for one in PER_COLUMN_OF_HISTORIES.values() if read_guarantees(certificate)]
        said = [one.subject for one in certificate.statements if one.subject.split(" of ")[0] in names]
        learnt = dict.fromkeys(said, (KEPT, BROKEN))
        return {**together, CLAIM: (KEPT, BROKEN), **{name_attacks(bound): attacks for bound in Bound}, **learnt}
    limited = [claim for claim in certificate.claims.conditions if claim.limit is not None]
    conditions = {f"condition {claim.name}": (KEPT, BROKEN) for claim in limited}
    asked = {
        subject: (Certainty.PROMISED, BROKEN) if subject in PROMISES else (KEPT, BROKEN)
        for subject in _list_needed(certificate)
    }
    named = tuple(_list_named(read_guarantees(certificate)))
    asked |= {
        subject: (KEPT, Certainty.PROMISED, BROKEN) for subject in asked if subject.split(" of ")[0] in named
    }  # whether such a guarantee is counted or assumed, it alone knows
    promised = dict.fromkeys(("pk-anonymity", "sampling"), (Certainty.PROMISED,))
    beside = [each.subject for each in certificate.statements if each.subject.startswith(AGAINST_CONTROLS)]
    tried = dict.fromkeys((ATTACKS, EARLIER, HIDDEN_CELLS, *beside), attacks)
    noised = [each.subject for each in certificate.statements if each.subject.startswith(f"{EPSILON} of ")]
    promised |= dict.fromkeys(noised, (Certainty.PROMISED,))
    told = {**tried, EPSILON: (Certainty.PROMISED, BROKEN), **together}
    return {**told, **conditions, **promised, **asked}
