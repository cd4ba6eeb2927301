"""``sekisho table difference``: suppress two populations' tables so that subtracting them tells nothing.

And the audit of such a pair.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.cell_files import Reading, code_files, read_columns, read_form
from sekisho.cli.table.describe import answer_infeasible, describe_finding, describe_suppression, list_faults
from sekisho.cli.table.linked_files import PatternFiles
from sekisho.cli.table.options import (
    AuditTime,
    CodeOptions,
    ColumnOptions,
    CsvOptions,
    Dims,
    FrequencyOptions,
    PatternFolder,
    PublicFolder,
    SearchOptions,
    StoryOptions,
)
from sekisho.cli.table.public import read_public
from sekisho.cli.table.rules import read_rules
from sekisho.cli.table.run import read_search, run_audit, run_optimiser, seal_certificate
from sekisho.cli.table.story import add_story, tell_finding, tell_suppression
from sekisho.data.files.output_paths import check_paths
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.tables.system import judge_difference, subtract_tables
from sekisho.provenance import Provenance, digest_file
from sekisho.tables.model.table import Status

Larger = Annotated[Path, typer.Argument(metavar="LARGER", help="The cells of a population: CSV or Parquet.")]
Smaller = Annotated[Path, typer.Argument(metavar="SMALLER", help="The same cells of a part of it.")]
Counts = Annotated[str, typer.Option("--count", help="The column of counts.")]


@expand_options
def difference(
    larger: Larger,
    smaller: Smaller,
    *,
    dims: Dims,
    count: Counts,
    out: PatternFolder,
    published: PublicFolder,
    asked: FrequencyOptions,
    codes: CodeOptions,
    search: SearchOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Suppress the counts of a population and of a part of it together, so that their difference is safe too.

    Whoever reads both tables subtracts them: all less the adults are the children. Each difference falls under the same
    rule. The patterns are written under the files' names, beside them difference.certificate.json, which holds true
    values.

    Example: `sekisho table difference all.csv adults.csv --dims region,job --count n --out patterns`
    """
    pair = larger, smaller
    proof = out / "difference.certificate.json"
    targets = PatternFiles(sources=pair, folder=out, certificate=proof, public=read_public(published))
    targets.check(codes, story.report)
    how, looking = _read_pair(pair, dims, count, codes, csv), read_search(search)
    rules = read_rules(asked).of_differences()
    names = larger.name, smaller.name
    system = subtract_tables(how.read_table(larger), how.read_table(smaller), rules, names=names)
    unsafe: dict[str, object] = {"differences": int(system.table.primary[system.derived].sum())}
    try:
        suppression = run_optimiser(system.table, looking)
    except InfeasibleError as error:
        answer_infeasible(error, unsafe).deliver(as_json=as_json)
    origin = Provenance(
        name="table difference",
        parameters={"dims": dims, "rules": [repr(each) for each in rules.choose(counts=True)]} | how.form.options,
        inputs={path.name: digest_file(path) for path in (*pair, *code_files(codes))},
    )
    parts, sealed = system.mark_parts(suppression.table), seal_certificate(looking, suppression, origin)
    own = {
        "cells": sum(map(len, parts)),
        "primary": sum(int(part.primary.sum()) for part in parts),
        "secondary": sum(int((part.status == Status.SECONDARY).sum()) for part in parts),
    }
    answer = targets.answer(parts, {**unsafe, **describe_suppression(suppression), **own}, sealed, how.value)
    system_story = tell_suppression(system, suppression, sealed, names) if story.asked else None
    if system_story is not None:
        answer = add_story(answer, system_story, story, origin)
    targets.make_folders()
    answer.deliver(as_json=as_json)


@expand_options
def audit_difference(
    larger: Larger,
    smaller: Smaller,
    *,
    patterns: Annotated[list[Path], typer.Option("--pattern", help="The larger's pattern, then the smaller's.")],
    dims: Dims,
    count: Counts,
    asked: FrequencyOptions,
    codes: CodeOptions,
    whole: Annotated[bool, typer.Option("--integer", help="Consider whole tables only.")] = False,
    seconds: AuditTime = None,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Tell what two populations' patterns give away to whoever subtracts them.

    The unsafe differences are those of few people.

    A cell of few people that a pattern shows is named too.

    Example: `sekisho table audit-difference all.csv adults.csv --pattern pa.csv --pattern pb.csv --dims region,job
    --count n`
    """
    if len(patterns) != 2:
        raise ParameterError("pattern", "be given twice, for the larger and the smaller", len(patterns))
    pair, names = (larger, smaller), (larger.name, smaller.name)
    check_paths(reads=[*pair, *patterns, *code_files(codes)], writes={"--report": story.report})
    how, rules = _read_pair(pair, dims, count, codes, csv), read_rules(asked).of_differences()
    tables = [how.read_table(path) for path in pair]
    hidden = [
        how.apply_pattern(table, pattern, path) for table, pattern, path in zip(tables, patterns, pair, strict=True)
    ]
    case = judge_difference(hidden[0], hidden[1], rules, names=names)
    finding = run_audit(case, whole=whole, seconds=seconds)
    unsafe = int((finding.table.primary & finding.system.derived).sum())
    head = (
        f"{len(finding.hidden)} suppressed, {len(finding.disclosed)} disclosed exactly, "
        f"{unsafe} unsafe differences, {len(finding.audit.narrow)} too narrow"
    )
    answer = Answer(
        keys={**describe_finding(finding), "differences": unsafe},
        words="\n".join([head, *list_faults(finding)]),
        good=finding.safe,
    )
    if story.asked and not finding.audit.unsettled.size:
        chosen = [repr(each) for each in rules.choose(counts=True)]
        origin = Provenance(
            name="table audit-difference",
            parameters={"dims": dims, "rules": chosen, "integer": whole} | how.form.options,
            inputs={path.name: digest_file(path) for path in (*pair, *patterns)},
        )
        answer = add_story(answer, tell_finding(finding, names), story, origin)
    answer.deliver(as_json=as_json)


def _read_pair(pair: tuple[Path, Path], dims: str, count: str, codes: CodeOptions, csv: CsvOptions) -> Reading:
    if pair[0].name == pair[1].name:
        raise ParameterError("SMALLER", "have another name than the larger's file", pair[1].name)
    return read_columns(dims, ColumnOptions(count=count), read_form(codes, csv))
