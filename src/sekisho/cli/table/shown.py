"""The files of a table that a method shows, other than by hiding cells, and the answer that writes them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sekisho.cli.kit.answer import Answer
from sekisho.cli.table.describe import describe_certificate, describe_figures, tell_reasons
from sekisho.cli.table.written import PUBLIC, keep_files
from sekisho.data.files.plain_table import frame_bytes
from sekisho.gate.ending import end_release
from sekisho.tables.certificate.seal import CertifiedFile
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.methods.frames import shown_frame

if TYPE_CHECKING:  # the gate, which no other verb of tables needs
    from sekisho.gate.tables.candidate import ReviewedPattern

SHOWN = "shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenShown:
    """Where a table is written as it is shown: with what each number says, and the numbers alone if that is asked.

    Attributes:
        out: the place of the table with ``low`` and ``high``.
        public: of the numbers alone.
        value: the name of the value's column.
    """

    out: Path
    public: Path | None
    value: str

    def write(self, release: ShownRelease) -> dict[Path, bytes]:
        """Return the files of a release."""
        files = {self.out: frame_bytes(shown_frame(release, value=self.value, bounds=True), self.out)}
        if self.public is not None:
            files[self.public] = frame_bytes(shown_frame(release, value=self.value), self.public)
        return files

    def list_files(self, release: ShownRelease) -> list[CertifiedFile]:
        """Return the files of a release as its certificate names them."""
        cells = tuple(np.flatnonzero(~release.table.unpublished).tolist())
        return [
            CertifiedFile(role=SHOWN if path == self.out else PUBLIC, name=path.name, data=data, cells=cells)
            for path, data in self.write(release).items()
        ]

    def answer(self, candidate: ReviewedPattern, source: Path, certificate: Path) -> Answer:
        """Return the answer that writes a release and its certificate; what speaks against it is its exit status.

        Of a release that is refused nothing is written.
        """
        made, sealed = candidate.release.take_made()
        written = candidate.verdict.may_be_written
        files = self.write(made.release)
        if sealed.data is not None:
            files[certificate] = sealed.data
        keys = {
            **made.figures,
            "primary": int(candidate.score.detail["primary"]),
            "narrowest": _end(candidate.score.detail["narrowest"]),
            "loss": candidate.score.value,
            "out": str(self.out) if written else None,
            **({} if self.public is None else {"public": str(self.public) if written else None}),
            **describe_certificate(sealed, certificate if written else None),
        }
        told = tell_reasons(source, candidate.reasons)
        leaving = self.public or self.out
        return Answer(
            keys={**keys, **told},
            words=describe_figures({**keys, "against": ", ".join(each.value for each in made.release.against)}),
            files=keep_files(files, candidate.verdict),
            ending=end_release(candidate, leaving, table=True),
        ).judged(candidate.verdict)


def _end(width: float) -> float | None:
    return width if isfinite(width) else None
