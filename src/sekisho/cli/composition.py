"""``sekisho attack composition``: what several releases of one population tell together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sekisho.attack.history.composition import HistoryComposition, HistoryMonth, attack_months
from sekisho.attack.records.composition import Composition, KnownKeys, attack_composition
from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.files import GivenRules
from sekisho.cli.kit.options import expand_options, refuse_unsuited
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.shapes.file_options import OwnFileOptions, SchemaPath, open_and_say
from sekisho.cli.shapes.files import choose_rules
from sekisho.data.files.schema_files.schema_file import ColumnRules
from sekisho.data.files.whole_files import check_paths
from sekisho.data.frame.dataset import Role
from sekisho.data.history.files import read_published
from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.records.together.release_files import SeveralReleaseFiles
from sekisho.gate.records.together.roster import attack_everybody
from sekisho.gate.rulebooks import read_terms
from sekisho.safety.records.joint.candidates import Presence
from sekisho.safety.terms import HistoryTerms
from sekisho.words import Said, join_words

OF_RECORDS = ("keys", "sensitive", "stable", "present", "overlap", "in_order", "trees", "seconds")
"""Parameters that say nothing of a history."""
Earlier = Annotated[
    list[Path], typer.Option("--published", help="A release; further ones follow it, in the order in which they left.")
]
Further = Annotated[list[Path] | None, typer.Argument(metavar="RELEASE…", help="Further releases, the oldest first.")]
Originals = Annotated[
    list[Path],
    typer.Option("--original", help="The people looked for; or one file for each release, repeated, bound by --id."),
]


@expand_options
def attack_releases(
    *,
    context: typer.Context,
    original: Originals,
    published: Earlier,
    further: Further = None,
    keys: Annotated[
        str, typer.Option("--keys", help="Of records: what may be known of a person, a,b,c; as the schema says.")
    ] = "",
    sensitive: Annotated[
        str, typer.Option("--sensitive", help="The column whose values are counted; as the schema says.")
    ] = "",
    stable: Annotated[
        str | None,
        typer.Option(
            "--stable",
            help="Columns of which a person has one value for ever, a,b; '' for none. If not given, all that several "
            "releases share, beside the keys.",
        ),
    ] = None,
    present: Annotated[
        Presence,
        typer.Option("--present", help="What he knows of being there: all the releases, or that it is some of them."),
    ] = Presence.ALL,
    people: Annotated[
        KnownKeys,
        typer.Option("--people", help="Of whom he knows the keys: one person, or all people of all releases."),
    ] = KnownKeys.ONE,
    seconds: Annotated[
        float | None,
        typer.Option("--time", help="With --people all: seconds after which people are left unsettled; that is a no."),
    ] = None,
    overlap: Annotated[
        int | None,
        typer.Option("--overlap", min=1, help="So many people are in both of two releases; chances are then given."),
    ] = None,
    blocks: Annotated[
        str,
        typer.Option(
            "--blocks", help="Of histories: the pseudonymisation of each release, such as 1,1,2; one if not given."
        ),
    ] = "",
    k: Annotated[int, typer.Option("--k", min=0, help="The candidates wanted for everybody.")] = 0,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="The rows of each release stand in the order of its original.")
    ] = False,
    trees: Annotated[
        list[str] | None, typer.Option("--tree", help="What the labels of a column mean: a=FILE; repeated.")
    ] = None,
    rules: GivenRules = "",
    schema: SchemaPath = "",
    own: OwnFileOptions,
    as_json: AsJson = False,
) -> None:
    """Count what is still possible for people who are in several releases, each safe by itself.

    A row fits a person if every key admits his value; rows of several releases are linked if their stable columns can
    have one value. Counted are linked rows and the sensitive values left, and of each two releases the rows that stand
    in one and not in the other: fewer than k (3 if none is wanted), or of one sensitive value, is unsafe together.
    These are no chances: a chance is given only where --overlap says how many people are in both. Of histories (as
    --rules or --schema say), each release is attacked beside its own original; pseudonyms that stay join them, and the
    months in which somebody has rows are a key.

    Example: `sekisho attack composition --original people.csv --published R1.csv R2.csv --keys age,town --sensitive
    illness --stable illness`
    """
    releases = (*published, *(further or ()))
    if len(releases) < 2:
        raise ParameterError("published", Said("be at least two releases"), len(releases))
    tree_files = _split_pairs(trees or ())
    named = choose_rules(context, rules, schema, frozenset({Shape.RECORDS, Shape.HISTORY}))
    book = replace(own, identifier="").rules(Shape.RECORDS, original[0]) if named is None else read_terms(named)
    check_paths(reads=[*original, *releases, *tree_files.values()], writes={})
    if isinstance(book, HistoryTerms):
        refuse_unsuited(context, "histories", OF_RECORDS)
        months = read_months(original, releases, book)
        with show_progress(Said("attacking")):
            history = attack_months(months, split_blocks(blocks, len(releases)), k=k, everybody=people is KnownKeys.ALL)
        _answer_history(history).deliver(as_json=as_json)
    refuse_unsuited(context, "records", ("blocks",))
    if book.layout.strict:
        raise ParameterError("rules", Said("be a schema of one's own data"), named)
    if overlap is not None and len(releases) > 2:
        raise ParameterError("overlap", Said("be given for two releases"), len(releases))
    if people is KnownKeys.ALL and overlap is not None:
        raise ParameterError("overlap", Said("not be given for one who knows everybody"), overlap)
    roles = () if named is None else book.layout.described.columns
    files = SeveralReleaseFiles(
        originals=tuple(original),
        published=releases,
        book=book,
        keys=_split_names(keys) or _name_role(roles, Role.QUASI),
        sensitive=sensitive or choose_sensitive(_name_role(roles, Role.SENSITIVE)),
        stable=None if stable is None else _split_names(stable),
        identifier=own.identifier or "".join(_name_role(roles, Role.IDENTIFIER)),
        trees={name: read_tree(path) for name, path in tree_files.items()},
        in_order=in_order,
        by_schema=named is not None,
    )
    with show_progress(Said("attacking")):
        attacked = files.read()
        answer = attack_composition(
            attacked.question,
            attacked.people,
            own=attacked.own,
            presence=present,
            overlap=overlap,
            k=k,
            assumed=attacked.assumed,
            differences=attacked.take_apart(wanted=k),
        )
        if people is KnownKeys.ALL:
            answer = attack_everybody(answer, attacked.question, attacked.people, seconds=seconds)
    for notice in attacked.notices:
        say(notice)
    _make_answer(answer).deliver(as_json=as_json)


def choose_sensitive(names: Sequence[str]) -> str:
    """Return the sensitive column of a schema, where nobody names one.

    Raises:
        ParameterError: it has several.
    """
    if len(names) > 1:
        raise ParameterError("sensitive", Said("be one of {choices}", choices=", ".join(names)), None)
    return "".join(names)


def read_months(originals: list[Path], releases: Sequence[Path], book: HistoryTerms) -> list[HistoryMonth]:
    """Return the releases of histories, each beside its own original.

    Raises:
        ParameterError: there are not as many originals as releases.
    """
    if len(originals) != len(releases):
        raise ParameterError("original", Said("be given once for each release of a history"), len(originals))
    months: list[HistoryMonth] = []
    for original, release in zip(originals, releases, strict=True):
        data, settled = open_and_say(original, book)
        months.append(HistoryMonth(release=read_published(release, settled, data), knowledge=data))
    return months


def split_blocks(text: str, releases: int) -> list[list[int]]:
    """Return the places of the releases of each pseudonymisation: 1,1,2 is the first two, then the third.

    Raises:
        ParameterError: there is not one number for each release.
    """
    numbers = _split_names(text) or ("1",) * releases
    if len(numbers) != releases:
        raise ParameterError(
            "blocks", Said("have one number for each of the {releases} releases", releases=releases), text
        )
    return [[place for place, each in enumerate(numbers) if each == number] for number in dict.fromkeys(numbers)]


def _answer_history(answer: HistoryComposition) -> Answer:
    words = join_words(answer.tell(), "\n")
    return Answer(keys=answer.to_dict(), words=words, good=answer.safe_together, review=answer.unexplained > 0)


def _make_answer(answer: Composition) -> Answer:
    review = answer.assumed or answer.unexplained > 0 or answer.pins_people
    return Answer(
        keys=answer.to_dict(), words=join_words(answer.tell(), "\n"), good=answer.safe_together, review=review
    )


def _name_role(columns: Sequence[ColumnRules], role: Role) -> tuple[str, ...]:
    return tuple(rules.output_name for rules in columns if rules.role is role)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


def _split_pairs(words: list[str] | tuple[()]) -> dict[str, Path]:
    pairs: dict[str, Path] = {}
    for word in words:
        name, _, file = word.rpartition("=")
        if not name or not file or name in pairs:
            raise ParameterError("tree", Said("be NAME=FILE, once for each name"), word)
        pairs[name] = Path(file)
    return pairs
