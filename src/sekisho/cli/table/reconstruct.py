"""``sekisho table reconstruct``: the people behind published tables, as far as these give them away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.options import expand_options
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.table.options import CodeOptions, CsvOptions, Dims, code_files, read_form, say_notices, split_names
from sekisho.data.files.plain_table import frame_bytes
from sekisho.data.files.whole_files import check_paths
from sekisho.gate.tables.reconstruction import PeopleCase, build_people_case, classify, judge_people
from sekisho.gate.tables.said import SaidMethod, SaidRelease
from sekisho.tables.files.people_tables import PeopleTables, read_people_tables
from sekisho.tables.reconstruct.people import BlockAnswer, Reconstructor
from sekisho.words import Said, join_words

BLOCK, WITNESS, PEOPLE = "block", "witness", "people"
LISTED = 20
"""Of so many blocks the words tell more than their number."""
ALONE = Said("that records may differ holds only against a reader without other sources and without a prior")


@expand_options
def reconstruct(
    sources: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Published tables of the same people: CSV or Parquet.")
    ],
    *,
    dims: Dims,
    count: Annotated[str, typer.Option("--count", help="The column of counts.")] = "n",
    said: Annotated[
        str,
        typer.Option(
            "--said",
            help="How the numbers came about: exact, round:B or round:B,K, nearest:B, small:B, noise:FILE, column.",
        ),
    ] = "exact",
    block: Annotated[str, typer.Option("--block", help="A column of areas; each is rebuilt by itself.")] = "",
    truth: Annotated[
        Path | None, typer.Option("--microdata", help="The true records: tells how many of them may differ.")
    ] = None,
    solutions: Annotated[
        int, typer.Option("--solutions", min=2, help="How many solutions are counted at most.")
    ] = 1000,
    seconds: Annotated[
        float, typer.Option("--time", min=0, help="Seconds for a question that the search does not settle; 0: none.")
    ] = 5.0,
    out: Annotated[Path | None, typer.Option("--out", help="Where to write people who agree with all tables.")] = None,
    codes: CodeOptions,
    csv: CsvOptions,
    as_json: AsJson = False,
) -> None:
    """Rebuild people from published tables: are they known, how many ways are there, how many records may differ.

    The answer is no if the people of a block are known, or some of them are in every solution: both are proven. That
    records may differ is proven only against whoever has no other source. Tables may be exact, rounded, noisy or have
    hidden cells (--said); a code of a tree (--tree) stands for all below it.

    Example: `sekisho table reconstruct sex_age.csv race.csv --dims sex,age,race --count n --microdata people.csv`
    """
    check_paths(reads=[*sources, *([truth] if truth else []), *code_files(codes)], writes={"--out": out})
    form = read_form(codes, csv)
    rule = SaidRelease.parse(said)
    ends = rule.method is SaidMethod.COLUMN
    tables = read_people_tables(sources, form, dims=split_names(dims), count=count, block=block, ends=ends)
    say_notices(tables.notices)
    known = None if truth is None else tables.count_truth(truth, form, block)
    case = build_people_case(tables, rule, known)
    with show_progress(Said("rebuilding people")):
        answers = list(case.answers(Reconstructor(solutions=solutions, seconds=seconds)))
    files = {} if out is None else {out: frame_bytes(_list_people(tables, answers), out)}
    each = [_describe(answer) for answer in answers]
    told: dict[str, object] = each[0] if not block else {"blocks": _name_blocks(case, each), **_add_up(answers)}
    keys = {"said": said, "gaps": case.gaps, **told, **({} if out is None else {"out": str(out)})}
    words = _word_one(answers[0]) if not block else _word_blocks(answers, tables.blocks)
    Answer(keys=keys, words=words, files=files).judged(judge_people(answers)).deliver(as_json=as_json)


def _describe(answer: BlockAnswer) -> dict[str, object]:
    low, high = answer.people
    return {
        "possible": answer.possible,
        "people": low if low == high else [low, high],
        "unique": answer.unique,
        "solutions": answer.solutions,
        "all_solutions": answer.complete,
        "may_differ": answer.may_differ,
        "two_may_differ": answer.two_may_differ,
        "two_at_most": answer.two_at_most,
        "certain": answer.certain,
        "settled": answer.settled,
    }


def _name_blocks(case: PeopleCase, each: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{BLOCK: name, **told} for name, told in zip(case.tables.blocks, each, strict=True)]


def _add_up(answers: list[BlockAnswer]) -> dict[str, object]:
    return {**classify(answers), "certain": sum(answer.certain for answer in answers if answer.disclosing)}


def _list_people(tables: PeopleTables, answers: list[BlockAnswer]) -> pl.DataFrame:
    """Return the witnesses as people by code."""
    lines: list[tuple[object, ...]] = []
    shape = tuple(map(len, tables.codes))
    for name, answer in zip(tables.blocks, answers, strict=True):
        for number, each in enumerate(answer.witnesses):
            for cell in np.flatnonzero(each).tolist():
                places = np.unravel_index(cell, shape)
                key = [codes[int(at)] for codes, at in zip(tables.codes, places, strict=True)]
                lines.append((name, number, *key, int(each[cell])))
    return pl.DataFrame(lines, schema=[BLOCK, WITNESS, *tables.dims, PEOPLE], orient="row")


def _word_blocks(answers: list[BlockAnswer], names: tuple[str, ...]) -> str:
    classed = classify(answers)
    lines = [
        Said(
            "{blocks:,} blocks: the people of {unique:,} are known, of {partly:,} in part, of {open:,} not",
            blocks=len(answers),
            unique=classed["unique"],
            partly=classed["partly"],
            open=classed["open"],
        )
    ]
    if classed["impossible"]:
        lines.append(Said("the tables of {blocks:,} blocks contradict each other", blocks=classed["impossible"]))
    known = sum(answer.certain for answer in answers if answer.disclosing)
    if known:
        lines.append(Said("{people:,} people are in every solution of their block: they are known", people=known))
    left = sum(not answer.settled for answer in answers)
    if left:
        lines.append(Said("of {blocks:,} blocks not every question was settled in time", blocks=left))
    lines += [
        Said("{name}: {answer}", name=name, answer=join_words(_list_words(answer), "; "))
        for name, answer in list(zip(names, answers, strict=True))[:LISTED]
    ]
    if len(answers) > LISTED:
        lines.append(Said("and {more:,} more blocks", more=len(answers) - LISTED))
    if any(answer.possible and not answer.unique for answer in answers):
        lines.append(ALONE)
    return join_words(lines, "\n")


def _word_one(answer: BlockAnswer) -> str:
    open_ends = [ALONE] if answer.possible and not answer.unique else []
    return join_words([*_list_words(answer), *open_ends], "\n")


def _list_words(answer: BlockAnswer) -> list[Said]:
    if not answer.possible and answer.complete:
        return [Said("the tables contradict each other: no people agree with all of them")]
    if not answer.possible:
        return [Said("whether any people agree with all tables was not settled in time")]
    lines = [
        Said("unique: these people and no others agree with all tables")
        if answer.unique
        else Said(
            "{solutions:,} solutions{more}, {certain} records are in every one",
            solutions=answer.solutions,
            more="" if answer.complete else "+",
            certain=answer.certain,
        )
    ]
    if answer.may_differ is not None and not answer.unique:
        lines.append(
            Said("a solution may lack {records} {records:record|records} of the truth", records=answer.may_differ)
        )
    if not answer.unique:
        lines.append(
            Said("two solutions may differ by {records} {records:record|records}", records=answer.two_may_differ)
        )
    return lines
