"""The files of a table at the gate: the cells as they may be published; the pattern and its proof, which stay."""

from __future__ import annotations

from pathlib import Path

from sekisho.data.files.frames import frame_bytes
from sekisho.gate.certificate.claims import Claims, PatternClaim
from sekisho.gate.certificate.recount import PublishedForm
from sekisho.gate.outcome import Verdict
from sekisho.gate.outputs.files import PATTERN, RELEASE, TABLE_PROOF, OutputFiles
from sekisho.gate.tables.stage import TableCandidate
from sekisho.tables.files.pattern import MARK, pattern_frame, public_frame


def make_table_files(best: TableCandidate, *, value: str, release: str = RELEASE) -> OutputFiles:
    """Return the pattern, its proof and, unless it is refused, the table as it may be published.

    Args:
        best: the chosen pattern.
        value: the name of the value's column.
        release: the name of the public file, whose ending says whether it is Parquet.
    """
    table, proof = best.release.table, best.release.certificate
    stays = {PATTERN: frame_bytes(pattern_frame(table, value=value), Path(PATTERN))}
    if proof is not None and proof.data is not None:
        stays[TABLE_PROOF] = proof.data
    if best.verdict is Verdict.REFUSE:
        return OutputFiles(confidential=stays)
    shown = public_frame(table, value=value)
    claim = PatternClaim(
        published=PublishedForm(file=release),
        dims=tuple(range(len(table.dims))),
        value=len(table.dims),
        mark=MARK,
        cells=shown.height,
        hidden=int((shown[value] == MARK).sum()),
    )
    return OutputFiles(
        offered={release: frame_bytes(shown, Path(release))},
        confidential=stays,
        claims=Claims(patterns=(claim,)),
        release=release,
    )
