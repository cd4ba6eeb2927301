"""``sekisho table``: suppress cells at the least cost, audit any pattern, verify a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.kit.answer import Answer, AsJson, Verbose, say
from sekisho.cli.kit.choices import TYPER
from sekisho.cli.kit.options import LargeOptions, expand_options
from sekisho.cli.table.convert import convert
from sekisho.cli.table.describe import (
    add_story,
    answer_infeasible,
    describe_finding,
    list_faults,
    tell_finding,
    tell_suppression,
)
from sekisho.cli.table.difference import audit_difference, difference
from sekisho.cli.table.judged import choose_insiders, judge_account, judge_read
from sekisho.cli.table.link import audit_linked, link
from sekisho.cli.table.options import (
    Apriori,
    AuditOptions,
    CodeOptions,
    ColumnOptions,
    Contributor,
    Cost,
    CsvOptions,
    Dims,
    HiddenMark,
    Margins,
    Microdata,
    MicroOptions,
    OwnDims,
    PublicFile,
    RuleOptions,
    SampleWeight,
    SearchOptions,
    StoryOptions,
    Summed,
    code_files,
    read_aloud,
    read_columns,
    read_form,
    read_records,
    say_notices,
    tabulate_aloud,
)
from sekisho.cli.table.reconstruct import reconstruct
from sekisho.cli.table.run import (
    read_rules,
    read_rules_aloud,
    read_search,
    run_audit,
    say_bare,
    watch_search,
)
from sekisho.cli.table.said import SaidOptions, answer_said, refuse_beside_said
from sekisho.cli.table.stated import adjust, perturb, publish_intervals, round_cells
from sekisho.cli.table.table_file import TableCommand
from sekisho.cli.table.verify_certificate import verify
from sekisho.cli.table.written import WrittenTable, read_public
from sekisho.data.engines.engine import digest_inputs
from sekisho.data.files.plain_table import frame_bytes
from sekisho.data.files.whole_files import check_paths, path_beside
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.account.tables import account_patterns
from sekisho.gate.outcome import Verdict
from sekisho.gate.tables.search import MarginCare
from sekisho.gate.tables.system import LACK, judge_published, judge_table, wrap_table
from sekisho.provenance import Provenance, digest_file
from sekisho.seeds import Seed
from sekisho.tables.files.records import COUNT
from sekisho.tables.files.row_unit import RowUnit
from sekisho.tables.files.source import CellSource
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.table_rules import Price, write_rule
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # the gate, which few verbs of tables need
    from sekisho.gate.tables.stage import TableStage

app = typer.Typer(no_args_is_help=True, help="Cell suppression: optimal, audited, with a certificate.", **TYPER)
app.command("link", cls=TableCommand)(link)
app.command("audit-linked", cls=TableCommand)(audit_linked)
app.command("difference", cls=TableCommand)(difference)
app.command("audit-difference", cls=TableCommand)(audit_difference)
app.command("convert", cls=TableCommand)(convert)
app.command("round", cls=TableCommand)(round_cells)
app.command("perturb", cls=TableCommand)(perturb)
app.command("reconstruct")(reconstruct)
app.command("verify")(verify)
app.command("intervals", cls=TableCommand)(publish_intervals)
app.command("adjust", cls=TableCommand)(adjust)

FREQUENCY = "frequency"
SUPPRESSED = "suppressed"

CellsFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The cells: CSV or Parquet, inner cells or all; or a .tab or .jj file.")
]


@app.command("tabulate", cls=TableCommand)
@expand_options
def tabulate(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Microdata: CSV or Parquet, a row per record.")],
    *,
    dims: Dims,
    out: Annotated[Path, typer.Option("--out", help="The file of cells to write.")],
    value: Summed = "",
    contributor: Contributor = "",
    weight: SampleWeight = "",
    places: Annotated[int, typer.Option("--places", min=1, help="How many of the largest contributions to keep.")] = 3,
    codes: CodeOptions,
    csv: CsvOptions,
    large: LargeOptions,
    as_json: AsJson = False,
) -> None:
    """Tabulate microdata: every cell, margins included, with its frequency and its largest contributions.

    The file is confidential: it holds what suppression is to hide. Go on with `table suppress OUT --value V
    --contributors frequency,x1,x2,x3`.

    Example: `sekisho table tabulate firms.csv --dims region,industry --value turnover --contributor firm --out
    cells.csv`
    """
    check_paths(reads=[source, *code_files(codes)], writes={"--out": out})
    columns_read = MicroOptions(contributor=contributor, weight=weight)
    micro = read_records(dims, value, columns_read, read_form(codes, csv), places=places)
    engine = large.choose()
    read = tabulate_aloud(micro, source, engine)
    table, unit = read.table, read.unit or RowUnit()
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    columns.append(pl.Series(micro.named, table.value.astype(np.int64) if table.whole else table.value))
    columns.append(pl.Series(FREQUENCY, table.frequency))
    if value:
        columns += [pl.Series(f"x{place + 1}", table.largest[:, place]) for place in range(places)]
    keys = {"cells": len(table), "total": float(table.value[0]), "out": str(out), "unit": unit.as_dict()}
    keys |= {} if engine is None else {"engine": engine.engine.value}
    files = {out: frame_bytes(pl.DataFrame(columns), out)}
    written = Said("{table:,} cells written to {out}", table=len(table), out=out)
    words = join_words([written, unit.describe()], "\n")
    doubts = unit.list_doubts()
    for doubt in doubts:
        say(Said("{source}: {reason}", source=source, reason=doubt))
    answer = Answer(keys=keys | ({"review": doubts} if doubts else {}), words=words, files=files)
    answer.judged(Verdict.REVIEW if doubts else Verdict.RELEASE).deliver(as_json=as_json)


@app.command("suppress", cls=TableCommand)
@expand_options
def suppress(
    source: CellsFile,
    *,
    dims: OwnDims = "",
    out: Annotated[Path, typer.Option("--out", help="The pattern file to write.")],
    published: PublicFile,
    columns: ColumnOptions,
    asked: RuleOptions,
    cost: Cost = Price.ONE,
    margins: Margins = MarginCare.KEEP,
    codes: CodeOptions,
    earlier: Annotated[Path | None, typer.Option("--frozen", help="An earlier pattern that stays in force.")] = None,
    apriori: Apriori = None,
    microdata: Microdata = False,
    micro: MicroOptions,
    search: SearchOptions,
    csv: CsvOptions,
    story: StoryOptions,
    large: LargeOptions,
    proof: Annotated[Path | None, typer.Option("--certificate", help="Where to write the certificate.")] = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Suppress unsafe cells and the fewest others that protect them; write the pattern and its certificate.

    The fewest, or the cheapest, are those among the patterns that show the margins that are kept (--margins), show what
    must be published and hide what was hidden before (--frozen): the answer says which (among).

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table. The pattern tells
    unsafe cells from those that hide them; what --public writes does not.

    Example: `sekisho table suppress t.csv --dims v1,v2 --count n --min-count 5 --width 10 --out p.csv`
    """
    from sekisho.gate.tables.reading import RecipeTable  # the gate, which no other verb of tables needs
    from sekisho.gate.tables.recipe import TableRecipe
    from sekisho.journey.candidates import review_one

    beside, public = proof or path_beside(out, ".certificate.json"), read_public(published)
    read_too = [source, *code_files(codes), *(path for path in (apriori, earlier) if path is not None)]
    writes = {"--out": out, "--public": public.place, "--certificate": beside, "--report": story.report}
    check_paths(reads=read_too, writes=writes)
    form, looking = read_form(codes, csv), read_search(search, margins)
    counted = replace(columns, count=COUNT) if microdata and not columns.value else columns
    how = read_columns(dims, counted, form, source=source)
    records = read_records(dims, columns.value, micro, form)
    if not microdata:
        large.refuse_engines(Said("be given with --microdata: cells are few"))
    engine = large.choose()
    file = tabulate_aloud(records, source, engine) if microdata else how.read_table(source)
    table = file.table if microdata else read_aloud(file)
    rules = read_rules_aloud(asked, counts=how.counts, cost=cost)
    recipe = TableRecipe(
        rules=rules,
        searches={looking.solver: looking},
        insiders=search.insiders,
        apriori=apriori,
        frozen=earlier,
    )
    read = RecipeTable(table=table, source=how, unit=file.unit, marks=file.marks)
    say_notices(() if earlier is None else how.notice_changes(table, earlier))
    say_bare(read.mark(recipe), rules.width)
    stage = read.make_stage(recipe)
    origin = _describe_origin(stage, dims, margins, form, read_too)
    places = WrittenTable(pattern=out, public=public, value=how.value)
    stage = replace(stage, origin=origin, apply=partial(watch_search, write=places.list_files))
    try:
        candidate = review_one(stage, seed=Seed(0))  # no chance plays a part
    except InfeasibleError as error:
        flagged = read.flag(recipe)
        figures = {"cells": len(table), "primary": int(flagged.primary.sum())}
        answer_infeasible(error, figures, why=_say_shown(flagged)).deliver(as_json=as_json)
    suppression, sealed = candidate.release.take_search()
    answer = places.answer(candidate, source, beside)
    system_story = tell_suppression(wrap_table(suppression.table), suppression, sealed) if story.asked else None
    add_story(answer, system_story, story, origin).deliver(as_json=as_json, verbose=verbose or story.explain)


@app.command("audit", cls=TableCommand)
@expand_options
def audit_pattern(
    source: CellsFile,
    *,
    dims: OwnDims = "",
    pattern: Annotated[
        Path | None,
        typer.Option("--pattern", help="The pattern: CSV, Parquet, .tab or .jj; if not given, FILE's own statuses."),
    ] = None,
    mark: HiddenMark = None,
    release: SaidOptions,
    columns: ColumnOptions,
    asked: RuleOptions,
    codes: CodeOptions,
    audit: AuditOptions,
    csv: CsvOptions,
    story: StoryOptions,
    as_json: AsJson = False,
) -> None:
    """Tell the interval in which an attacker can place each suppressed cell of any pattern.

    Without rules the cells that the pattern calls primary need the width (10 for counts) or the levels that their .tab
    or .jj file tells. With rules (--rule, --min-count) the rules say what is unsafe and how far an attacker must stay,
    and what the pattern shows against them is told too; for counts a minimum frequency of 5 is then one of them. An
    audit cut short, by --time or by an interruption, tells what is certain, calls no pattern safe and writes no page.

    A published FILE, with a mark where a value is hidden, needs no pattern: the answer tells what an outsider makes of
    it, and is no if he derives a cell exactly, or finds one closer than --width. Rules, insiders and pages need the
    true values.

    A release that was rounded, perturbed or given as intervals, by any program, is audited with --said, which tells how
    its numbers came about: the answer tells what a reader who knows that (and, with --knows, that the change is least)
    can conclude of every cell, and is no if he knows one exactly, finds one closer than --width, or no table agrees.

    Example: `sekisho table audit t.csv --pattern p.csv --dims v1,v2 --count n --width 10`
    """
    check_paths(reads=[source, pattern, release.released, *code_files(codes)], writes={"--report": story.report})
    how = read_columns(dims, columns, read_form(codes, csv), source=source, guess=not release.said)
    if release.said:
        refuse_beside_said(pattern=pattern, mark=mark, story=story)
        answer_said(how, source, release, asked, audit).deliver(as_json=as_json)
    if release.released is not None:
        raise ParameterError("released", Said("be given with --said"), str(release.released))
    published = how.read_published(source, mark) if pattern is None else None
    if published is not None:
        answer_published(how, read_aloud(published), asked, audit, story).deliver(as_json=as_json)
    if mark is not None:
        raise ParameterError(
            "mark", Said("be given with a published table, which hides values and has no pattern"), mark
        )
    rules = read_rules_aloud(asked, counts=how.counts)
    file = how.read_table(source)
    table = read_aloud(file)
    hidden = read_aloud(how.apply_own_pattern(table, source) if pattern is None else how.apply_pattern(table, pattern))
    case = judge_table(hidden, rules, counts=how.counts, flagged=table.primary)
    judged = [judge_read(file, case.system.table, rules, counts=how.counts)]
    finding = run_audit(case, audit, insiders=choose_insiders(audit.insiders, judged, table))
    account = account_patterns(judged, finding.table, insiders=finding.coalition, audited=finding.safe)
    head = Said(
        "{hidden} suppressed, {disclosed} disclosed exactly, {narrow} primaries too narrow",
        hidden=len(finding.hidden),
        disclosed=len(finding.disclosed),
        narrow=len(finding.audit.narrow),
    )
    answer = Answer(
        keys={**describe_finding(finding), **account.as_dict()},
        words=join_words([head, account.describe(), *list_faults(finding)], "\n"),
    ).judged(judge_account(account, finding.reasons))
    if story.asked and not finding.audit.unsettled.size:
        chosen = rules.choose(counts=how.counts) if rules.stated else []
        origin = Provenance(
            name="table audit",
            parameters={
                "dims": dims,
                "width": rules.width,
                "rules": [write_rule(each) for each in chosen],
                "integer": audit.whole,
                "insiders": finding.coalition,
            }
            | how.form.options,
            inputs={path.name: digest_file(path) for path in (source, *([] if pattern is None else [pattern]))},
        )
        answer = add_story(answer, tell_finding(finding), story, origin)
    answer.deliver(as_json=as_json)


def _describe_origin(
    stage: TableStage, dims: str, margins: MarginCare, form: TableForm, reads: Sequence[Path]
) -> Provenance:
    rules = stage.rules
    chosen = rules.choose(counts=bool(stage.counts), flagged=bool(stage.table.primary.any()))
    parameters: dict[str, object] = {
        "dims": dims,
        "rules": [write_rule(each) for each in chosen],
        "cost": rules.cost.value,
        "margins": margins.value,
        "width": rules.width,
        "insiders": stage.considered,
    }
    return Provenance(name="table suppress", parameters=parameters | form.options, inputs=digest_inputs(reads))


def _say_shown(table: Table) -> str:
    """Say how many cells are shown whatever happens: that may be why nothing helps."""
    count = int((table.status == Status.PUBLISH).sum())
    if not count:
        return ""
    return Said(" ({count} cells must be shown: by the earlier publication or the a-priori file)", count=count)


def answer_published(
    how: CellSource, table: Table, asked: RuleOptions, audit: AuditOptions, story: StoryOptions
) -> Answer:
    """Return what an outsider finds of the hidden cells of a published table."""
    if story.asked:
        raise ParameterError("report", Said("not be asked of a published table"), "--report or --explain", hint=LACK)
    told = bool(table.primary.any())
    case = judge_published(table, read_rules(asked), counts=how.counts, insiders=audit.insiders or 0)
    finding = run_audit(case, audit, insiders=0)
    keys = describe_finding(finding)
    if not told:
        keys["cells"] = [{**cell, "status": SUPPRESSED} for cell in _list_cells(keys)]
    keys["published"] = True
    hidden, disclosed = len(finding.hidden), len(finding.disclosed)
    head = (
        Said(
            "{hidden} suppressed, {disclosed} disclosed exactly, {narrow} closer than the width",
            hidden=hidden,
            disclosed=disclosed,
            narrow=len(finding.audit.narrow),
        )
        if finding.table.primary.any()
        else Said("{hidden} suppressed, {disclosed} disclosed exactly", hidden=hidden, disclosed=disclosed)
    )
    return Answer(keys=keys, words=join_words([head, *list_faults(finding)], "\n")).judged(finding.verdict)


def _list_cells(keys: dict[str, object]) -> list[dict[str, object]]:
    cells = keys["cells"]
    return [dict(cell) for cell in cells] if isinstance(cells, list) else []
