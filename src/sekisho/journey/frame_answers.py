"""What questions about a frame answer: values that a notebook shows as the page of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from io import BytesIO

import polars as pl

from sekisho.data.frame.convert import FrameKind, give_frame
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import InfeasibleError
from sekisho.gate.account.account import Account
from sekisho.gate.ending import Ending
from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.records.comparison import Compared, Comparison
from sekisho.journey.release import OneRelease
from sekisho.journey.result import frame_page
from sekisho.provenance import Provenance
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.risk.comparison import COMPARISON_TITLE, comparison_blocks
from sekisho.report.pages.risk.record_risk import render_risk_page
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.risk_answer import describe_risk
from sekisho.words import Language, Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameRisk:
    """How easily the people of a table are found.

    Attributes:
        risk: all that was counted.
        kept: of what was asked for (``k``, ``l``, ``t``) whether it holds.
        provenance: what was asked.
    """

    risk: RecordRisk
    kept: Mapping[str, bool]
    provenance: Provenance

    @property
    def k(self) -> int:
        """The size of the smallest class of equal keys."""
        return self.risk.k

    @property
    def uniques(self) -> int:
        """How many records are alone in their class."""
        return self.risk.uniques

    @property
    def good(self) -> bool:
        """Whether everything holds that was asked for."""
        return all(self.kept.values())

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data, as the command answers in JSON."""
        return describe_risk(self.risk) | ({"kept": dict(self.kept)} if self.kept else {})

    def page(self, language: Language = Language.EN) -> str:
        """Return the page of the report; it shows rows and key values, and stays in the house."""
        return render_risk_page(self.risk, self.provenance, language=language)

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own."""
        return frame_page(self.page().encode())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProtectedFrame:
    """A release of a table.

    Attributes:
        made: the release, what stands against it, what a person must look at.
        kind: whose frames are given.
        seed: that makes the same release again; None where the chance was secret.
        notices: what was found out, left out or dropped in reading.
    """

    made: OneRelease
    kind: FrameKind
    seed: int | None
    notices: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What should happen with it."""
        return self.made.verdict

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the verdict is no better."""
        return tuple(self.made.candidate.reasons)

    @property
    def ending(self) -> Ending:
        """May it leave, and why."""
        return self.made.ending

    @property
    def account(self) -> Account:
        """What covers each column that leaves, counted; what nobody accounts for is open."""
        return self.made.candidate.account

    @property
    def detail(self) -> Mapping[str, object]:
        """What the method tells of what it made."""
        return self.made.detail

    @property
    def release(self) -> Release:
        """The release beside its original, for attacks and measures; it stays in the house."""
        release = self.made.candidate.release
        if not isinstance(release, Release):
            raise InfeasibleError(Said("the rows of the release lie with an engine"))
        return release

    @property
    def frame(self) -> object:
        """The rows that may leave, in an order that tells nothing, as a frame of the caller's kind.

        Raises:
            ReviewNeededError: a column names people and is not allowed, or hidden cells can be worked out.
            InfeasibleError: the release must not leave.
        """
        return give_frame(self.table, self.kind)

    @property
    def table(self) -> pl.DataFrame:
        """The same as :attr:`frame`, of polars."""
        return pl.read_parquet(BytesIO(self.content))

    @property
    def content(self) -> bytes:
        """The rows that may leave, as the Parquet file that the command writes.

        Raises:
            ReviewNeededError: a column names people and is not allowed, or hidden cells can be worked out.
            InfeasibleError: the release must not leave.
        """
        if self.made.stays:
            raise InfeasibleError(Said("the release must not leave: {why}", why=self.ending.why))
        self.made.review.refuse()
        return self.made.files[self.made.place]

    def as_dict(self) -> dict[str, object]:
        """Return what is told of it as plain data."""
        told = {name: value for name, value in self.made.told.items() if name not in {"out", "mechanism"}}
        told |= {**self.made.review.as_dict(), **self.account.as_dict()}
        return {"verdict": self.verdict, "seed": self.seed, **self.detail, **told}

    def page(self, language: Language = Language.EN) -> str:
        """Return the page of the report, for whoever holds the data; of what must not leave only why."""
        if self.made.show is None:
            return "".join(f"<p>{escape(line)}</p>" for line in self.ending.list_lines())
        return self.made.show(language)

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own."""
        return frame_page(self.page().encode())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameComparison:
    """Releases of one table, side by side.

    Attributes:
        original: what is known of the original.
        releases: of each release, in their order.
        data: the original itself.
        question: what was compared.
        provenance: what was asked.
        notices: what had to be assumed.
    """

    original: Compared
    releases: tuple[Compared, ...]
    data: Dataset
    question: Comparison
    provenance: Provenance
    notices: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data, as the command answers in JSON."""
        return {
            "records": len(self.data),
            "keys": list(self.question.keys),
            "sensitive": list(self.question.sensitive),
            "original": self.original.as_dict(),
            "releases": [one.as_dict() for one in self.releases],
            "seed": self.provenance.seed,
        }

    def page(self, language: Language = Language.EN) -> str:
        """Return the page of the report; it stays in the house."""
        blocks = comparison_blocks(self.data, (self.original, *self.releases), self.provenance)
        return render_page(COMPARISON_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own."""
        return frame_page(self.page().encode())
