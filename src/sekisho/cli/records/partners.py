"""``sekisho partners``: how many others could each record be exchanged with?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.files import GivenRules, Round
from sekisho.cli.kit.options import expand_options
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.shapes.file_options import OwnFileOptions, SchemaPath, open_and_say
from sekisho.cli.shapes.files import choose_rules
from sekisho.data.files.whole_files import check_paths
from sekisho.data.records.partners import PartnerCounts, count_all_partners, list_partners
from sekisho.data.records.space import require_limit
from sekisho.data.shape import Shape
from sekisho.errors import BugError, ParameterError
from sekisho.gate.rulebooks import read_record_terms, rules_path
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said, join_words

FEW = 25
"""The slides' limit: to delete those with at most so many partners was the most that utility allowed."""


@expand_options
def partners(
    *,
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The records, one row a person.")],
    limit: Annotated[
        float | None, typer.Option("--limit", help="The largest loss between partners (Iloss); as the rules say.")
    ] = None,
    few: Annotated[int, typer.Option("--few", min=0, help="Count the records with at most so many partners.")] = FEW,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write each record (rows from 0) and its number of partners, as CSV.")
    ] = None,
    first: Annotated[int, typer.Option("--first", min=0, help="Also write the first few partners of each record.")] = 0,
    rules: GivenRules = "",
    schema: SchemaPath = "",
    asked_round: Round = "",
    own: OwnFileOptions,
    as_json: AsJson = False,
) -> None:
    """Count how many partners each record has: others whose values it could take without losing more than the limit.

    The loss of a pair is the larger of the greatest difference in a column of numbers and the number of other columns
    that differ. Records with few partners are easy to find again, however records are exchanged.

    Example: `sekisho partners B.csv --rules pwscup2021 --limit 4 --out partners.csv --first 20`
    """
    if first and out is None:
        raise ParameterError("first", Said("be asked for together with --out"), first)
    named = choose_rules(context, rules, schema, frozenset({Shape.RECORDS}))
    check_paths(reads=[source, None if named is None else rules_path(named)], writes={"--out": out})
    data, book = open_and_say(source, _read_rules(named, own, source))
    asked = require_limit(book.find_round(asked_round).iloss if limit is None else limit)
    (points,) = book.space.points(data)
    with show_progress(Said("looking for partners")):
        counts = count_all_partners(points, asked)
        files = {} if out is None else {out: list_partners(points, asked, counts, first).write_csv().encode()}
    keys = {"limit": asked, **counts.as_dict(few), **({} if out is None else {"out": str(out)})}
    Answer(keys=keys, words=_describe_counts(counts, asked, few), files=files).deliver(as_json=as_json)


def _read_rules(named: str | None, own: OwnFileOptions, source: Path) -> RecordTerms:
    if named is not None:
        return read_record_terms(named)
    book = own.rules(Shape.RECORDS, source)
    if not isinstance(book, RecordTerms):
        raise BugError("options of records made rules of another shape")
    return book


def _describe_counts(counts: PartnerCounts, limit: float, few: int) -> str:
    low, middle, high = counts.quartiles
    spread = Said(
        "{records:,} records, partners within a loss of {limit:g}: at least {least:,}, quartiles {low:,.0f}, "
        "{middle:,.0f}, {high:,.0f}, at most {most:,}",
        records=len(counts.counts),
        limit=limit,
        least=int(counts.counts.min()),
        low=low,
        middle=middle,
        high=high,
        most=int(counts.counts.max()),
    )
    alone = Said(
        "{records:,} records have at most {few} partners, {none:,} have none",
        records=len(counts.find_few(few)),
        few=few,
        none=len(counts.find_few(0)),
    )
    return join_words([spread, alone], "\n")
