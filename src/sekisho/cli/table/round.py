"""``sekisho table round``: a table of counts shown as multiples that add up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, Verbose
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.options import (
    Apriori,
    CodeOptions,
    ColumnOptions,
    CsvOptions,
    Microdata,
    MicroOptions,
    OwnDims,
    RuleOptions,
)
from sekisho.cli.table.stated import Alone, Proof, Seconds, TableFile, TableQuestion
from sekisho.gate.tables.search import USUAL_SECONDS
from sekisho.tables.methods.rounding import RoundMethod
from sekisho.tables.round.rounding import Objective
from sekisho.tables.round.small_counts import Norm
from sekisho.words import Said

BASE = 5


@expand_options
def round_cells(
    source: TableFile,
    *,
    dims: OwnDims = "",
    out: Annotated[Path, typer.Option("--out", help="The rounded table to write, with what each number says.")],
    public: Alone = None,
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
    seconds: Seconds = USUAL_SECONDS,
    csv: CsvOptions,
    proof: Proof = None,
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
    rounder = RoundMethod(base=base, steps=steps, objective=objective, norm=norm, seconds=seconds or None)
    question = TableQuestion(
        source=source,
        dims=dims,
        columns=columns,
        rules=asked,
        codes=codes,
        csv=csv,
        apriori=apriori,
        microdata=microdata,
        micro=micro,
        out=out,
        public=public,
        proof=proof,
    )
    question.answer(
        "round",
        rounder,
        doing=Said("rounding"),
        explain=rounder.describe_conflict,
        as_json=as_json,
        verbose=verbose,
    )
