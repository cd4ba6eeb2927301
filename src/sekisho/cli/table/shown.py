"""The files of a table that a method shows, other than by hiding cells, and the answer that writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import Answer, say
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.table.describe import describe_certificate, describe_figures, tell_reasons
from sekisho.cli.table.written import PUBLIC, keep_files
from sekisho.data.files.plain_table import frame_bytes
from sekisho.errors import BugError
from sekisho.gate.ending import end_release
from sekisho.provenance import Provenance
from sekisho.report.pages.tables.stated import make_stated_page
from sekisho.tables.certificate.seal import CertifiedFile
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.explain import ShownReason, explain_shown
from sekisho.tables.methods.frames import shown_frame
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # the gate, which no other verb of tables needs
    from sekisho.gate.tables.candidate import ReviewedPattern, TableCandidate

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
        for notice in made.notices:
            say(notice)
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
        lines = {key: value for key, value in keys.items() if not isinstance(value, Mapping)}  # told in sentences
        told = tell_reasons(source, candidate.reasons)
        leaving = self.public or self.out
        return Answer(
            keys={**keys, **candidate.account.as_dict(), **told},
            words=describe_figures({**lines, "against": ", ".join(each.value for each in made.release.against)}),
            files=keep_files(files, candidate.verdict),
            ending=end_release(candidate, leaving, table=True),
        ).judged(candidate.verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStory:
    """How much is told of a release beside the answer."""

    report: Report = None
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Tell also why each unsafe cell is shown so, and what a reader concludes."),
    ] = False

    def add(self, answer: Answer, candidate: ReviewedPattern, origin: Provenance) -> Answer:
        """Return an answer with the page among its files and the explanation in its keys and words, where asked."""
        if not self.explain and self.report is None:
            return answer
        from sekisho.gate.tables.candidate import TableCandidate  # the gate, which no other verb of tables needs

        if not isinstance(candidate, TableCandidate):
            raise BugError("a release of a method was not audited")
        if self.report is not None:
            ending = None if answer.ending is None else answer.ending.on_page()
            page = make_stated_page(candidate, origin, ending=ending, language=chosen_language())
            answer = replace(answer, files={**answer.files, self.report: page})
        return self._explain(answer, candidate) if self.explain else answer

    def _explain(self, answer: Answer, candidate: TableCandidate) -> Answer:
        made, _ = candidate.release.take_made()
        table = made.release.table
        cells = np.flatnonzero(table.primary & ~table.unpublished).tolist()
        told = list(explain_shown(made.release, candidate.finding.audit, cells, candidate.release.witnesses))
        keys = {**answer.keys, "reasons": [_describe_reason(table, each) for each in told]}
        lines = [_tell_reason(table, each) for each in told]
        return replace(answer, keys=keys, words=join_words([answer.words, "", *lines], "\n"))


def _tell_reason(table: Table, reason: ShownReason) -> Said:
    alone = Said("nothing") if reason.alone is None else _write_ends(reason.alone)
    return Said(
        "{cell}: {why}; its number alone says {alone}, all numbers together {together}",
        cell=table.named(reason.cell),
        why=reason.why,
        alone=alone,
        together=_write_ends(reason.together),
    )


def _write_ends(ends: tuple[float, float]) -> str:
    return " – ".join(f"{end:g}" if isfinite(end) else "∞" for end in ends)


def _describe_reason(table: Table, reason: ShownReason) -> dict[str, object]:
    """Return why a cell is shown so as plain data."""
    return {
        "cell": table.named(reason.cell),
        "why": reason.why,
        "alone": None if reason.alone is None else [_end(end) for end in reason.alone],
        "together": [_end(end) for end in reason.together],
        "protects": [table.named(cell) for cell in reason.protects],
    }


def _end(width: float) -> float | None:
    return width if isfinite(width) else None
