"""Commands that publish a table by a method other than hiding cells: rounding, noise by keys, intervals, adjustment.

Each is a recipe of one candidate through the gate: a door that translates what is asked, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

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
from sekisho.cli.table.shown import ShownStory, WrittenShown
from sekisho.data.engines.engine import digest_inputs
from sekisho.data.files.whole_files import check_paths, path_beside
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.tables.search import USUAL_SECONDS
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed
from sekisho.tables.adjust.adjustment import AdjustCost
from sekisho.tables.files.records import COUNT, RecordsRead
from sekisho.tables.methods.adjusting import AdjustMethod
from sekisho.tables.methods.intervals import IntervalMethod
from sekisho.tables.methods.perturbing import PerturbMethod
from sekisho.tables.methods.rounding import RoundMethod
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.method import Additivity
from sekisho.tables.round.rounding import Objective
from sekisho.tables.round.small_counts import Norm
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.tables.methods import TableMethod

BASE = 5
SUM, COLUMN = "sum", "rkey"
"""What asks for keys that add up, and the column of record keys where none is named."""
TableFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="The cells: CSV or Parquet, inner cells or all; or a .tab or .jj file."),
]
Seconds = Annotated[float, typer.Option("--time", help="Seconds after which the best so far is taken; 0 for no limit.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestion:
    """What a command is asked to publish: how the file is read, which cells are unsafe, and where to write."""

    dims: OwnDims = ""
    out: Annotated[Path, typer.Option("--out", help="The table to write, with what each number says.")]
    public: Annotated[
        Path | None, typer.Option("--public", help="Write the table as it may be published: the numbers alone.")
    ] = None
    columns: ColumnOptions
    rules: RuleOptions
    codes: CodeOptions
    apriori: Apriori = None
    microdata: Microdata = False
    micro: MicroOptions
    csv: CsvOptions
    proof: Annotated[Path | None, typer.Option("--certificate", help="Where to write the certificate.")] = None
    story: ShownStory
    verbose: Verbose = False
    as_json: AsJson = False

    def answer(
        self,
        source: Path,
        name: str,
        method: TableMethod,
        *,
        doing: Said,
        explain: Callable[[Table], Mapping[str, object]] | None = None,
        reads: Sequence[Path] = (),
        keeps: Mapping[str, Path] | None = None,
    ) -> NoReturn:
        """Publish a table by a method through the gate, and answer.

        Args:
            source: the file of cells or records.
            name: of the method.
            method: which is asked.
            doing: what is shown while it works.
            explain: what is told where it finds nothing.
            reads: further files that are read.
            keeps: by option a file that is kept: read, or written where there is none.
        """
        from sekisho.gate.tables.reading import RecipeTable  # the gate, which few verbs of tables need
        from sekisho.gate.tables.recipe import TableRecipe
        from sekisho.gate.tables.stated import make_stated
        from sekisho.journey.candidates import review_one

        beside = self.proof or path_beside(self.out, ".certificate.json")
        inputs = [*self._list_reads(source), *reads]
        writes = {"--out": self.out, "--public": self.public, "--certificate": beside, "--report": self.story.report}
        check_paths(reads=inputs, writes={**writes, **(keeps or {})})
        form = read_form(self.codes, self.csv)
        counted = replace(self.columns, count=COUNT) if self.microdata and not self.columns.value else self.columns
        how = read_columns(self.dims, counted, form, source=source)
        records: RecordsRead | None = None
        if self.microdata:
            records = read_records(self.dims, self.columns.value, self.micro, form).read_records(source)
        file = how.read_table(source) if records is None else records.read
        table: Table = read_aloud(file)
        rules = read_rules_aloud(self.rules, counts=how.counts)
        recipe = TableRecipe(rules=rules, searches={}, methods={name: method}, apriori=self.apriori)
        read = RecipeTable(table=table, source=how, records=records, unit=file.unit, marks=file.marks)
        parameters = {"dims": self.dims, "width": rules.width} | list_parameters(method) | form.options
        origin = Provenance(name=f"table {name}", parameters=parameters, inputs=digest_inputs(inputs))
        places = WrittenShown(out=self.out, public=self.public, value=how.value)
        apply = partial(make_stated, write=places.list_files)
        stage = replace(read.make_stage(recipe), origin=origin, apply_method=apply)
        try:
            with show_progress(doing):
                candidate = review_one(stage, seed=Seed(0))  # chance, if any, is the operating system's
        except InfeasibleError as error:
            why = {} if explain is None else explain(table)
            answer_infeasible(error, {"cells": len(table)} | dict(why)).deliver(as_json=self.as_json)
        answer = places.answer(candidate, source, beside)
        told = self.story.add(answer, candidate, origin)
        told.deliver(as_json=self.as_json, verbose=self.verbose or self.story.explain)

    def _list_reads(self, source: Path) -> Sequence[Path]:
        return [source, *code_files(self.codes), *([] if self.apriori is None else [self.apriori])]


@expand_options
def round_cells(
    source: TableFile,
    *,
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
    seconds: Seconds = USUAL_SECONDS,
    question: TableQuestion,
) -> None:
    """Round a table of counts: every cell a multiple of a base, all of them adding up, the change the least there is.

    What a reader concludes of a cell is what its own number says, and no more: the answer tells against whom that is
    promised (against). With --width it is no if an unsafe cell is closer than that. If no table of such multiples adds
    up, the answer names equations that conflict and the fewest steps that help.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table round t.csv --dims v1,v2 --count n --base 5 --out r.csv`
    """
    rounder = RoundMethod(base=base, steps=steps, objective=objective, norm=norm, seconds=seconds or None)
    question.answer(source, "round", rounder, doing=Said("rounding"), explain=rounder.describe_conflict)


@expand_options
def perturb(
    source: Annotated[Path, typer.Argument(metavar="RECORDS", help="The records: CSV or Parquet, a row each.")],
    *,
    noise: Annotated[Path, typer.Option("--noise", help="The perturbation table, as plan noise writes it.")],
    keys: Annotated[
        str,
        typer.Option(
            "--keys",
            help="The file of the record keys, confidential; drawn and written where there is none. Or sum:COLUMN: "
            "keys of another program, which add up (status 3).",
        ),
    ],
    identity: Annotated[
        str, typer.Option("--id", help="The column that tells records apart; their rows in the file if not given.")
    ] = "",
    additive: Annotated[
        Additivity,
        typer.Option(
            "--additive",
            help="no: every cell has its own noise; sum: margins are sums of shown cells; closest: the nearest "
            "additive table.",
        ),
    ] = Additivity.NO,
    seconds: Annotated[
        float, typer.Option("--time", help="Seconds after which the audit ends; 0 for no limit.")
    ] = USUAL_SECONDS,
    question: TableQuestion,
) -> None:
    """Show counts of records with noise by keys: the same people have the same noise in every table.

    The key of a cell is a keyed hash of the sum of its records' keys. The file of keys is drawn once, by the operating
    system, and must be kept, for all tables of these people and from everybody else. The certificate
    (OUT.certificate.json) holds the true counts, and of the keys a digest only. It is no if a reader knows a cell, or
    finds an unsafe one closer than --width.

    Example: `sekisho table perturb people.csv --microdata --dims town,sex --noise P.csv --keys people.keys.json --out
    shown.csv`
    """
    if not question.microdata:
        raise ParameterError("microdata", Said("be given: keys are those of records, and cells have none"), None)
    summed = keys == SUM or keys.startswith(f"{SUM}:")
    method = PerturbMethod(
        noise_file=noise,
        key_file=None if summed else Path(keys),
        identity=identity,
        additive=additive,
        summed=(keys.partition(":")[2] or COLUMN) if summed else "",
        seconds=seconds or None,
    )
    kept = {} if summed else {"--keys": Path(keys)}
    question.answer(source, "perturb", method, doing=Said("adding noise"), reads=[noise], keeps=kept)


@expand_options
def publish_intervals(source: TableFile, *, seconds: Seconds = USUAL_SECONDS, question: TableQuestion) -> None:
    """Publish intervals in place of numbers, as narrow together as protection allows; other cells are shown.

    Where the true value stands in its interval is drawn in secret first; then the widths are made least, with a proof.
    Every unsafe cell can still lie as far from its value as its levels ask, whatever the equations say.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table intervals t.csv --dims v1,v2 --count n --width 10 --out i.csv`
    """
    question.answer(source, "intervals", IntervalMethod(seconds=seconds or None), doing=Said("narrowing intervals"))


@expand_options
def adjust(
    source: TableFile,
    *,
    cost: Annotated[
        AdjustCost, typer.Option("--cost", help="What a change costs: relative to the value, or one.")
    ] = AdjustCost.RELATIVE,
    seconds: Seconds = USUAL_SECONDS,
    question: TableQuestion,
) -> None:
    """Adjust a table: unsafe cells move away from their values by levels drawn in secret, all cells still add up.

    The change is the least for these levels, as far as the time allows; the answer has the gap, and the ranges in which
    whoever knows the rule and that the change is least would look for each unsafe value (candidates). Prefer
    suppression or intervals where they can be had.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table adjust t.csv --dims v1,v2 --value v --contributors n,x1,x2 --rule p%:15 --out a.csv`
    """
    question.answer(source, "adjust", AdjustMethod(cost=cost, seconds=seconds or None), doing=Said("adjusting"))
