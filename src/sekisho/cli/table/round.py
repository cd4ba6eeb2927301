"""``sekisho table round``: a table of counts shown as multiples that add up."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, Verbose
from sekisho.cli.kit.options import expand_options
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.table.describe import answer_infeasible
from sekisho.cli.table.options import (
    Apriori,
    CodeOptions,
    ColumnOptions,
    CsvOptions,
    Microdata,
    MicroOptions,
    OwnDims,
    RuleOptions,
    code_files,
    read_aloud,
    read_columns,
    read_form,
    read_records,
)
from sekisho.cli.table.run import read_rules_aloud
from sekisho.cli.table.shown import WrittenShown
from sekisho.data.engines.engine import digest_inputs
from sekisho.data.files.whole_files import check_paths, path_beside
from sekisho.errors import InfeasibleError
from sekisho.gate.tables.search import USUAL_SECONDS
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed
from sekisho.tables.files.records import COUNT
from sekisho.tables.methods.rounding import RoundMethod
from sekisho.tables.model.table import Table
from sekisho.tables.round.rounding import Objective
from sekisho.tables.round.small_counts import Norm
from sekisho.words import Said

BASE = 5


@expand_options
def round_cells(
    source: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The cells: CSV or Parquet, inner cells or all; or a .tab or .jj file."),
    ],
    *,
    dims: OwnDims = "",
    out: Annotated[Path, typer.Option("--out", help="The rounded table to write, with what each number says.")],
    public: Annotated[
        Path | None, typer.Option("--public", help="Write the table as it may be published: the numbers alone.")
    ] = None,
    columns: ColumnOptions,
    base: Annotated[int, typer.Option("--base", help="Of which cells are shown as multiples; at least 2.")] = BASE,
    steps: Annotated[
        int, typer.Option("--steps", help="How many multiples further than its two neighbours a cell may go.")
    ] = 0,
    objective: Annotated[
        Objective,
        typer.Option(
            "--objective",
            help="least: the least change, proven; unbiased: up with chance rest over base; small: only inner counts "
            "below the base.",
        ),
    ] = Objective.LEAST,
    norm: Annotated[
        Norm,
        typer.Option(
            "--norm",
            help="What small makes least: the sum over all cells or over margins, or the greatest change of a margin.",
        ),
    ] = Norm.ALL,
    asked: RuleOptions,
    codes: CodeOptions,
    apriori: Apriori = None,
    microdata: Microdata = False,
    micro: MicroOptions,
    seconds: Annotated[
        float, typer.Option("--time", help="Seconds after which the best so far is taken; 0 for no limit.")
    ] = USUAL_SECONDS,
    csv: CsvOptions,
    proof: Annotated[Path | None, typer.Option("--certificate", help="Where to write the certificate.")] = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Round a table of counts: every cell a multiple of a base, all of them adding up, the change the least there is.

    What a reader concludes of a cell is what its own number says, and no more: the answer tells against whom that is
    promised (against). With --width it is no if an unsafe cell is closer than that. If no table of such multiples adds
    up, the answer names equations that conflict and the fewest steps that help.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table round t.csv --dims v1,v2 --count n --base 5 --out r.csv`
    """
    from sekisho.gate.tables.reading import RecipeTable  # the gate, which few verbs of tables need
    from sekisho.gate.tables.recipe import TableRecipe
    from sekisho.gate.tables.stated import make_stated
    from sekisho.journey.candidates import review_one

    beside = proof or path_beside(out, ".certificate.json")
    reads = [source, *code_files(codes), *([] if apriori is None else [apriori])]
    check_paths(reads=reads, writes={"--out": out, "--public": public, "--certificate": beside})
    rounder = RoundMethod(base=base, steps=steps, objective=objective, norm=norm, seconds=seconds or None)
    form = read_form(codes, csv)
    counted = replace(columns, count=COUNT) if microdata and not columns.value else columns
    how = read_columns(dims, counted, form, source=source)
    records = read_records(dims, columns.value, micro, form)
    table: Table = read_aloud(records.read_table(source) if microdata else how.read_table(source))
    rules = read_rules_aloud(asked, counts=how.counts)
    recipe = TableRecipe(rules=rules, searches={}, methods={"round": rounder}, apriori=apriori)
    read = RecipeTable(table=table, source=how)
    parameters = {"dims": dims, "width": rules.width} | list_parameters(rounder) | form.options
    origin = Provenance(name="table round", parameters=parameters, inputs=digest_inputs(reads))
    places = WrittenShown(out=out, public=public, value=how.value)
    apply = partial(make_stated, write=places.list_files)
    stage = replace(read.make_stage(recipe), origin=origin, apply_method=apply)
    try:
        with show_progress(Said("rounding")):
            candidate = review_one(stage, seed=Seed(0))  # chance, if any, is the operating system's
    except InfeasibleError as error:
        answer_infeasible(error, {"cells": len(table)} | rounder.describe_conflict(table)).deliver(as_json=as_json)
    places.answer(candidate, source, beside).deliver(as_json=as_json, verbose=verbose)
