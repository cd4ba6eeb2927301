"""``sekisho table difference``: suppress populations' tables so that subtracting them tells nothing.

And the audit of such tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.kit.answer import Answer, AsJson, Verbose
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.describe import (
    add_story,
    answer_infeasible,
    describe_finding,
    describe_suppression,
    list_faults,
    tell_finding,
    tell_suppression,
)
from sekisho.cli.table.judged import choose_insiders, judge_account, judge_marked
from sekisho.cli.table.options import (
    AuditOptions,
    CodeOptions,
    ColumnOptions,
    CsvOptions,
    Dims,
    EachPattern,
    Microdata,
    MicroOptions,
    PatternFolder,
    PopulationOptions,
    PublicFolder,
    RuleOptions,
    SearchOptions,
    StoryOptions,
    code_files,
    read_aloud,
    read_columns,
    read_form,
    read_records,
    say_notices,
    split_names,
)
from sekisho.cli.table.run import certify, read_rules, read_search, run_audit, run_optimiser
from sekisho.cli.table.written import PatternFiles, read_public
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.account.tables import JudgedTable, account_patterns
from sekisho.gate.tables.differences import (
    cover_turnovers,
    judge_populations,
    list_few_reasons,
    refuse_few,
    subtract_populations,
)
from sekisho.gate.tables.finding import review_system
from sekisho.gate.tables.system import TableSystem
from sekisho.provenance import Provenance, digest_file
from sekisho.tables.files.records import COUNT, RecordSource, notice_unit
from sekisho.tables.files.source import CellSource, TableRead
from sekisho.tables.model.linked.difference_contributors import subtract_records
from sekisho.tables.model.linked.populations import Populations, declare_populations
from sekisho.tables.model.linked.turnover import Turnover
from sekisho.tables.model.table import Status, Table
from sekisho.tables.model.tabulate import Tabulation
from sekisho.tables.rules.table_rules import TableRules, write_rule
from sekisho.words import Said, join_words

Sources = Annotated[
    list[Path],
    typer.Argument(metavar="FILE…", help="A population, then its parts: the same cells of each, as CSV or Parquet."),
]


@expand_options
def difference(
    sources: Sources,
    *,
    dims: Dims,
    columns: ColumnOptions,
    declared: PopulationOptions,
    out: PatternFolder,
    published: PublicFolder,
    asked: RuleOptions,
    codes: CodeOptions,
    microdata: Microdata = False,
    micro: MicroOptions,
    search: SearchOptions,
    csv: CsvOptions,
    story: StoryOptions,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Suppress the tables of a population and of parts of it together, so that their differences are safe too.

    Whoever reads the tables subtracts them: all less the adults are the children. Each difference falls under the same
    rules. Without --within and --split each file is a part of the one before it. The patterns are written under the
    files' names, beside them difference.certificate.json, which holds true values.

    Example: `sekisho table difference all.csv adults.csv --dims region,job --count n --out patterns`
    """
    proof = out / "difference.certificate.json"
    targets = PatternFiles(sources=tuple(sources), folder=out, certificate=proof, public=read_public(published))
    targets.check(codes, story.report)
    files = _read_files(sources, dims, columns, codes, csv, declared, micro if microdata else _no_records(micro))
    counts, looking = files.how.counts, read_search(search)
    rules = read_rules(asked).of_differences(counts=counts)
    read = files.read()
    populations, surveyed = read.populations, read.surveyed
    system = subtract_populations(populations, rules, counts=counts, surveyed=surveyed)
    judged = read.judge(system.parts, rules, counts=counts)
    looking = replace(looking, insiders=choose_insiders(search.insiders, judged, system.table))
    unsafe = {"differences": int(system.table.primary[system.derived].sum()), **_describe_formed(populations, system)}
    try:
        refuse_few(populations, rules)
        suppression = run_optimiser(system.table, looking)
    except InfeasibleError as error:
        answer_infeasible(error, unsafe).deliver(as_json=as_json)
    origin = Provenance(
        name="table difference",
        parameters={
            "dims": dims,
            "rules": [write_rule(each) for each in rules.choose(counts=counts)],
            "insiders": looking.insiders,
            "differences": [each.name for each in populations.differences],
            **({} if system.basis is None else {"basis": system.basis.value}),
        }
        | files.how.form.options,
        inputs={path.name: digest_file(path) for path in (*sources, *code_files(codes))},
    )
    certified = certify(looking, suppression, origin, partial(targets.list_files, system, value=files.how.value))
    suppression, sealed = certified.answer, certified.sealed
    reviewed = review_system(system, certified, judged=judged, further=[cover_turnovers(populations)])
    own = {
        "cells": sum(map(len, reviewed.parts)),
        "primary": sum(int(part.primary.sum()) for part in reviewed.parts),
        "secondary": sum(int((part.status == Status.SECONDARY).sum()) for part in reviewed.parts),
    }
    answer = targets.answer(reviewed, {**unsafe, **describe_suppression(suppression), **own}, files.how.value)
    system_story = tell_suppression(system, suppression, sealed, files.names) if story.asked else None
    add_story(answer, system_story, story, origin).deliver(as_json=as_json, verbose=verbose or story.explain)


@expand_options
def audit_difference(
    sources: Sources,
    *,
    patterns: EachPattern,
    dims: Dims,
    columns: ColumnOptions,
    declared: PopulationOptions,
    asked: RuleOptions,
    codes: CodeOptions,
    microdata: Microdata = False,
    micro: MicroOptions,
    audit: AuditOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Tell what several populations' patterns give away to whoever subtracts them.

    The unsafe differences are those of few people, and those in which the rules find a contributor told too closely.
    An unsafe cell that a pattern shows is named too.

    Example: `sekisho table audit-difference all.csv adults.csv --pattern pa.csv --pattern pb.csv --dims region,job
    --count n`
    """
    if len(patterns) != len(sources):
        raise ParameterError(
            "pattern", Said("be given once for each of the {sources} files", sources=len(sources)), len(patterns)
        )
    check_paths(reads=[*sources, *patterns, *code_files(codes)], writes={"--report": story.report})
    files = _read_files(sources, dims, columns, codes, csv, declared, micro if microdata else _no_records(micro))
    counts = files.how.counts
    rules = read_rules(asked).of_differences(counts=counts)
    read = files.read()
    populations, surveyed = read.populations, read.surveyed
    hidden = files.apply_patterns(populations, patterns)
    case = judge_populations(hidden, rules, counts=counts, surveyed=surveyed)
    judged = read.judge(case.system.mark_parts(case.system.table), rules, counts=counts)
    finding = run_audit(case, audit, insiders=choose_insiders(audit.insiders, judged, case.system.table))
    further = [cover_turnovers(populations)]
    account = account_patterns(judged, finding.table, insiders=finding.coalition, audited=finding.safe, further=further)
    unsafe = int((finding.table.primary & finding.system.derived).sum())
    formed = _describe_formed(populations, finding.system)
    head = Said(
        "{hidden} suppressed, {disclosed} disclosed exactly, {unsafe} unsafe differences, {narrow} too narrow",
        hidden=len(finding.hidden),
        disclosed=len(finding.disclosed),
        unsafe=unsafe,
        narrow=len(finding.audit.narrow),
    )
    condition = (
        [Said("promised if {promised_if}", promised_if=formed["promised_if"])] if "promised_if" in formed else []
    )
    answer = Answer(
        keys={**describe_finding(finding), "differences": unsafe, **formed, **account.as_dict()},
        words=join_words([head, account.describe(), *condition, *list_faults(finding)], "\n"),
    ).judged(judge_account(account, [*finding.reasons, *list_few_reasons(populations, rules)]))
    if story.asked and not finding.audit.unsettled.size:
        chosen = [write_rule(each) for each in rules.choose(counts=counts)]
        origin = Provenance(
            name="table audit-difference",
            parameters={"dims": dims, "rules": chosen, "integer": audit.whole, "insiders": finding.coalition}
            | files.how.form.options,
            inputs={path.name: digest_file(path) for path in (*sources, *patterns)},
        )
        answer = add_story(answer, tell_finding(finding, files.names), story, origin)
    answer.deliver(as_json=as_json)


def _no_records(micro: MicroOptions) -> None:
    """Refuse what only suits records."""
    if micro != MicroOptions():
        raise ParameterError("microdata", Said("be said where columns of records are named"), repr(micro))


def _read_files(
    sources: list[Path],
    dims: str,
    columns: ColumnOptions,
    codes: CodeOptions,
    csv: CsvOptions,
    declared: PopulationOptions,
    micro: MicroOptions | None,
) -> PopulationFiles:
    form = read_form(codes, csv)
    counted = replace(columns, count=COUNT) if micro is not None and not columns.value else columns
    records = None if micro is None else read_records(dims, columns.value, micro, form)
    how = read_columns(dims, counted, form)
    return PopulationFiles(sources=tuple(sources), how=how, micro=records, declared=declared)


def _describe_formed(populations: Populations, system: TableSystem) -> dict[str, object]:
    cells = np.flatnonzero(system.derived & system.table.primary).tolist()
    unsafe = Counter(system.table.keys[cell][0] for cell in cells)
    return describe_populations(populations, unsafe, "" if system.basis is None else system.basis.condition)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PopulationsRead:
    """Populations whose files were read.

    Attributes:
        populations: their tables.
        reads: each as it was read.
        surveyed: of records the table of each difference by name; None of cells.
    """

    populations: Populations
    reads: tuple[TableRead, ...]
    surveyed: dict[str, Table] | None = None

    def judge(self, parts: Sequence[Table], rules: TableRules, *, counts: bool) -> list[JudgedTable]:
        """Return the tables with what says which of their cells are unsafe."""
        return judge_marked(self.reads, parts, rules, counts=counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationFiles:
    """The files of several populations, the first being the whole that all others are parts of.

    Attributes:
        sources: the files; their names are those of the populations.
        how: how a file of cells is read.
        micro: how a file of records is; None if the files hold cells.
        declared: which is a part of which.
    """

    sources: tuple[Path, ...]
    how: CellSource
    micro: RecordSource | None
    declared: PopulationOptions

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names) or len(self.names) < 2:
            raise ParameterError("FILE", Said("be at least two files of different names"), ", ".join(self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """The populations."""
        return tuple(source.name for source in self.sources)

    def read(self) -> PopulationsRead:
        """Return the populations, and of records the table of each difference by name."""
        if self.micro is None:
            reads = [self.how.read_table(source) for source in self.sources]
            return PopulationsRead(populations=self._declare([read_aloud(read) for read in reads]), reads=tuple(reads))
        form = self.micro.form
        frames: dict[str, pl.DataFrame] = {}
        for path in self.sources:
            frames[path.name], notice = form.read_frame(path, self.micro.numbers)
            say_notices([notice])
        first = frames[self.names[0]]
        unit = self.micro.settle_unit(first)
        say_notices(notice_unit(self.sources[0], unit, self.micro.contributor))
        tabulation = self.micro.take_unit(unit).tabulation(first, self.sources[0])
        tables = [tabulation.table(frames[path.name], source=path) for path in self.sources]
        populations = self._declare(list[Table](tables))
        return PopulationsRead(
            populations=populations,
            reads=tuple(TableRead(table=table, unit=unit) for table in tables),
            surveyed=_survey_differences(populations, frames, tabulation),
        )

    def apply_patterns(self, populations: Populations, patterns: Sequence[Path]) -> Populations:
        """Return the populations, each suppressed as its pattern says."""
        pairs = zip(populations.tables.values(), patterns, strict=True)
        return populations.with_tables([read_aloud(self.how.apply_pattern(*pair)) for pair in pairs])

    def _declare(self, tables: list[Table]) -> Populations:
        pairs = [_split_word(word, "within", "PART=WHOLE") for word in self.declared.within or ()]
        inside: dict[str, str] = {}
        for part, whole in pairs:
            name = self._find(part, "within")
            if name in inside:
                raise ParameterError(
                    "within", Said("name {name} once as a part: which others it lies in follows", name=name), part
                )
            inside[name] = self._find(whole, "within")
        splits: dict[str, tuple[str, ...]] = {}
        for word in self.declared.splits or ():
            whole, parts = _split_word(word, "split", "WHOLE=PART,PART")
            name = self._find(whole, "split")
            if name in splits:
                raise ParameterError("split", Said("be given once for {name}", name=name), word)
            splits[name] = tuple(self._find(part, "split") for part in split_names(parts))
        same = dict(_split_word(word, "same", "LATER=EARLIER") for word in self.declared.same or ())
        return declare_populations(
            dict(zip(self.names, tables, strict=True)),
            within=inside,
            splits=splits,
            same={self._find(later, "same"): self._find(earlier, "same") for later, earlier in same.items()},
            turnovers=[self._read_turnover(word) for word in self.declared.overlaps or ()],
        )

    def _read_turnover(self, word: str) -> Turnover:
        form = "LATER=EARLIER,LEFT,CAME"
        later, rest = _split_word(word, "overlap", form)
        earlier, *numbers = rest.rsplit(",", 2)
        if len(numbers) != 2 or not all(number.strip().isdecimal() for number in numbers):
            raise ParameterError("overlap", Said("be written as {form}", form=form), word)
        left, came = map(int, numbers)
        return Turnover(
            earlier=self._find(earlier, "overlap"), later=self._find(later, "overlap"), left=left, came=came
        )

    def _find(self, word: str, option: str) -> str:
        """Return the population of a file's name, or of its name without the suffix."""
        matches = [path.name for path in self.sources if word in (path.name, path.stem)]
        if word not in self.names and len(matches) != 1:
            raise ParameterError(option, Said("name files: {names}", names=", ".join(self.names)), word)
        return word if word in self.names else matches[0]


def _survey_differences(
    populations: Populations, frames: Mapping[str, pl.DataFrame], tabulation: Tabulation
) -> dict[str, Table]:
    """Return each difference as its records make it; one without records is left out."""
    numbers = [name for name in (tabulation.value, tabulation.weight) if name is not None]
    texts = [name for name in tabulation.columns if name not in numbers]
    surveyed: dict[str, Table] = {}
    for each in populations.differences:

        def take(left: pl.DataFrame, part: str) -> pl.DataFrame:
            return subtract_records(left, frames[part], texts=texts, numbers=numbers, source=part)

        left = reduce(take, each.parts, frames[each.whole])
        if left.height:
            surveyed[each.name] = tabulation.table(left, source=each.name)
    return surveyed


def _split_word(text: str, option: str, form: str) -> tuple[str, str]:
    first, mark, rest = map(str.strip, text.partition("="))
    if not mark or not first or not rest:
        raise ParameterError(option, Said("be written as {form}", form=form), text)
    return first, rest


def describe_populations(populations: Populations, unsafe: Mapping[str, int], condition: str) -> dict[str, object]:
    """Return which differences are formed, how many cells of each are unsafe, and the condition of the promise.

    Who left and who came is known in all only, so no rule judges the cells of these.
    """
    formed = [
        {"name": each.name, "whole": each.whole, "parts": list(each.parts), "unsafe": unsafe.get(each.name, 0)}
        for each in populations.differences
    ]
    unjudged = [name for each in populations.turnovers for name in each.names[1:]]
    return {
        "formed": formed,
        **({"not_judged": unjudged} if unjudged else {}),
        **({"promised_if": condition} if condition else {}),
    }
