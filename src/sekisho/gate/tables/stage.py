"""A table at the gate: suppressed with several searches, audited exactly by an outsider, and by insiders if asked.

A pattern is refused if a hidden cell can be derived exactly, an unsafe one estimated too closely, or an unsafe cell is
shown. It goes to review if it is without a valid certificate, or if the joint table behind linked ones could not be
used.
Otherwise it may be released: no attacker who knows the published cells, the equations and his bounds can do better, and
the certificate proves it to anybody.

A pattern that nobody attacks is reviewed: unless the equations alone tell a hidden cell, its certificate stands for
what an audit would find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from sekisho.data.files.plain_table import frame_bytes
from sekisho.data.review import check_allowed
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.account.account import Account
from sekisho.gate.account.tables import (
    JudgedTable,
    cover_insiders,
    cover_method,
    cover_other_tables,
    cover_outsider,
    find_usual_insiders,
    knows_contributors,
    make_account,
)
from sekisho.gate.cache.steps import Steps
from sekisho.gate.certificate.claims import Claims
from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.output_files import PATTERN, RELEASE, TABLE_PROOF, OutputFiles, name_table_file
from sekisho.gate.policy import Policy, list_exceeded
from sekisho.gate.recipes.keys import Standard
from sekisho.gate.tables.candidate import PublishedFrames, ReviewedPattern, TableCandidate, TableRelease
from sekisho.gate.tables.finding import (
    TableFinding,
    audit_case,
    list_certificate_reasons,
    list_table_reasons,
    list_whole_reasons,
    look_at_case,
    score_suppression,
    state_audit,
)
from sekisho.gate.tables.measures import ROUNDS, MeasureLink, cover_measures, hide_alike
from sekisho.gate.tables.people_adversary import PeopleFinding, ReconstructAdversary
from sekisho.gate.tables.search import (
    CertifiedAnswer,
    TableSearch,
    decode_pattern,
    encode_pattern,
)
from sekisho.gate.tables.stated import (
    StatedRelease,
    ask_width,
    audit_release,
    list_guess_reasons,
    list_use_reasons,
    make_stated,
    score_loss,
    split_release,
    tell_lowered,
)
from sekisho.gate.tables.stated_insiders import withstands_insiders
from sekisho.gate.tables.system import PatternCase, TableSystem, wrap_table
from sekisho.parameters import checked
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed
from sekisho.tables.audit.statements import Statements
from sekisho.tables.files.input_marks import InputMarks
from sekisho.tables.files.pattern import pattern_frame, public_frame
from sekisho.tables.files.records import RecordsBehind
from sekisho.tables.files.row_unit import RowUnit
from sekisho.tables.methods import TABLE_METHODS, MadeRelease, TableMethod
from sekisho.tables.methods.frames import kept_frame, shown_frame
from sekisho.tables.model.table import Status, Table
from sekisho.tables.reconstruct.joint_people import JointPeople
from sekisho.tables.rules.table_rules import MIN_COUNT, TableRules, write_rule
from sekisho.utility.score import Score
from sekisho.words import Said

MEASURED = ("cost", "secondary", "hidden")
"""What a limit may be set to: the cost of the secondary cells, their number, and the share of cells hidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedValue:
    """What the cells of one of several tables tell.

    Attributes:
        column: of the values, in files.
        counts: whether they count.
        rules: that hold.
        unit: whose the rows are that it was made of; None of cells.
        marks: what the columns of marks of its file say.
    """

    column: str
    counts: bool
    rules: TableRules
    unit: RowUnit | None = None
    marks: InputMarks = field(default_factory=InputMarks)


ApplySearch = Callable[[TableSearch, Table, Provenance], CertifiedAnswer]
"""Runs a search on a table whose unsafe cells are flagged, and certifies what it finds."""
ApplyMethod = Callable[[TableMethod, Table, Provenance, RecordsBehind | None], StatedRelease]
"""Makes and seals the release of a method of a table whose unsafe cells are flagged."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
@checked
class TableStage:
    """A table, what is asked of its suppression, and the searches to try.

    Attributes:
        table: the true one; cells that are flagged already stay so.
        rules: which cells are unsafe, and what hiding one costs.
        searches: by label.
        methods: by label, other ways to publish it than to hide cells.
        adversaries: by label, who attacks beside the outsider and the insiders.
        people: how the tables count people by all dimensions, for those adversaries.
        insiders: how many contributors of one cell may put their knowledge together: every search protects against
            them, every pattern is audited for them; 0 considers outsiders only. One, if nobody says it and it is known
            who contributes.
        whole: whether the attackers use that counts are whole numbers.
        counts: whether the table counts people; None asks whether each value is the number of its contributors.
        patterns: by label, patterns of one's own that are audited beside those that searches find.
        limits: by measure the largest value that leaves without a look.
        policy: which verdict each rule asks for.
        standards: rules of laws and handbooks that the report shows.
        allowed_columns: by dimension that names people the reason why it is published all the same.
        unit: whose the rows are that the table was made of; None of cells.
        marks: what the columns of marks of its file say.
        value: the name of the value's column in files.
        values: the same for each of several tables, with its rules; ``system`` is what these were joined to.
        measures: which of these follow from each other.
        steps: searches, and keeps what was found where a run keeps its steps.
        apply: runs a search; a door may show how far it is.
        apply_method: makes and seals a method's release; a door may show how far it is.
        records: those behind the cells, where a method needs them.
        flagged: the table with its unsafe cells flagged, where more than the rules says which these are
            (:meth:`sekisho.gate.tables.reading.RecipeTable.flag`); None where the rules say it all.
        origin: what made the patterns, where more is known of it than rules and search.
    """

    table: Table
    rules: TableRules = field(default_factory=TableRules)
    searches: Mapping[str, TableSearch] = field(default_factory=lambda: {"highs": TableSearch()})
    methods: Mapping[str, TableMethod] = field(default_factory=dict[str, TableMethod])
    adversaries: Mapping[str, ReconstructAdversary] = field(default_factory=dict[str, ReconstructAdversary])
    people: JointPeople | None = None
    insiders: int | None = None
    whole: bool = False
    counts: bool | None = None
    patterns: Mapping[str, TableRelease] = field(default_factory=dict[str, TableRelease])
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    policy: Policy = field(default_factory=Policy)
    standards: tuple[Standard, ...] = ()
    allowed_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    unit: RowUnit | None = None
    marks: InputMarks = field(default_factory=InputMarks)
    value: str = "value"
    values: tuple[PublishedValue, ...] = ()
    system: TableSystem | None = None
    measures: tuple[MeasureLink, ...] = ()
    steps: Steps = field(default_factory=Steps)
    apply: ApplySearch = TableSearch.suppress
    apply_method: ApplyMethod = make_stated
    records: RecordsBehind | None = None
    flagged: Table | None = None
    origin: Provenance | None = None

    def __post_init__(self) -> None:
        check_allowed(self.allowed_columns, self.table.dims)
        if self.methods and self.insiders:
            raise ParameterError("insiders", Said("be 0 where methods other than suppression are tried"), self.insiders)
        if self.adversaries and (self.people is None or self.counts is False):
            raise ParameterError("adversaries", Said("attack tables of counts only"), ", ".join(self.adversaries))

    @property
    def keeps_attacks(self) -> bool:
        """Whether attacks are worth a process of their own."""
        return True

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.TABLE

    @property
    def considered(self) -> int:
        """How many contributors of one cell are considered together: as is said, else as is usual."""
        if self.insiders is not None:
            return self.insiders
        return find_usual_insiders(self.table, known=knows_contributors(self._judge_parts(self.table)))

    def _judge_parts(self, pattern: Table) -> list[JudgedTable]:
        """Return each table of a pattern with what says which of its cells are unsafe."""
        counting = self.table.counts if self.counts is None else self.counts
        values = self.values or (
            PublishedValue(column=self.value, counts=counting, rules=self.rules, unit=self.unit, marks=self.marks),
        )
        flagged = bool(self._flag().primary.any())
        return [
            JudgedTable(
                table=part,
                rules=value.rules.choose(counts=value.counts, flagged=flagged),
                counts=value.counts,
                marks=value.marks,
                unit=value.unit,
            )
            for part, value in zip(self.split_pattern(pattern), values, strict=True)
        ]

    def make_account(self, release: TableRelease, finding: TableFinding | None = None) -> Account:
        """Return what is known against each attacker whom the tables make possible, and what nobody judged."""
        parts, made, sealed = self._judge_parts(release.table), release.made, release.certificate
        insiders = self.considered if made is None else self._ask_insiders(made, parts)
        complete = sealed is not None and sealed.complete
        entries = [
            cover_outsider(proven=complete, audited=finding is not None and finding.safe),
            cover_insiders(
                parts,
                insiders=insiders,
                proven=complete and made is None and sealed is not None and sealed.insiders >= insiders,
                made=made is not None,
                pattern=release.table if made is None else None,
            ),
            cover_other_tables(release.table, tables=len(parts)),
            None if self.system is None else cover_measures(release.table, self.system, self.measures),
            cover_method(() if made is None else made.release.against),
        ]
        return make_account(parts, entries)

    def _ask_insiders(self, made: MadeRelease, parts: Sequence[JudgedTable]) -> int:
        """Return how many contributors of one cell a release of a method other than hiding cells withstands."""
        if self.insiders == 0 or not knows_contributors(parts):
            return 0
        system = wrap_table(made.release.table) if self.system is None else self.system
        return int(withstands_insiders(made.release, system, seconds=made.audit_seconds))

    @property
    def names(self) -> tuple[str, ...]:
        """What the files of each table are called after; nothing where there is one."""
        return ("",) if self.system is None else tuple(one.name for one in self.table.linked)

    def _list_parts(self, pattern: Table) -> list[tuple[str, str, Table]]:
        """Return of each table its name, the name of its value's column, and its part of a pattern."""
        columns = [one.column for one in self.values] or [self.value]
        return list(zip(self.names, columns, self.split_pattern(pattern), strict=True))

    def split_pattern(self, pattern: Table) -> list[Table]:
        """Return each table with its part of a pattern; the pattern itself where there is one."""
        return [pattern] if self.system is None else self.system.mark_parts(pattern)

    def describe_tables(self, pattern: Table, *, release: str = RELEASE) -> list[dict[str, object]]:
        """Return the tables of a pattern as plain data: name, file, dimensions, how many cells are hidden."""
        return [
            {
                "name": name,
                "file": name_table_file(release, name),
                "dims": list(part.dims),
                "value": value,
                "cells": len(part),
                "primary": int(part.primary.sum()),
                "secondary": int((part.status == Status.SECONDARY).sum()),
            }
            for name, value, part in self._list_parts(pattern)
        ]

    def protections(self) -> Mapping[str, partial[TableRelease]]:
        """Return the searches, by label; each raises InfeasibleError where no pattern protects the table."""
        flagged = self._flag()
        asked = {
            label: replace(search, insiders=max(search.insiders, self.considered))
            for label, search in self.searches.items()
        }
        searches = {label: partial(self._suppress, flagged, search) for label, search in asked.items()}
        methods = {label: partial(self._publish, flagged, method) for label, method in self.methods.items()}
        return searches | methods | {label: partial(self._hand_over, label) for label in self.patterns}

    def _hand_over(self, label: str, seed: Seed) -> TableRelease:
        del seed  # no chance plays a part
        return self.patterns[label]

    def _suppress(self, flagged: Table, search: TableSearch, seed: Seed) -> TableRelease:
        del seed  # no chance plays a part
        origin = self.origin or self._describe_origin(search)
        found = self._search(flagged, search, origin)
        for _ in range(ROUNDS if self.system is not None and self.measures else 0):
            wider = None if self.system is None else hide_alike(flagged, found.answer.table, self.system, self.measures)
            if wider is None:
                break
            found = self._search(wider, search, origin)
        return TableRelease(table=found.answer.table, provenance=origin, certificate=found.sealed, answer=found.answer)

    def _search(self, flagged: Table, search: TableSearch, origin: Provenance) -> CertifiedAnswer:
        """Return the pattern of a search with its proof, kept from an earlier run where one keeps its steps."""
        return self.steps.recall(
            ("pattern", search, self.steps.digest_table(flagged), list_parameters(self.rules)),
            lambda: self.apply(search, flagged, origin),
            encode_pattern,
            partial(decode_pattern, flagged=flagged),
        )

    def _publish(self, flagged: Table, method: TableMethod, seed: Seed) -> TableRelease:
        del seed  # chance, where it plays a part, is the operating system's
        name = TABLE_METHODS.find_name(method) or type(method).__name__
        origin = self.origin or self._describe_origin(method, f"table {name}")
        table = ask_width(flagged, method, stated=self.rules.width is not None)
        found = self.apply_method(method, table, origin, self.records)
        made = replace(found.made, remarks=(*tell_lowered(flagged, table), *found.made.remarks))
        return TableRelease(
            table=table, provenance=origin, certificate=found.sealed, made=made, witnesses=found.witnesses
        )

    def _describe_origin(self, search: object, name: str = "table suppress") -> Provenance:
        rules = {"rules": [write_rule(each) for each in self.rules.rules]}
        parameters = list_parameters(self.rules) | rules | list_parameters(search)
        return Provenance(name=name, parameters=parameters)

    def review(self, label: str, release: TableRelease, *, seed: Seed) -> ReviewedPattern:
        """Look at a pattern; nobody solves for intervals, so that its certificate speaks for the hidden cells.

        Raises:
            ParameterError: it is a pattern of another table.
        """
        if release.made is not None:  # a theorem or a program says what its readers know
            return self.try_release(label, release, seed=seed)
        case = self._judge(release.table)
        score = score_suppression(case.system.table)
        reasons = (
            *look_at_case(case, whole=self.whole),
            *list_whole_reasons(release.whole),
            *self._list_reasons(release, score),
        )
        return ReviewedPattern(
            label=label,
            release=release,
            score=score,
            attempts=(),
            reasons=self.policy.judge(reasons),
            account=self.make_account(release),
            insiders=self.considered,
        )

    def try_release(self, label: str, release: TableRelease, *, seed: Seed) -> TableCandidate:
        """Audit a pattern, ours or another program's, beside the rules.

        Raises:
            ParameterError: it is a pattern of another table.
        """
        del seed
        if release.made is None:
            case = self._judge(release.table)
            finding = audit_case(case, whole=self.whole, insiders=self.considered)
            finding = replace(finding, certified_whole=release.whole.is_covered)
            score = score_loss(finding.audit) if self.methods else score_suppression(case.system.table)
        else:
            system = wrap_table(release.table) if self.system is None else self.system
            finding = audit_release(release.made.release, system, seconds=release.made.audit_seconds)
            score = score_loss(finding.audit, release.made.release)
        rebuilt = tuple(self._rebuild_people(release))
        reasons = (
            *finding.reasons,
            *(reason for each in rebuilt for reason in each.reasons),
            *self._list_reasons(release, score),
            *_list_stated_reasons(release, finding),
        )
        insiders = self.considered if release.made is None else 0
        audited = state_audit(finding, release.certificate, insiders=insiders)
        return TableCandidate(
            label=label,
            release=release,
            score=score,
            attempts=(*finding.attempts, *(each.attempt for each in rebuilt)),
            reasons=self.policy.judge(reasons),
            statements=(audited, *(each.statement for each in rebuilt[:1])),
            account=self.make_account(release, finding),
            finding=finding,
            rebuilt=rebuilt,
            insiders=insiders,
        )

    def _rebuild_people(self, release: TableRelease) -> Iterator[PeopleFinding]:
        """Give what each adversary rebuilds of the people behind the tables."""
        if self.people is None:
            return
        said = Statements.of_pattern(release.table)
        if release.made is not None:
            shown = release.made.release
            said = shown.statements or Statements.suppressed(shown.table.lower, shown.table.upper)
        few = MIN_COUNT if self.rules.min_count is None else self.rules.min_count
        for label, adversary in self.adversaries.items():
            yield adversary.attack(self.people, said, few=few, label=label)

    def files(self, best: TableCandidate, *, seed: Seed, release: str = RELEASE) -> OutputFiles:
        """Return the pattern, its proof and, unless it is refused, the table as it may be published.

        Args:
            best: the chosen pattern.
            seed: of the run; no chance plays a part.
            release: the name of the public file, Parquet by its ending; each of several tables adds its own to it.
        """
        del seed
        proof = best.release.certificate
        parts = self._list_frames(best.release, release)
        stays = {name_table_file(PATTERN, part.name): frame_bytes(part.kept, Path(PATTERN)) for part in parts}
        if proof is not None and proof.data is not None:
            stays[TABLE_PROOF] = proof.data
        if best.verdict is Verdict.REFUSE:
            return OutputFiles(confidential=stays)
        return OutputFiles(
            offered={part.file: frame_bytes(part.shown, Path(part.file)) for part in parts},
            confidential=stays,
            claims=Claims(patterns=tuple(part.claim() for part in parts)),
            release=parts[0].file,
        )

    def _list_frames(self, release: TableRelease, file: str) -> list[PublishedFrames]:
        """Return of each table what stays and what is offered."""
        parts = self._list_parts(release.table)
        if release.made is None:
            frames = [(pattern_frame(part, value=value), public_frame(part, value=value)) for _, value, part in parts]
        else:
            shown = [release.made.release]
            shown = shown if self.system is None else split_release(shown[0], self.system)
            frames = [
                (kept_frame(one, value=value), shown_frame(one, value=value))
                for one, (_, value, _) in zip(shown, parts, strict=True)
            ]
        return [
            PublishedFrames(name=name, file=name_table_file(file, name), dims=len(part.dims), kept=kept, shown=public)
            for (name, _, part), (kept, public) in zip(parts, frames, strict=True)
        ]

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: nothing of a table."""
        return {}

    @property
    def notices(self) -> tuple[str, ...]:
        """What was found out of the patterns of one's own."""
        return ()

    def _list_reasons(self, release: TableRelease, score: Score) -> Iterator[Reason]:
        """Give what speaks against a pattern, whoever attacks it or not."""
        yield from list_certificate_reasons(
            release.certificate, insiders=self.considered if release.made is None else 0
        )
        yield from self._list_limits(release.table, score)
        yield from list_table_reasons(self.split_pattern(release.table), allowed=self.allowed_columns)

    def _list_limits(self, pattern: Table, score: Score) -> Iterator[Reason]:
        hidden = int((pattern.suppressed & ~pattern.unpublished).sum()) / max(1, pattern.own)
        secondary = float((pattern.status == Status.SECONDARY).sum())
        measured = {"cost": score.value, "secondary": secondary, "hidden": hidden}
        return list_exceeded(self.limits, measured)

    def _flag(self) -> Table:
        return self.rules.flag(self.table, counts=self.counts) if self.flagged is None else self.flagged

    def _judge(self, pattern: Table) -> PatternCase:
        """Return a pattern with all that is asked of the table, whatever the pattern itself says is unsafe."""
        flagged = self._flag()
        if pattern.keys != flagged.keys or not np.array_equal(pattern.value, flagged.value):
            raise ParameterError("release", Said("be a pattern of the table at this stage"), repr(pattern))
        judged = pattern.flag_cells(
            flagged.primary & pattern.suppressed,
            lower=flagged.lower_level,
            upper=flagged.upper_level,
            sliding=flagged.sliding_level,
        )
        shown = np.flatnonzero(flagged.primary & ~pattern.suppressed)
        judged = replace(judged, weight=flagged.weight)
        system = wrap_table(judged) if self.system is None else replace(self.system, table=judged)
        return PatternCase(system=system, shown=tuple(map(flagged.named, shown.tolist())))


def _list_stated_reasons(release: TableRelease, finding: TableFinding) -> Iterator[Reason]:
    """Give what speaks against a release of a method other than hiding cells, beside what can be derived."""
    if release.made is not None:
        yield from list_use_reasons(finding.audit, release.made.release)
        yield from list_guess_reasons(release.made)
