"""Commands that publish a table by a method other than hiding cells: intervals, adjustment, rounding."""

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
from sekisho.cli.table.shown import WrittenShown
from sekisho.data.engines.engine import digest_inputs
from sekisho.data.files.whole_files import check_paths, path_beside
from sekisho.errors import InfeasibleError
from sekisho.gate.tables.search import USUAL_SECONDS
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed
from sekisho.tables.adjust.adjustment import AdjustCost
from sekisho.tables.files.records import COUNT
from sekisho.tables.methods.adjusting import AdjustMethod
from sekisho.tables.methods.intervals import IntervalMethod
from sekisho.tables.model.table import Table
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.tables.methods import TableMethod

TableFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="The cells: CSV or Parquet, inner cells or all; or a .tab or .jj file."),
]
OwnWritten = Annotated[Path, typer.Option("--out", help="The table to write, with what each number says.")]
Alone = Annotated[
    Path | None, typer.Option("--public", help="Write the table as it may be published: the numbers alone.")
]
Proof = Annotated[Path | None, typer.Option("--certificate", help="Where to write the certificate.")]
Seconds = Annotated[float, typer.Option("--time", help="Seconds after which the best so far is taken; 0 for no limit.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestion:
    """What a command is asked to publish: the file, how it is read, which cells are unsafe, and where to write.

    Attributes:
        source: the file of cells or records.
        dims: the dimension columns.
        columns: what its other columns hold.
        rules: which cells are unsafe.
        codes: what codes mean.
        csv: how the file is written.
        apriori: what is said of single cells.
        microdata: whether it holds records.
        micro: what their columns hold.
        out: where the table is written, with what each number says.
        public: where the numbers alone are.
        proof: where the certificate is; beside the table if not said.
    """

    source: Path
    dims: str
    columns: ColumnOptions
    rules: RuleOptions
    codes: CodeOptions
    csv: CsvOptions
    apriori: Path | None
    microdata: bool
    micro: MicroOptions
    out: Path
    public: Path | None
    proof: Path | None

    def answer(
        self,
        name: str,
        method: TableMethod,
        *,
        doing: Said,
        explain: Callable[[Table], Mapping[str, object]] | None = None,
        as_json: bool,
        verbose: bool,
    ) -> NoReturn:
        """Publish the table by a method through the gate, and answer.

        Args:
            name: of the method.
            method: which is asked.
            doing: what is shown while it works.
            explain: what is told where it finds nothing.
            as_json: as one JSON object.
            verbose: all there is to say.
        """
        from sekisho.gate.tables.reading import RecipeTable  # the gate, which few verbs of tables need
        from sekisho.gate.tables.recipe import TableRecipe
        from sekisho.gate.tables.stated import make_stated
        from sekisho.journey.candidates import review_one

        beside = self.proof or path_beside(self.out, ".certificate.json")
        reads = self._list_reads()
        check_paths(reads=reads, writes={"--out": self.out, "--public": self.public, "--certificate": beside})
        form = read_form(self.codes, self.csv)
        counted = replace(self.columns, count=COUNT) if self.microdata and not self.columns.value else self.columns
        how = read_columns(self.dims, counted, form, source=self.source)
        records = read_records(self.dims, self.columns.value, self.micro, form)
        table: Table = read_aloud((records if self.microdata else how).read_table(self.source))
        rules = read_rules_aloud(self.rules, counts=how.counts)
        recipe = TableRecipe(rules=rules, searches={}, methods={name: method}, apriori=self.apriori)
        read = RecipeTable(table=table, source=how)
        parameters = {"dims": self.dims, "width": rules.width} | list_parameters(method) | form.options
        origin = Provenance(name=f"table {name}", parameters=parameters, inputs=digest_inputs(reads))
        places = WrittenShown(out=self.out, public=self.public, value=how.value)
        apply = partial(make_stated, write=places.list_files)
        stage = replace(read.make_stage(recipe), origin=origin, apply_method=apply)
        try:
            with show_progress(doing):
                candidate = review_one(stage, seed=Seed(0))  # chance, if any, is the operating system's
        except InfeasibleError as error:
            why = {} if explain is None else explain(table)
            answer_infeasible(error, {"cells": len(table)} | dict(why)).deliver(as_json=as_json)
        places.answer(candidate, self.source, beside).deliver(as_json=as_json, verbose=verbose)

    def _list_reads(self) -> Sequence[Path]:
        return [self.source, *code_files(self.codes), *([] if self.apriori is None else [self.apriori])]


@expand_options
def publish_intervals(
    source: TableFile,
    *,
    dims: OwnDims = "",
    out: OwnWritten,
    public: Alone = None,
    columns: ColumnOptions,
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
    """Publish intervals in place of numbers, as narrow together as protection allows; other cells are shown.

    Where the true value stands in its interval is drawn in secret first; then the widths are made least, with a proof.
    Every unsafe cell can still lie as far from its value as its levels ask, whatever the equations say.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table intervals t.csv --dims v1,v2 --count n --width 10 --out i.csv`
    """
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
    method = IntervalMethod(seconds=seconds or None)
    question.answer("intervals", method, doing=Said("narrowing intervals"), as_json=as_json, verbose=verbose)


@expand_options
def adjust(
    source: TableFile,
    *,
    dims: OwnDims = "",
    out: OwnWritten,
    public: Alone = None,
    columns: ColumnOptions,
    cost: Annotated[
        AdjustCost, typer.Option("--cost", help="What a change costs: relative to the value, or one.")
    ] = AdjustCost.RELATIVE,
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
    """Adjust a table: unsafe cells move away from their values by levels drawn in secret, all cells still add up.

    The change is the least for these levels, as far as the time allows; the answer has the gap, and the ranges in which
    whoever knows the rule and that the change is least would look for each unsafe value (candidates). Prefer
    suppression or intervals where they can be had.

    The certificate (OUT.certificate.json) holds true values: keep it as confidential as the table.

    Example: `sekisho table adjust t.csv --dims v1,v2 --value v --contributors n,x1,x2 --rule p%:15 --out a.csv`
    """
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
    method = AdjustMethod(cost=cost, seconds=seconds or None)
    question.answer("adjust", method, doing=Said("adjusting"), as_json=as_json, verbose=verbose)
