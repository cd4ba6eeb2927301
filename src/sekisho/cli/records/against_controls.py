"""``sekisho attack attribute`` and ``membership``: what a release gives away of people in it, beside others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Annotated

import typer

from sekisho.attack.records.attribute import AttributeAnswer, AttributeAttack
from sekisho.attack.records.control_group import MOST_PEOPLE
from sekisho.attack.records.downcode.answer import Roster
from sekisho.attack.records.membership import (
    MembershipAnswer,
    MembershipAttack,
    MembershipScore,
    split_reference,
)
from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, say, settle_seed
from sekisho.cli.kit.files import Original, Published
from sekisho.cli.kit.options import expand_options, split_names, split_pairs
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.shapes.file_options import OwnFileOptions, SchemaPath, open_and_say
from sekisho.cli.shapes.files import choose_rules, read_own_terms
from sekisho.data.files.whole_files import check_paths
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.written_release import read_written_table
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.rulebooks import rules_path
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said, join_words

FIXED, NOISE = "fixed", "noise:"
"""What ``--mechanism`` says beside a file."""
Controls = Annotated[
    Path, typer.Option("--controls", help="People of the same population who are not in the file; the same columns.")
]
Keys = Annotated[str, typer.Option("--keys", help="The columns that he knows, a,b,c; all that tell something if none.")]
Trees = Annotated[list[str] | None, typer.Option("--tree", help="What the labels of a column mean: a=FILE; repeated.")]
Household = Annotated[
    str, typer.Option("--household", help="The column that says who lives together; never on both sides.")
]
People = Annotated[
    int, typer.Option("--people", min=1, help="How many members, and how many controls, are attacked at most.")
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenedFiles:
    """A release, the people it was made from, and the terms under which all further files are read."""

    release: MaskedTable
    original: Dataset
    terms: RecordTerms

    @classmethod
    def open(
        cls, original: Path, published: Path, terms: RecordTerms, trees: Mapping[str, Tree], columns: tuple[str, ...]
    ) -> OpenedFiles:
        """Read the original and the release beside it; say what there is to say of them."""
        data, settled = open_and_say(original, terms.with_layout(terms.layout.require_columns(columns)))
        table, notices = read_written_table(published, settled, data, trees)
        for notice in notices:
            say(Said("{source}: {reason}", source=published, reason=notice))
        return cls(release=table, original=data, terms=settled)

    def read_others(self, path: Path) -> Dataset:
        """Read people who are not in the file, in the same columns."""
        return open_and_say(path, self.terms)[0]


def open_files(
    named: str | None,
    own: OwnFileOptions,
    sources: tuple[Path, Path],
    others: Sequence[Path | None],
    trees: Sequence[str],
    columns: Sequence[str],
) -> OpenedFiles:
    """Open an original and what was published of it, having tried that every other file is there.

    Args:
        named: a schema, or None.
        own: what options say of the files.
        sources: the original and the release.
        others: files that are read later.
        trees: what labels mean, a=FILE each.
        columns: that must be there.
    """
    tree_files = split_pairs("tree", trees)
    rules_file = None if named is None else rules_path(named)
    check_paths(reads=[*sources, *others, *tree_files.values(), rules_file], writes={})
    labels = {name: read_tree(path) for name, path in tree_files.items()}
    terms = read_own_terms(named, own, sources[0])
    return OpenedFiles.open(*sources, terms, labels, tuple(filter(None, columns)))


@expand_options
def attack_attribute(
    *,
    context: typer.Context,
    original: Original,
    published: Published,
    controls: Controls,
    sensitive: Annotated[str, typer.Option("--sensitive", help="The column that he guesses; as the schema says.")] = "",
    keys: Keys = "",
    within: Annotated[
        str, typer.Option("--within", help="How near a guessed number must be: 5, or 10% of the truth; fixed before.")
    ] = "",
    nearest: Annotated[
        bool,
        typer.Option("--nearest", help="Guess by the nearest rows whom no row fits, not by the commonest value."),
    ] = False,
    household: Household = "",
    trees: Trees = None,
    people: People = MOST_PEOPLE,
    schema: SchemaPath = "",
    own: OwnFileOptions,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Guess a hidden value of people in a release, and of people who are not: what the release adds is R.

    R is 0 where members are guessed no better than controls, 1 where everybody is guessed rightly, and below 0 where
    members are guessed worse. Its interval is exact while all outcomes can be listed; the method is always named.

    Example: `sekisho attack attribute --original people.csv --published R.csv --controls others.csv --keys age,sex
    --sensitive illness`
    """
    named = choose_rules(context, "", schema, frozenset({Shape.RECORDS}))
    adversary = AttributeAttack(
        keys=split_names(keys), sensitive=sensitive, within=within, nearest=nearest, household=household
    )
    columns = (*adversary.keys, sensitive, household)
    files = open_files(named, own, (original, published), [controls], trees or (), columns)
    others, start, drawn = files.read_others(controls), process_time(), settle_seed(seed)
    with show_progress(Said("attacking")):
        answer = adversary.attack(
            files.release, files.original, others, rng=drawn.child("attribute").rng(), most=people
        )
    told = {"seconds": process_time() - start, "seed": drawn.value, "warnings": list(answer.list_warnings())}
    Answer(keys={**answer.to_dict(), **told}, words=_tell_attribute(answer)).deliver(as_json=as_json)


def _tell_attribute(answer: AttributeAnswer) -> str:
    added, interval = answer.added, answer.added.find_interval()
    first = Said(
        "found: {hits:,} of {people:,} members guessed rightly ({low:.3f} to {high:.3f}), {control_hits:,} of "
        "{controls:,} controls; without the release {chance:.3f}",
        hits=added.hits,
        people=added.trials,
        low=added.members.low,
        high=added.members.high,
        control_hits=added.control_hits,
        controls=added.control_trials,
        chance=answer.chance,
    )
    if added.value is None:
        second = Said("R: nothing can be added, every control was guessed rightly")
    else:
        second = Said(
            "R = {value:.3f} ({low:.3f} to {high:.3f}, {method}): what the release adds to guessing",
            value=added.value,
            low=interval.low,
            high=interval.high,
            method=interval.method.value,
        )
    third = Said("disclosed, not guessed: {disclosed:,} members", disclosed=answer.disclosed)
    return join_words([first, second, third, *answer.list_warnings()], "\n")


@expand_options
def attack_membership(
    *,
    context: typer.Context,
    original: Original,
    published: Published,
    controls: Controls,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", help="Still others, whom the adversary has; half of the controls if not given."),
    ] = None,
    keys: Keys = "",
    mechanism: Annotated[
        str,
        typer.Option(
            "--mechanism",
            help="What was done: a file that PRAM writes, noise:age=1,pay=0.5, or fixed for samples and recoded cells.",
        ),
    ] = "",
    score: Annotated[
        MembershipScore | None,
        typer.Option(
            "--score", help="What people are ordered by; likelihood where the mechanism or cells say what was done."
        ),
    ] = None,
    independent: Annotated[
        bool, typer.Option("--independent", help="Take the columns as independent in the population.")
    ] = False,
    household: Household = "",
    trees: Trees = None,
    people: Annotated[
        str,
        typer.Option(
            "--people",
            help="What he knows of people: one, or others (every record but one, beside --mechanism); or how many "
            "members, and how many controls, are attacked at most.",
        ),
    ] = str(MOST_PEOPLE),
    schema: SchemaPath = "",
    own: OwnFileOptions,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Tell whether people are in the file that a release was made from, on people who are and on people who are not.

    How many members are found is told at false positive rates of 0.1, 0.01 and 0.001, with a coin for ties (`tpr`) and
    without (`strict`); a rate below one control is not answered. Whom no row can be is proven to be absent, where
    every cell admits the truth and nobody is left out.

    Example: `sekisho attack membership --original people.csv --published R.csv --controls others.csv --reference
    more.csv`
    """
    named = choose_rules(context, "", schema, frozenset({Shape.RECORDS}))
    noise = parse_noise(mechanism) if mechanism.startswith(NOISE) else {}
    file = None if mechanism in ("", FIXED) or noise else Path(mechanism)
    roster, most = parse_people(people)
    adversary = MembershipAttack(
        keys=split_names(keys),
        people=roster,
        score=score,
        mechanism=file,
        noise=noise,
        fixed=mechanism == FIXED,
        independent=independent,
        household=household,
    )
    columns = (*adversary.keys, household)
    further = [controls, reference, file]
    files = open_files(named, own, (original, published), further, trees or (), columns)
    others, start, drawn = files.read_others(controls), process_time(), settle_seed(seed)
    if reference is None:
        others, known = split_reference(others, rng=drawn.child("reference").rng(), household=household)
        say(Said("half of the controls ({records:,}) are the reference", records=len(known)))
    else:
        known = files.read_others(reference)
    with show_progress(Said("attacking")):
        answer = adversary.attack(
            files.release, files.original, others, known, rng=drawn.child("membership").rng(), most=most
        )
    told = {"seconds": process_time() - start, "seed": drawn.value, "warnings": list(answer.list_warnings())}
    Answer(keys={**answer.to_dict(), **told}, words=_tell_membership(answer)).deliver(as_json=as_json)


def parse_people(text: str) -> tuple[Roster, int]:
    """Return what an adversary knows of people, and how many are attacked at most.

    Raises:
        ParameterError: it is neither a word for what he knows nor a number above 0.
    """
    if text in set(Roster):
        return Roster(text), MOST_PEOPLE
    if not text.isdecimal() or not int(text):
        raise ParameterError("people", Said("be one, others, or a number above 0"), text)
    return Roster.ONE, int(text)


def parse_noise(text: str) -> dict[str, float]:
    """Return by column the inverse of the scale of its Laplace noise: ``noise:age=1,pay=0.5``.

    Raises:
        ParameterError: it says none.
    """
    try:
        pairs = [part.split("=") for part in text.removeprefix(NOISE).split(",")]
        return {name: float(value) for name, value in pairs}
    except ValueError as error:
        raise ParameterError("mechanism", Said("be written as noise:age=1,pay=0.5"), text) from error


def _tell_membership(answer: MembershipAnswer) -> str:
    curve, scored = answer.curve, answer.scored
    claims = answer.count_claims(curve)
    first = Said(
        "found: {hits:,} of {claimed:,} who are called members are ({low:.3f} to {high:.3f}); by chance {chance:.3f}",
        hits=claims.hits,
        claimed=claims.trials,
        low=claims.low,
        high=claims.high,
        chance=len(scored.members) / (len(scored.members) + len(scored.controls)),
    )
    second = Said(
        "area {area:.3f} (by chance 0.5), advantage {advantage:.3f}, by {score}",
        area=float(curve.area),
        advantage=float(curve.advantage),
        score=answer.score.value,
    )
    rates = [_tell_rate(rate) for rate in scored.list_rates(curve)]
    absent = () if answer.absent is None else (Said("proven absent: {absent:,} controls", absent=answer.absent),)
    return join_words([first, second, *rates, *absent, *answer.list_warnings()], "\n")


def _tell_rate(rate: Mapping[str, object]) -> Said:
    if rate["tpr"] is None:
        return Said(
            "at a false positive rate of {fpr:g}: no answer, {needed:,} controls are needed",
            fpr=rate["fpr"],
            needed=rate["controls_needed"],
        )
    return Said(
        "at a false positive rate of {fpr:g}: {tpr:.4f} of the members; without chance {strict:.4f} ({low:.4f} to "
        "{high:.4f}) at {strict_fpr:.4f}",
        fpr=rate["fpr"],
        tpr=rate["tpr"],
        strict=rate["strict"],
        low=rate["low"],
        high=rate["high"],
        strict_fpr=rate["strict_fpr"],
    )
