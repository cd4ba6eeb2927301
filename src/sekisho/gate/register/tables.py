"""Tables beside their register: all that left before and the new one are one system, audited as one.

How the population of a table is to that of the one before is what the recipe says: the same people, nobody left, or so
many left and so many came. Each difference that a reader can form is a table of its own, under the same rules. Where
nothing is said there is no equation, and nothing is claimed.

Several linked tables of one measure, under the same rules, are one table to the register: the system of their cells, in
which a cell that two of them share is one. So the differences over time of all of them are read together.

A table that hides no cells but rounds them, adds noise or shows intervals says something of each: what all of them say,
and the equations between them, are one system.

Of an earlier table the register keeps its cells with their values and patterns, or what each says, among what stays: a
chain cannot be audited without them. No record is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import pairwise
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import ParameterError, SekishoError
from sekisho.gate.outcome import Attempt, Candidate, Verdict
from sekisho.gate.output_files import OutputFiles
from sekisho.gate.recipes.register import RegisterRules, Relation
from sekisho.gate.register.book import Register
from sekisho.gate.register.entries import Binding, RegisterEntry, ReleasedColumns, Together
from sekisho.gate.register.likeness import list_alike_populations
from sekisho.gate.register.session import JointStanding, list_population
from sekisho.gate.tables.candidate import TableRelease
from sekisho.gate.tables.differences import judge_populations, state_populations
from sekisho.gate.tables.finding import TableFinding, audit_case
from sekisho.gate.tables.stage import TableStage
from sekisho.gate.tables.stated import audit_said, state_release
from sekisho.tables.audit.statements import Statements
from sekisho.tables.files.pattern import freeze_pattern, pattern_frame
from sekisho.tables.model.linked.populations import Populations
from sekisho.tables.model.linked.turnover import Turnover
from sekisho.tables.model.table import Status, Table
from sekisho.words import Said, join_words

AGAINST = "rule, one"
NEW = "new"
STATUS, VALUE, FREQUENCY, LARGEST = ".status", ".value", ".frequency", ".largest"
LOW, HIGH, KIND, GAPS = ".low", ".high", ".kind", ".gaps"
"""Columns of what is kept of a table, beside its dimensions; the last four of one that hides no cells."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EarlierTable:
    """A table that has left.

    Attributes:
        entry: what the register says of it.
        table: its cells as they were, with their pattern; None where they are not the cells of today.
        said: what each cell says, where none was hidden; None for a pattern.
    """

    entry: RegisterEntry
    table: Table | None
    said: Statements | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisteredTable:
    """A table, and what left of the same population before.

    Attributes:
        stage: the table of today.
        rules: what the recipe says of the register.
        earlier: what left before, oldest first.
        alike: the populations of which nothing is read though their names are alike.
    """

    stage: TableStage
    rules: RegisterRules
    earlier: tuple[EarlierTable, ...]
    alike: tuple[Said, ...] = ()

    @classmethod
    def open(cls, stage: TableStage, register: Register, rules: RegisterRules) -> Self:
        """Return the table of a stage beside a register.

        Raises:
            ParameterError: the recipe makes several tables that cannot be read as one.
            InputError: an earlier one cannot be read.
        """
        _require_one_question(stage)
        entries = list_population(register, rules, stage.shape)
        earlier = tuple(_unpack(entry, register.read_kept(entry), stage.table) for entry in entries)
        alike = tuple(list_alike_populations(register, rules, stage.shape))
        return cls(stage=stage, rules=rules, earlier=earlier, alike=alike)

    @property
    def binding(self) -> Binding:
        """As the recipe declares it."""
        return Binding.DECLARED

    @property
    def columns(self) -> ReleasedColumns:
        """What the columns are."""
        return ReleasedColumns(keys=self.stage.table.dims)

    def list_trees(self, label: str) -> Mapping[str, bytes]:
        """Return nothing: a table tells its codes itself."""
        del label
        return {}

    def stand(self, release: TableRelease) -> JointStanding:
        """Return how a pattern stands together with those that left before."""
        figures = Together(against=AGAINST, linked=tuple(each.entry.number for each in self.earlier))
        if not self.earlier:
            return JointStanding(figures=figures)
        numbers = ", ".join(map(str, figures.linked))
        tables = {str(each.entry.number): each.table for each in self.earlier if each.table is not None}
        if self.rules.relation is Relation.UNKNOWN or len(tables) < len(self.earlier):
            return JointStanding(figures=figures, doubts=(_say_unknown(self.rules.relation, numbers),))
        try:
            finding = self._audit(release, tables)
        except SekishoError as error:
            doubt = Said("it could not be read as one with release {releases}: {error}", releases=numbers, error=error)
            return JointStanding(figures=figures, doubts=(doubt,))
        against = [reason.detail for reason in finding.reasons if reason.verdict is Verdict.REFUSE]
        unsafe = Said(
            "safe alone, unsafe together with release {releases}: {reasons}",
            releases=numbers,
            reasons=join_words(against, "; "),
        )
        return JointStanding(
            figures=replace(figures, disclosed_joint=len(finding.disclosed)),
            unsafe=unsafe if against else "",
            told=Said("audited as one system with release {releases} and their differences", releases=numbers),
            assumes=_say_relation(self.rules),
        )

    def _audit(self, release: TableRelease, tables: Mapping[str, Table]) -> TableFinding:
        """Return what a reader of the new table and the earlier ones concludes."""
        populations = self._relate({NEW: release.table, **tables})
        said = {str(each.entry.number): each.said for each in self.earlier}
        said[NEW] = None if release.made is None else state_release(release.made.release)
        if not any(said[name] is not None for name in populations.tables):
            case = judge_populations(populations, self.stage.rules, counts=self._counts)
            return audit_case(case, whole=self.stage.whole, insiders=self.stage.considered)
        told = {name: said[name] or Statements.of_pattern(table) for name, table in populations.tables.items()}
        rules = replace(self.stage.rules, width=self._ask_width(release))
        system, statements = state_populations(populations, rules, told, counts=self._counts)
        finding = audit_said(system, statements)
        return finding if release.made is None else replace(finding, release=release.made.release)

    def _ask_width(self, release: TableRelease) -> float | None:
        """Return how wide intervals must be: what is stated, else what the release alone was asked for."""
        if release.made is None or self.stage.rules.width is not None or not release.table.primary.any():
            return self.stage.rules.width
        return float(release.table.sliding_level[release.table.primary].max()) or None

    def keep_pattern(self) -> TableStage:
        """Return the stage in which what the last table hid stays hidden at no cost, and what it showed is shown."""
        stage, last = self.stage, self.earlier[-1].table if self.earlier else None
        if last is None or self.earlier[-1].said is not None:
            return stage
        flagged = stage.rules.flag(stage.table, counts=self._counts) if stage.flagged is None else stage.flagged
        earlier = pattern_frame(last)
        return replace(stage, flagged=freeze_pattern(flagged, earlier, value="value", source=self.rules.folder))

    def list_people(self, best: Candidate[Attempt], files: OutputFiles) -> tuple[bytes, int]:
        """Return what is kept of the table: its cells, and their pattern or what they say."""
        del files
        release = best.release
        if not isinstance(release, TableRelease):
            raise ParameterError("release", Said("be of a table"), type(release).__name__)
        said = None if release.made is None else state_release(release.made.release)
        return _pack(release.table, said), len(release.table)

    def list_known(self, content: bytes, name: str) -> tuple[bytes, int]:
        """Refuse: the values behind the hidden cells of a table made elsewhere are not in its file.

        Raises:
            ParameterError: always.
        """
        del content
        raise ParameterError("--published", Said("be of records: a table is entered by the gate"), name)

    @property
    def _counts(self) -> bool:
        table, said = self.stage.table, self.stage.counts
        return bool(np.array_equal(table.value, table.frequency)) if said is None else said

    def _relate(self, tables: dict[str, Table]) -> Populations:
        """Return the tables with what the recipe says of each and the one before it."""
        chain = list(pairwise((*(str(each.entry.number) for each in self.earlier), NEW)))
        match self.rules.relation:
            case Relation.SAME:
                return Populations(tables=tables, within={}, same=dict(chain))
            case Relation.GROWS:
                return Populations(tables=tables, within=dict(chain))
            case _:
                left, came = self.rules.left, self.rules.came
                turnovers = [
                    Turnover(earlier=before, later=after, left=left, came=came) for before, after in chain[-1:]
                ]
                kept = {name: tables[name] for pair in chain[-1:] for name in reversed(pair)}
                return Populations(tables=kept, within={}, turnovers=tuple(turnovers))


def _require_one_question(stage: TableStage) -> None:
    """Refuse linked tables of which a difference over time would fall under no rule, or under several.

    Raises:
        ParameterError: they tell different things, have rules of their own, or hold cells that nobody publishes.
    """
    if stage.system is None:
        return
    asked = {repr((value.column, value.counts, value.rules)) for value in stage.values}
    if len(asked) > 1 or bool(stage.table.unpublished.any()):
        rule = Said("be of one table, or of linked ones of one measure under the same rules, each cell published")
        raise ParameterError("register", rule, ", ".join(stage.names))


def _say_unknown(relation: Relation, numbers: str) -> Said:
    if relation is Relation.UNKNOWN:
        return Said(
            "nothing says how the people of this table are to those of release {releases}: nothing is claimed",
            releases=numbers,
        )
    return Said("its cells are not those of release {releases}: nothing is claimed", releases=numbers)


def _say_relation(rules: RegisterRules) -> Said:
    words = {
        Relation.SAME: Said("the people of all these tables are the same, and nothing has left outside the register"),
        Relation.GROWS: Said("nobody left from one table to the next, and nothing has left outside the register"),
    }
    usual = Said(
        "{left:,} {left:person|people} left and {came:,} came since the last table, and nothing has left "
        "outside the register",
        left=rules.left,
        came=rules.came,
    )
    return words.get(rules.relation, usual)


def _pack(table: Table, said: Statements | None) -> bytes:
    """Return the cells of a table as a register keeps them."""
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    told = [
        pl.Series(STATUS, table.status),
        pl.Series(VALUE, table.value),
        pl.Series(FREQUENCY, table.frequency),
        *(pl.Series(f"{LARGEST}{at}", table.largest[:, at]) for at in range(table.largest.shape[1])),
    ]
    if said is not None:
        told += [pl.Series(LOW, said.low), pl.Series(HIGH, said.high), pl.Series(KIND, said.kind)]
        told.append(pl.Series(GAPS, said.gaps))
    stream = BytesIO()
    pl.DataFrame([*columns, *told]).write_parquet(stream, compression="zstd", statistics=False)
    return stream.getvalue()


def _unpack(entry: RegisterEntry, content: bytes, today: Table) -> EarlierTable:
    """Return the cells that a register kept, in the order of today's; none where they are other cells."""
    frame = pl.read_parquet(BytesIO(content))
    if not set(today.dims) <= set(frame.columns):
        return EarlierTable(entry=entry, table=None)
    keys = list(frame.select(today.dims).iter_rows())
    place = {key: at for at, key in enumerate(keys)}
    if set(place) != set(today.keys):
        return EarlierTable(entry=entry, table=None)
    order = np.array([place[key] for key in today.keys], dtype=np.intp)
    kept = frame[order]
    largest = [name for name in frame.columns if name.startswith(LARGEST)]
    shape = (len(today), len(largest))
    table = replace(
        today,
        value=kept[VALUE].to_numpy().astype(np.float64),
        frequency=kept[FREQUENCY].to_numpy().astype(np.int64),
        status=_unpack_status(kept, today),
        largest=kept.select(largest).to_numpy().astype(np.float64) if largest else np.zeros(shape),
    )
    return EarlierTable(entry=entry, table=table, said=_unpack_said(kept) if LOW in kept.columns else None)


def _unpack_status(kept: pl.DataFrame, today: Table) -> NDArray[np.int8]:
    """Return how cells were shown; which of them are unsafe, the rules of today say, unless a level stands with it."""
    status = kept[STATUS].to_numpy().astype(np.int8)
    if LOW in kept.columns:
        return np.where(status == Status.UNPUBLISHED, status, np.int8(Status.SAFE))
    bare = (today.lower_level == 0) & (today.upper_level == 0) & (today.sliding_level == 0)
    return np.where((status == Status.PRIMARY) & bare, np.int8(Status.SECONDARY), status)


def _unpack_said(kept: pl.DataFrame) -> Statements:
    return Statements(
        low=kept[LOW].to_numpy().astype(np.float64),
        high=kept[HIGH].to_numpy().astype(np.float64),
        kind=kept[KIND].to_numpy().astype(np.int8),
        shown=np.full(kept.height, np.nan),
        gaps=kept[GAPS].to_numpy().astype(np.bool_),
    )
