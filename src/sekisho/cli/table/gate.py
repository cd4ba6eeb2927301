"""A table at the gate as a recipe says: its cells read, its patterns searched and audited, its files made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sekisho.cli.kit.answer import Answer
from sekisho.cli.kit.progress import watch_counted
from sekisho.cli.table.files.cell_files import Reading, read_columns, read_form
from sekisho.cli.table.options import CodeOptions, ColumnOptions, CsvOptions
from sekisho.cli.table.rules import guard_aloud, say_switched_off
from sekisho.data.files.frames import frame_bytes
from sekisho.errors import InfeasibleError
from sekisho.gate.journey import run
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.tables.recipe import TableRecipe, TableRecipeFile
from sekisho.gate.tables.stage import TableCandidate, TableStage
from sekisho.seeds import Seed
from sekisho.tables.files.pattern import pattern_frame
from sekisho.tables.files.public import public_frame

PATTERN, PUBLIC, CERTIFICATE = "pattern.csv", "public.csv", "certificate.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableJourney:
    """A table and its way through the gate.

    Attributes:
        stage: the table, and what is asked of it.
        value: the name of the value's column in the files.
    """

    stage: TableStage
    value: str

    def travel(self) -> Outcome[TableCandidate]:
        """Search and audit the patterns, showing how far it is.

        Raises:
            InfeasibleError: no pattern protects the table.
        """
        steps = run(self.stage, seed=Seed(0))  # no chance plays a part
        return watch_counted(steps, doing="searching and auditing patterns").outcome

    def make_files(self, best: TableCandidate) -> dict[str, bytes]:
        """Return the pattern, its certificate and, unless it is refused, the table as it may be published."""
        table, certificate = best.release.table, best.release.certificate
        files = {PATTERN: frame_bytes(pattern_frame(table, value=self.value), Path(PATTERN))}
        if certificate is not None and certificate.data is not None:
            files[CERTIFICATE] = certificate.data
        if best.verdict is not Verdict.REFUSE:
            files[PUBLIC] = frame_bytes(public_frame(table, value=self.value), Path(PUBLIC))
        return files


def read_journey(recipe: TableRecipe, file: TableRecipeFile) -> TableJourney:
    """Return the journey of a recipe's table, having said on stderr how its file was read."""
    source, how = Path(file.original), _read_file(file)
    table = how.read_table(source)
    say_switched_off(recipe.rules.min_count, counts=how.counts)
    guard_aloud(recipe.rules.mark(table, counts=how.counts), recipe.rules.width)
    return TableJourney(stage=recipe.make_stage(table, counts=how.counts), value=how.value)


def _read_file(file: TableRecipeFile) -> Reading:
    codes = CodeOptions(
        trees=[f"{dim}={name}" for dim, name in file.trees.items()],
        groupings=[f"{dim}={name}" for dim, names in file.groupings.items() for name in names],
        total=[*([file.total] if file.total else []), *(f"{dim}={code}" for dim, code in file.totals.items())],
        category=[f"{dim}={code}" for dim, codes in file.categories.items() for code in codes],
    )
    form = read_form(codes, CsvOptions(separator=file.separator, encoding=file.encoding, decimal=file.decimal))
    columns = ColumnOptions(count=file.count, value=file.value, contributors=",".join(file.contributors))
    return read_columns(",".join(file.dims), columns, form, source=Path(file.original))


def answer_unprotected(error: InfeasibleError) -> Answer:
    """Return the answer that nothing may leave, for no pattern protects the table."""
    reason = {"rule": "infeasible", "verdict": Verdict.REFUSE, "detail": str(error)}
    keys = {
        "verdict": Verdict.REFUSE,
        "reasons": [reason],
        "report": None,
        "public": [],
        "confidential": [],
        "candidates": [],
    }
    return Answer(keys=keys, words=f"refuse: {error}", good=False)
