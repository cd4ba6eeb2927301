"""What a run of the gate gives: the verdict, the outcome, and every file it wrote or would write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from sekisho.gate.certificate.document import Certificate
from sekisho.gate.counted.stage import CountedCandidate
from sekisho.gate.ending import Ending, move_files
from sekisho.gate.names import name_subject, translate_name
from sekisho.gate.outcome import Candidate, Outcome, Reason, Verdict
from sekisho.gate.output_files import PROPOSED, PUBLIC, REPORT, TEXT_REPORT, FileOnDisk, PlacedFiles
from sekisho.gate.tables.candidate import ReviewedPattern
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.entry import Entry
from sekisho.journey.folders import OutputFolders
from sekisho.utility.kept import average_loss, tell_kept
from sekisho.words import Said

PAGE_HEIGHT = 700
MOST_TOLD = 6
"""So many reasons, and so many statements, are told below an ending; the page has them all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GateResult:
    """A run of the gate.

    Attributes:
        entry: what was taken through it.
        outcome: all candidates and the chosen one; None where nothing could be made that protects.
        reasons: why the verdict is no better.
        certificate: of the run.
        public: the files that may leave, by name; none unless the verdict is *release*.
        proposed: the files that await the person who reviews them.
        confidential: the files that stay.
        moved: by place below the folder the files that are not held in memory, such as ``public/release.csv``.
        out: where they were written; None if they were not.
        seed: of the run; None where no chance plays a part.
        notices: what there is to say of the run besides, such as kept steps that were damaged.
        page_ending: how the run ends, as its page says it.
        changes: what would help most, where that was tried out.
    """

    entry: Entry
    outcome: Outcome[Any] | None
    reasons: tuple[Reason, ...]
    page_ending: Ending
    certificate: Certificate
    public: Mapping[str, bytes]
    proposed: Mapping[str, bytes]
    confidential: Mapping[str, bytes]
    moved: Mapping[str, FileOnDisk] = field(default_factory=dict[str, FileOnDisk])
    out: Path | None = None
    seed: int | None = None
    notices: tuple[str, ...] = ()
    changes: tuple[Said, ...] = ()

    @property
    def ending(self) -> Ending:
        """How the run ends, with its files where they were written."""
        said, folder = self.page_ending, Path() if self.out is None else self.out
        return replace(
            said,
            file=move_files(said.file, folder),
            awaits=move_files(said.awaits, folder),
            folder="" if self.out is None else str(folder),
            changes=self.changes,
        )

    def summarise(self) -> list[Said]:
        """Return what there is to know below the three lines of the ending."""
        best = self.best
        lines: list[Said] = []
        if best is not None and not best.attempts and not best.statements:
            label = translate_name(best.label)
            lines.append(Said("{label}: loss {loss:.4f}; nobody attacked it", label=label, loss=best.score.value))
        elif best is not None:
            lines.append(
                Said(
                    "{label}: loss {loss:.4f}; {bound}",
                    label=translate_name(best.label),
                    loss=best.score.value,
                    bound=best.found,
                )
                if isinstance(best, CountedCandidate)
                else Said(
                    "{label}: loss {loss:.4f}; attacks find {risk:.1%} at most",
                    label=translate_name(best.label),
                    loss=best.score.value,
                    risk=best.risk,
                )
            )
        lines += [] if best is None else [tell_kept(one) for one in best.kept[:MOST_TOLD]]
        lines += [
            Said("against it ({verdict}): {detail}", verdict=one.verdict.words, detail=one.detail)
            for one in self.reasons[:MOST_TOLD]
        ]
        statements = () if best is None else best.statements[:MOST_TOLD]
        lines += [
            Said(
                "{standing}: {subject}: {detail}",
                standing=one.standing.words,
                subject=name_subject(one.subject),
                detail=one.detail,
            )
            for one in statements
        ]
        return [*lines, *([] if self.report is None else [Said("the whole report: {report}", report=self.report)])]

    @property
    def files(self) -> PlacedFiles:
        """All files, where they belong."""
        return PlacedFiles(public=self.public, proposed=self.proposed, confidential=self.confidential, moved=self.moved)

    @property
    def verdict(self) -> Verdict:
        """What should happen with the release."""
        return self.certificate.verdict

    @property
    def is_good(self) -> bool:
        """Whether it may leave and enough is left of every column."""
        useless = any(one.rule == "column of hardly any use" for one in self.reasons)
        return self.verdict is Verdict.RELEASE and not useless

    @property
    def best(self) -> Candidate[Any] | None:
        """The chosen candidate; None where there was none to choose."""
        return None if self.outcome is None else self.outcome.best

    @property
    def text(self) -> str:
        """The confidential report as plain text."""
        return self.confidential[TEXT_REPORT].decode()

    @property
    def report(self) -> Path | None:
        """Where the confidential page was written."""
        return None if self.out is None else OutputFolders(self.out).confidential / REPORT

    def list_paths(self) -> dict[str, list[str]]:
        """Return where the files were written: those that may leave, those that await review, those that stay."""
        folders, files = OutputFolders(Path() if self.out is None else self.out), self.files
        return {
            "public": [str(folders.public / name) for name in files.list_names(PUBLIC)],
            "proposed": [str(folders.proposed / name) for name in files.list_names(PROPOSED)],
            "confidential": [str(folders.confidential / name) for name in self.confidential],
        }

    def as_dict(self) -> dict[str, object]:
        """Return the answer as plain data for JSON."""
        best = self.best
        certificate = None if self.out is None else str(self.out / self.files.certificate)
        return {
            "verdict": self.verdict,
            "ending": self.ending.as_dict(),
            "reasons": [one.as_dict() for one in self.reasons],
            "method": None if best is None else best.label,
            "utility": None if best is None else best.score.value,
            "kept": [] if best is None else [one.as_dict() for one in best.kept],
            "report": None if self.report is None else str(self.report),
            **self.list_paths(),
            "certificate": certificate,
            "statements": [] if best is None else [one.as_dict() for one in best.statements],
            **({} if best is None else best.account.as_dict()),
            **self._tell_tables(),
            "signed": self.certificate.signature is not None,
            "seed": self.seed,
            "candidates": [
                {"method": each.label, "verdict": each.verdict, "utility": each.score.value}
                | ({"kept": average_loss(each.kept)} if each.kept else {})
                for each in (() if self.outcome is None else self.outcome.candidates)
            ],
            "impossible": {} if self.outcome is None else dict(self.outcome.impossible),
        }

    def _tell_tables(self) -> dict[str, object]:
        """Return the tables that leave together, where they are several."""
        stage, best = self.entry.stage, self.best
        if not isinstance(stage, TableStage) or stage.system is None or not isinstance(best, ReviewedPattern):
            return {}
        return {"tables": stage.describe_tables(best.release.table, release=self.entry.release_name)}

    def _repr_html_(self) -> str:
        """Show the confidential page in a notebook, in a frame of its own."""
        return frame_page(self.confidential[REPORT])


def frame_page(page: bytes) -> str:
    """Return a page in a frame of its own, as a notebook shows it."""
    inside = escape(page.decode(), quote=True)
    return f'<iframe srcdoc="{inside}" style="width:100%;height:{PAGE_HEIGHT}px;border:0" title="report"></iframe>'
