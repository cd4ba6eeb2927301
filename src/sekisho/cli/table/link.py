"""``sekisho table link``: suppress several linked tables at once.

``table audit-linked``: what their patterns together give away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, Verbose
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.describe import (
    add_story,
    answer_infeasible,
    describe_finding,
    describe_joint,
    describe_suppression,
    list_faults,
    tell_finding,
    tell_suppression,
)
from sekisho.cli.table.judged import choose_insiders, judge_account, judge_marked, judge_read
from sekisho.cli.table.options import (
    AuditOptions,
    CodeOptions,
    ColumnOptions,
    Cost,
    CsvOptions,
    Dims,
    EachPattern,
    Margins,
    PatternFolder,
    PublicFolder,
    RuleOptions,
    SearchOptions,
    StoryOptions,
    UseJoint,
    code_files,
    read_aloud,
    read_columns,
    read_form,
    say_notices,
    split_names,
)
from sekisho.cli.table.run import certify, guard_aloud, read_rules_aloud, read_search, run_audit, run_optimiser
from sekisho.cli.table.written import PatternFiles, read_public
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import InfeasibleError, InputError, MissingColumnsError, ParameterError
from sekisho.gate.account.tables import account_patterns
from sekisho.gate.tables.finding import review_system
from sekisho.gate.tables.search import MarginCare
from sekisho.gate.tables.system import judge_linked, link_tables
from sekisho.provenance import Provenance, digest_file
from sekisho.tables.files.source import CellSource, TableRead
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import Price, write_rule
from sekisho.words import Said, join_words

Sources = Annotated[list[Path], typer.Argument(metavar="FILE…", help="Tables of one population, as CSV or Parquet.")]


@expand_options
def link(
    sources: Sources,
    *,
    dims: Dims,
    out: PatternFolder,
    published: PublicFolder,
    columns: ColumnOptions,
    asked: RuleOptions,
    cost: Cost = Price.ONE,
    margins: Margins = MarginCare.KEEP,
    codes: CodeOptions,
    use_joint: UseJoint = None,
    search: SearchOptions,
    csv: CsvOptions,
    story: StoryOptions,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Suppress linked tables together, as one system in which a shared cell is one cell.

    Each file has those of the dimensions --dims that are among its columns. The patterns are written under the files'
    names, beside them linked.certificate.json, which holds true values. Tables that form a cycle (region x job, region
    x age, job x age) are protected against whoever uses that the joint table has no cell below 0 as well; where it is
    too large for that, the answer names the limit and the status is 3.

    Example: `sekisho table link jobs.csv ages.csv --dims region,job,age --count n --out patterns`
    """
    proof = out / "linked.certificate.json"
    targets = PatternFiles(sources=tuple(sources), folder=out, certificate=proof, public=read_public(published))
    targets.check(codes, story.report)
    files = read_linked(sources, dims, columns, codes, csv)
    counts, looking = bool(columns.count), read_search(search, margins)
    rules = read_rules_aloud(asked, counts=counts, cost=cost)
    reads = files.read_files()
    marked = [rules.mark(read.table, counts=counts) for read in reads]
    system = link_tables([guard_aloud(table, rules.width) for table in marked], joint=use_joint)
    judged = judge_marked(reads, marked, rules, counts=counts)
    looking = replace(looking, insiders=choose_insiders(search.insiders, judged, system.table))
    covered = describe_joint(system.table.joint)
    try:
        suppression = run_optimiser(system.table, looking)
    except InfeasibleError as error:
        keys = {"cells": system.table.own, "primary": int(system.table.primary.sum()), **covered}
        answer_infeasible(error, keys).deliver(as_json=as_json)
    origin = Provenance(
        name="table link",
        parameters={
            "dims": dims,
            "rules": [write_rule(each) for each in rules.choose(counts=counts)],
            "cost": cost.value,
            "margins": margins.value,
            "width": rules.width,
            "insiders": looking.insiders,
            "joint": system.table.joint.cover.value,
        }
        | files.form.options,
        inputs={path.name: digest_file(path) for path in (*sources, *code_files(codes))},
    )
    certified = certify(looking, suppression, origin, partial(targets.list_files, system, value=files.value))
    suppression, sealed = certified.answer, certified.sealed
    keys = {**describe_suppression(suppression), **covered}
    reviewed = review_system(system, certified, judged=judged)
    answer = targets.answer(reviewed, keys, files.value)
    system_story = (
        tell_suppression(system, suppression, sealed, [path.name for path in sources]) if story.asked else None
    )
    add_story(answer, system_story, story, origin).deliver(as_json=as_json, verbose=verbose or story.explain)


@expand_options
def audit_linked(
    sources: Sources,
    *,
    patterns: EachPattern,
    dims: Dims,
    columns: ColumnOptions,
    asked: RuleOptions,
    codes: CodeOptions,
    use_joint: UseJoint = None,
    audit: AuditOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Tell what an attacker who reads all the tables can place each suppressed cell in.

    Where the tables form a cycle he uses that the joint table has no cell below 0; if it is too large for that, the
    answer names the limit, and nothing found is status 3.

    Example: `sekisho table audit-linked jobs.csv ages.csv --pattern pj.csv --pattern pa.csv --dims region,job,age
    --count n`
    """
    if len(patterns) != len(sources):
        raise ParameterError(
            "pattern", Said("be given once for each of the {sources} files", sources=len(sources)), len(patterns)
        )
    check_paths(reads=[*sources, *patterns, *code_files(codes)], writes={"--report": story.report})
    files = read_linked(sources, dims, columns, codes, csv)
    counts = bool(columns.count)
    rules = read_rules_aloud(asked, counts=counts)
    reads = files.read_files()
    case = judge_linked(files.apply_patterns(reads, patterns), rules, counts=counts, joint=use_joint)
    judged = [
        judge_read(read, part, rules, counts=counts)
        for read, part in zip(reads, case.system.mark_parts(case.system.table), strict=True)
    ]
    finding = run_audit(case, audit, insiders=choose_insiders(audit.insiders, judged, case.system.table))
    account = account_patterns(judged, finding.table, insiders=finding.coalition, audited=finding.safe)
    joint = finding.table.joint
    head = Said(
        "{hidden} suppressed everywhere, {disclosed} disclosed exactly, {narrow} primaries too "
        "narrow, {shown} unsafe cells shown by a table",
        hidden=len(finding.hidden),
        disclosed=len(finding.disclosed),
        narrow=len(finding.audit.narrow),
        shown=len(case.shown),
    )
    answer = Answer(
        keys={**describe_finding(finding), **describe_joint(joint), **account.as_dict()},
        words=join_words([head, account.describe(), *list_faults(finding)], "\n"),
    ).judged(judge_account(account, finding.reasons))
    if story.asked and not finding.audit.unsettled.size:
        origin = Provenance(
            name="table audit-linked",
            parameters={
                "dims": dims,
                "width": rules.width,
                "rules": [write_rule(each) for each in rules.choose(counts=counts)] if rules.stated else [],
                "integer": audit.whole,
                "insiders": finding.coalition,
                "joint": joint.cover.value,
            }
            | files.form.options,
            inputs={path.name: digest_file(path) for path in (*sources, *patterns)},
        )
        answer = add_story(answer, tell_finding(finding, [path.name for path in sources]), story, origin)
    answer.deliver(as_json=as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFiles:
    """Several files and how each is read: its dimensions are those of the given names that it has."""

    sources: tuple[Path, ...]
    readings: tuple[CellSource, ...]
    form: TableForm

    @property
    def value(self) -> str:
        """The column of the values."""
        return self.readings[0].value

    def read_files(self) -> list[TableRead]:
        """Return the tables, having said on stderr how each was read."""
        reads = [how.read_table(source) for how, source in zip(self.readings, self.sources, strict=True)]
        for read in reads:
            say_notices(read.notices)
        return reads

    def apply_patterns(self, reads: Sequence[TableRead], patterns: Sequence[Path]) -> list[Table]:
        """Return the tables, each suppressed as its pattern says."""
        return [
            read_aloud(how.apply_pattern(read.table, pattern))
            for how, read, pattern in zip(self.readings, reads, patterns, strict=True)
        ]


def read_linked(
    sources: Sequence[Path], dims: str, columns: ColumnOptions, codes: CodeOptions, csv: CsvOptions
) -> LinkedFiles:
    """Return how to read several files: each has its own of the dimensions, with their trees and groupings.

    Raises:
        ParameterError: fewer than two files, two of one name, or a tree or grouping of a dimension that is not named.
        InputError: a file has none of the dimensions.
    """
    names = [source.name for source in sources]
    if len(set(names)) != len(names) or len(names) < 2:
        raise ParameterError("FILE", Said("be at least two files of different names"), ", ".join(names))
    asked, form = split_names(dims), read_form(codes, csv)
    form.refuse_strange(asked)
    readings: list[CellSource] = []
    columns_by_file = {source: form.list_columns(source) for source in sources}
    known = dict.fromkeys(name for names in columns_by_file.values() for name in names)
    strange = [each.column for each in form.kinds if each.column not in known]
    if strange:
        raise MissingColumnsError(", ".join(names), strange, known)
    for source, held in columns_by_file.items():
        own = [name for name in asked if name in held]
        if not own:
            raise InputError(source, Said("has none of the dimensions {asked}", asked=", ".join(asked)))
        readings.append(read_columns(",".join(own), columns, form.only(own, held)))
    return LinkedFiles(sources=tuple(sources), readings=tuple(readings), form=form)
