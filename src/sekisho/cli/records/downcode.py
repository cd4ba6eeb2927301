"""``sekisho attack downcode``: what can be worked out of the cells of a release?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.attack.records.downcode.answer import Knows, Roster
from sekisho.cli.kit.answer import Answer, AsJson, parse_fraction, say
from sekisho.cli.kit.files import Deleted, GivenRules, Published
from sekisho.cli.kit.options import expand_options
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.shapes.file_options import OwnFileOptions, SchemaPath, open_and_say
from sekisho.cli.shapes.files import choose_rules
from sekisho.data.files.layout import open_original
from sekisho.data.files.plain_table import FrameSource
from sekisho.data.files.whole_files import check_paths
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import read_deleted
from sekisho.data.records.written_release import read_written_table
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import BugError, ParameterError
from sekisho.gate.records.downcode.downcoding import DowncodeQuestion, Recoder, SeenRelease, downcode
from sekisho.gate.rulebooks import read_record_terms, rules_path
from sekisho.protect.records.lattice_recoding import LatticeMeasure
from sekisho.protect.records.suppress import Matching
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said, join_words


@expand_options
def attack_downcode(
    *,
    context: typer.Context,
    published: Published,
    method: Annotated[Recoder, typer.Option("--method", help="That made the release.")],
    keys: Annotated[str, typer.Option("--keys", help="The keys of the method, a,b,c.")],
    k: Annotated[int, typer.Option("--k", min=1, help="Of the method.")],
    original: Annotated[
        Path | None, typer.Option("--original", help="The original data; else the values that the release names.")
    ] = None,
    knows: Annotated[
        Knows,
        typer.Option("--knows", help="Of the method: its rule, also that nothing can be taken back, all of it."),
    ] = Knows.LEAST,
    people: Annotated[
        Roster, typer.Option("--people", help="Of people: one's keys, everybody's keys, every record but one.")
    ] = Roster.ONE,
    matching: Annotated[
        Matching, typer.Option("--matching", help="Of suppress: what a suppressed cell matches.")
    ] = Matching.ANY,
    tree: Annotated[
        list[str] | None, typer.Option("--tree", help="What the labels of a key mean: a=FILE; repeated.")
    ] = None,
    suppress: Annotated[str, typer.Option("--suppress", help="Of lattice: the largest share left out, 0.02.")] = "0",
    measure: Annotated[LatticeMeasure, typer.Option("--measure", help="Of lattice: what was minimised.")] = (
        LatticeMeasure.NCP
    ),
    sensitive: Annotated[
        str, typer.Option("--sensitive", help="Of lattice beside --l: the sensitive column; as the schema says.")
    ] = "",
    least_l: Annotated[
        float | None, typer.Option("--l", help="Of lattice: the least distinct sensitive values of a class.")
    ] = None,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="The rows of the release stand in the original's order.")
    ] = False,
    deleted: Deleted = None,
    rules: GivenRules = "",
    schema: SchemaPath = "",
    own: OwnFileOptions,
    as_json: AsJson = False,
) -> None:
    """Work out what the hidden and generalised cells of a release still can be.

    A cell is narrowed if some value that it admits is possible no more, known if one is left. That is a count of what
    is possible, not a chance. Of rows in the original's order it is counted how often a known cell is right.

    Example: `sekisho attack downcode --published R.csv --method suppress --keys age,sex,town --k 3`
    """
    trees = _read_trees(tree or ())
    named = choose_rules(context, rules, schema, frozenset({Shape.RECORDS}))
    check_paths(reads=[published, original, deleted, None if named is None else rules_path(named)], writes={})
    if original is None and (in_order or deleted is not None):
        raise ParameterError("original", Said("be given beside --in-order or --deleted"), None)
    names = tuple(filter(None, keys.split(",")))
    book = _read_rules(named, own, original or published)
    question = DowncodeQuestion(
        method=method,
        keys=names,
        k=k,
        matching=matching,
        knows=knows,
        roster=people,
        tree=trees,
        suppress=parse_fraction("suppress", suppress),
        measure=measure,
        sensitive=sensitive,
        distinct=least_l,
    )
    seen = _read_release(book, published, original, trees, names, in_order=in_order, deleted=deleted)
    with show_progress(Said("attacking")):
        found = downcode(question, seen)
    for note in found.notes:
        say(note)
    words = join_words([found.tell(), *filter(None, [found.proven])], "\n")
    Answer(keys=found.to_dict(), words=words, good=not found.known).deliver(as_json=as_json)


def _read_trees(texts: Sequence[str]) -> dict[str, Tree]:
    pairs = [part.partition("=") for text in texts for part in text.split(",") if part]
    wrong = [name for name, equals, _ in pairs if not equals]
    if wrong:
        raise ParameterError("tree", Said("be given as name=FILE"), wrong)
    return {name: read_tree(Path(file)) for name, _, file in pairs}


def _read_rules(named: str | None, own: OwnFileOptions, source: Path) -> RecordTerms:
    book = read_record_terms(named) if named is not None else own.rules(Shape.RECORDS, source)
    if not isinstance(book, RecordTerms):
        raise BugError("options of records made rules of another shape")
    return book


def _read_release(
    book: RecordTerms,
    published: Path,
    original: Path | None,
    trees: dict[str, Tree],
    keys: tuple[str, ...],
    *,
    in_order: bool,
    deleted: Path | None,
) -> SeenRelease:
    if original is None:
        known, book = _name_values(published, book, keys)
    else:
        known, book = open_and_say(original, book)
    table, notices = read_written_table(published, book, known, trees)
    for notice in notices:
        say(Said("{source}: {reason}", source=published, reason=notice))
    rows = None
    if deleted is not None:
        rows = np.flatnonzero(~read_deleted(deleted, book.layout, known))
    elif in_order:
        rows = np.arange(len(known))
    if rows is not None and len(rows) != len(table):
        rule = Said("have as many rows as are not deleted ({rows:,})", rows=len(rows))
        raise ParameterError("published", rule, len(table))
    return SeenRelease(table=table, known=known, rows=rows, original=original is not None)


def _name_values(published: Path, book: RecordTerms, keys: tuple[str, ...]) -> tuple[Dataset, RecordTerms]:
    """Return the values that a release itself names, as data: shown ones, ends of ranges, members of sets."""
    seen = open_original(published, book)[0].data.frame.cast(pl.String)
    parts = {name: _split_texts(seen[name]) for name in seen.columns if name in keys}
    longest = max((len(values) for values in parts.values()), default=0)
    frame = pl.DataFrame({name: _fill(values, longest) for name, values in parts.items()})
    say(Said("{source}: only the values that it names are taken for possible", source=published))
    data, settled = open_original(FrameSource(name=str(published), frame=frame), book)
    return data.data, settled


def _split_texts(texts: pl.Series) -> list[str]:
    inner = texts.unique().str.strip_prefix("[").str.strip_suffix("]").str.strip_prefix("{").str.strip_suffix("}")
    values = inner.str.split(";").explode().unique().sort()
    return [value for value in values.to_list() if value not in (None, "", "*")]


def _fill(values: list[str], length: int) -> list[str | None]:
    return [*values, *[values[-1] if values else None] * (length - len(values))]
