"""Tables that are published by a method other than hiding cells: made, sealed, audited, measured.

Whatever the method, a reader has a statement about each cell; his exact intervals decide, as for a pattern. The loss is
counted alike for all methods, so that they stand side by side on one table: of each published cell half the width of
what a reader can conclude, relative to its value and at most 1; its mean is 0 for the true table and 1 for none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.tables.finding import TableFinding
from sekisho.gate.tables.search import SealedCertificate
from sekisho.gate.tables.system import PatternCase, TableSystem
from sekisho.provenance import Provenance
from sekisho.safety.usefulness import is_hardly_useful
from sekisho.seeds import secret_rng
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.audit.statement_audit import audit_statements
from sekisho.tables.audit.statements import StatementKind, Statements
from sekisho.tables.audit.witness import Evidence
from sekisho.tables.certificate.seal import CertifiedFile
from sekisho.tables.certificate.seal_release import ShownRelease, find_release_evidence, seal_release
from sekisho.tables.check.release_checker import check_release
from sekisho.tables.files.records import RecordsBehind
from sekisho.tables.methods import MadeRelease, TableMethod
from sekisho.tables.model.table import Floats, Table
from sekisho.utility.score import Score
from sekisho.words import Said

WITNESS_SECONDS = 60.0
"""How long witnesses of unsafe cells are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatedRelease:
    """A release of a method, sealed.

    Attributes:
        made: what the method made.
        sealed: its certificate, checked.
        witnesses: tables that a reader cannot exclude and that lie as far from the truth as levels ask.
    """

    made: MadeRelease
    sealed: SealedCertificate
    witnesses: Evidence


def ask_width(flagged: Table, method: TableMethod, *, stated: bool) -> Table:
    """Return a table whose unsafe cells need no wider intervals than the method gives, unless a width is stated."""
    if stated:
        return flagged
    width = np.minimum(flagged.sliding_level, method.usual_width)
    return replace(flagged, sliding_level=np.where(flagged.primary, width, flagged.sliding_level))


def tell_lowered(flagged: Table, asked: Table) -> Iterator[Said]:
    """Give that no width was asked for, and with how little a release passes therefore."""
    usual = float(flagged.sliding_level[flagged.primary].max(initial=0.0))
    passes = float(asked.sliding_level[flagged.primary].min(initial=usual))
    if passes < usual:
        yield Said(
            "No width was asked for, so {passes:g} is enough for an unsafe cell; hidden cells are usually {usual:g} "
            "wide. Say width to ask for more.",
            passes=passes,
            usual=usual,
        )


WriteShown = Callable[[ShownRelease], Sequence[CertifiedFile]]
"""Tells which files are written of a release."""


def write_no_files(release: ShownRelease) -> tuple[CertifiedFile, ...]:
    """Return no files."""
    del release
    return ()


def make_stated(
    method: TableMethod,
    table: Table,
    origin: Provenance,
    records: RecordsBehind | None = None,
    *,
    write: WriteShown = write_no_files,
) -> StatedRelease:
    """Return the release of a method with its certificate, checked in exact arithmetic.

    Where chance plays a part it is the operating system's, which nobody replays. ``write`` tells which files are
    written: the certificate names their digests.

    Raises:
        ParameterError: the table does not suit the method.
        InfeasibleError: there is no such release.
    """
    return seal_made(method.make(table, rng=secret_rng(), records=records), origin, write=write)


def seal_made(made: MadeRelease, origin: Provenance, *, write: WriteShown = write_no_files) -> StatedRelease:
    """Return a release with its certificate."""
    release = made.release
    evidence = find_release_evidence(release, seconds=WITNESS_SECONDS)
    held = seal_release(release, evidence, made.proof, provenance=origin, files=write(release))
    text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
    errors = check_release(text).errors
    bound = None if errors else release.bound
    sealed = SealedCertificate(data=text.encode(), bound=bound, errors=errors)
    return StatedRelease(made=made, sealed=sealed, witnesses=evidence)


def audit_release(release: ShownRelease, system: TableSystem, *, seconds: float | None = None) -> TableFinding:
    """Return what a reader of a release concludes: the exact interval of every cell that is not shown as it is."""
    said = state_release(release)
    return replace(audit_said(replace(system, table=release.table), said, seconds=seconds), release=release)


def state_release(release: ShownRelease) -> Statements:
    """Return what a release says of each cell; one that says nothing leaves the bounds that everybody knows."""
    return release.statements or Statements.suppressed(release.table.lower, release.table.upper)


def audit_said(system: TableSystem, said: Statements, *, seconds: float | None = None) -> TableFinding:
    """Return what a reader concludes of a system whose cells each say something."""
    table = system.table
    found = audit_statements(table, said, truth=table.value, whole=table.whole, seconds=seconds)
    cells = np.flatnonzero(~table.unpublished & ((said.high > said.low) | table.primary))
    audit = Audit(
        table=table,
        cells=cells,
        low=found.low[cells],
        high=found.high[cells],
        whole=found.whole,
        certain=found.certain[cells],
    )
    sums = said.kind == StatementKind.SUM  # a margin may be known, unless it is unsafe: it is the sum of what is shown
    case = PatternCase(system=replace(system, derived=system.derived | sums), shown=())
    return TableFinding(case=case, audit=audit)


def split_release(release: ShownRelease, system: TableSystem) -> list[ShownRelease]:
    """Return the part of a release that each of several tables shows."""
    said = release.statements
    return [
        replace(
            release,
            table=part,
            shown=release.shown[at],
            statements=None if said is None else said.take_cells(at),
            weight=None,
            down=None,
            up=None,
        )
        for part, at in zip(system.parts, system.places, strict=True)
    ]


def count_changed(release: ShownRelease) -> int:
    """Return how many published cells are not shown as they are."""
    shown, value = release.shown, release.table.value
    same = (shown == value) if shown.ndim == 1 else (shown == value[:, None]).all(axis=1)
    return int((~same & ~release.table.unpublished).sum())


def measure_widths(audit: Audit) -> Floats:
    """Return how wide a reader's interval of each cell is, 0 where it is shown."""
    width = np.zeros(len(audit.table))
    width[audit.cells] = audit.high - audit.low
    return width


def measure_doubt(audit: Audit, release: ShownRelease | None) -> Floats:
    """Return half the width of what a reader concludes of each cell; where nothing is said of cells, their change."""
    if release is None or release.statements is not None:
        return measure_widths(audit) / 2
    return np.abs(release.shown - release.table.value)


def score_loss(audit: Audit, release: ShownRelease | None = None) -> Score:
    """Return what readers lose: the mean over published cells of half the interval's width relative to the value.

    In the detail how many cells are unsafe, changed and hidden, and how wide the intervals of unsafe ones are.
    """
    table, width = audit.table, measure_widths(audit)
    own, unsafe = ~table.unpublished, table.primary
    lost = np.minimum(1.0, measure_doubt(audit, release) / np.maximum(1.0, np.abs(table.value)))
    detail = {
        "primary": float(unsafe.sum()),
        "changed": float(0 if release is None else count_changed(release)),
        "uncertain": float(np.count_nonzero(width[own])),
        "narrowest": float(width[unsafe].min(initial=np.inf)),
        "mean_width": float(width[unsafe].mean()) if unsafe.any() else 0.0,
    }
    return Score(value=float(lost[own].mean()), detail=detail)


def list_guess_reasons(made: MadeRelease) -> Iterator[Reason]:
    """Give that the method is weak, earlier tables are not considered, or unsafe counts are nearly certain."""
    if made.weakness is not None:
        yield make_reason("weak method", made.weakness)
    if made.unconsidered is not None:
        yield make_reason("together not promised", made.unconsidered)
    if made.evidence is None:
        return
    table = made.release.table
    cells = np.flatnonzero(made.evidence.sure & table.primary).tolist()
    if cells:
        named = "; ".join(map(table.named, cells[:5])) + ("; …" if cells[5:] else "")
        detail = Said(
            "{count} unsafe {count:cell has|cells have} a likeliest count whose chance is above 0.9: {cells}",
            count=len(cells),
            cells=named,
        )
        yield make_reason("sure guess", detail)


def list_use_reasons(audit: Audit, release: ShownRelease) -> Iterator[Reason]:
    """Give that hardly any cell is of use: of most that are not empty a reader cannot even tell that.

    And that nothing is proven of what a reader concludes, where the method says nothing of any cell.
    """
    if release.statements is None and audit.table.primary.any():
        yield make_reason(
            "certificate",
            Said(
                "what a reader concludes of the unsafe cells is not proven: they are only shown away from their values"
            ),
        )
    table = audit.table
    some = ~table.unpublished & (table.value > 0)
    lost = int((some & (measure_doubt(audit, release) >= table.value)).sum())
    if is_hardly_useful(kept=int(some.sum()) - lost, records=int(some.sum())):
        yield make_reason(
            "hardly any use",
            Said(
                "of {lost:,} of {cells:,} {cells:cell|cells} hardly anything is told", lost=lost, cells=int(some.sum())
            ),
        )
