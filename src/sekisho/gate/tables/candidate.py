"""A table as it would leave, by whatever method, and what came of it at the gate."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sekisho.errors import ParameterError
from sekisho.gate.certificate.claims import PatternClaim
from sekisho.gate.certificate.recount import PublishedForm
from sekisho.gate.outcome import Candidate
from sekisho.gate.tables.finding import TableAttempt, TableFinding, list_cautions
from sekisho.gate.tables.people_adversary import PeopleFinding
from sekisho.gate.tables.search import SealedCertificate
from sekisho.provenance import Provenance
from sekisho.tables.audit.witness import Evidence
from sekisho.tables.files.pattern import MARK, public_frame
from sekisho.tables.methods import MadeRelease
from sekisho.tables.methods.frames import shown_frame
from sekisho.tables.model.table import Table
from sekisho.tables.model.whole_numbers import WholeNumbers, judge_whole_numbers
from sekisho.tables.suppress.optimiser import Suppression
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableRelease:
    """A table with its pattern.

    Attributes:
        table: the cells, suppressed or not; the true values of those that are hidden are in it, and stay here.
        provenance: what made the pattern.
        certificate: its proof; None for a pattern from elsewhere.
        answer: what the optimiser said; None likewise.
        made: what another method than hiding cells made of it; None for a pattern.
        witnesses: of its certificate, where a method made it.
    """

    table: Table
    provenance: Provenance
    certificate: SealedCertificate | None = None
    answer: Suppression | None = None
    made: MadeRelease | None = None
    witnesses: Evidence | None = None

    @property
    def whole(self) -> WholeNumbers:
        """What is known of attackers who know that cells are whole numbers."""
        judged = judge_whole_numbers(self.table)
        if self.made is None:
            return judged if self.certificate is None else self.certificate.judge_whole(self.table)
        if judged is WholeNumbers.NO_WHOLE_NUMBERS:
            return judged
        points = () if self.witnesses is None else self.witnesses.points
        shown = bool(points) and all(point.denominator == 1 for point in points)
        complete = self.certificate is not None and self.certificate.complete
        proven = complete and (self.made.release.theorem or shown)
        return WholeNumbers.PROVEN if proven else WholeNumbers.NOT_CONSIDERED

    def take_made(self) -> tuple[MadeRelease, SealedCertificate]:
        """Return what a method made, and its certificate.

        Raises:
            ParameterError: it is a pattern.
        """
        if self.made is None or self.certificate is None:
            raise ParameterError("release", Said("be made by a method"), self.provenance.name)
        return self.made, self.certificate

    def take_search(self) -> tuple[Suppression, SealedCertificate]:
        """Return what the optimiser said of a pattern that was searched for, and its certificate.

        Raises:
            ParameterError: it is from elsewhere.
        """
        if self.answer is None or self.certificate is None:
            raise ParameterError("release", Said("be a pattern that was searched for"), self.provenance.name)
        return self.answer, self.certificate

    def publish(self, *, value: str = "value", mark: str = MARK) -> pl.DataFrame:
        """Return the table as it may be published: one mark for every suppressed cell, unsafe or not."""
        if self.made is not None:
            return shown_frame(self.made.release, value=value)
        return public_frame(self.table, value=value, mark=mark)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewedPattern(Candidate[TableAttempt]):
    """One pattern of a table, and what speaks against it.

    Attributes:
        insiders: how many contributors of one cell were considered together.
    """

    release: TableRelease
    insiders: int = 0

    @property
    def against(self) -> str:
        """Against whom what is proven holds, in words; nothing of a method other than hiding cells."""
        return self.release.whole.words if self.release.made is None else ""

    @property
    def cautions(self) -> tuple[Said, ...]:
        """That insiders were not considered, where it is known what contributors gave."""
        if self.release.made is not None:
            return ()
        return list_cautions([self.release.table], insiders=self.insiders)

    @property
    def remarks(self) -> tuple[Said, ...]:
        """That the time cut the search short, and what a method says of itself."""
        own = () if self.release.made is None else self.release.made.remarks
        return own if self.release.answer is None else (*own, *self.release.answer.cut_short)

    @property
    def risk(self) -> float:
        """The largest share of the unsafe cells that an attacker estimates too closely, or of people whom he knows."""
        return max((max(len(each.exposed), each.hits) / max(1, each.claimed) for each in self.attempts), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableCandidate(ReviewedPattern):
    """One pattern of a table, and what came of it.

    Attributes:
        finding: what the attackers can derive.
        rebuilt: what the people behind the tables can be rebuilt from them, by each who tried.
    """

    finding: TableFinding
    rebuilt: tuple[PeopleFinding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedFrames:
    """One table of a release: name, public file, number of dimensions, what stays in the house and what is offered."""

    name: str
    file: str
    dims: int
    kept: pl.DataFrame
    shown: pl.DataFrame

    def claim(self) -> PatternClaim:
        """Return what the certificate says of the public file."""
        return PatternClaim(
            published=PublishedForm(file=self.file),
            dims=tuple(range(self.dims)),
            value=self.dims,
            mark=MARK,
            cells=self.shown.height,
            hidden=int((self.shown.to_series(self.dims).cast(pl.String) == MARK).sum()),
            table=self.name or None,
        )
