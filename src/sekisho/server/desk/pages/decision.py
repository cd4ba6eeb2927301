"""What the page of a decision shows: how it stands with the run of a version, read from its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sekisho.data.files.whole_files import read_regular_file
from sekisho.errors import FaultsError, InputError
from sekisho.gate.certificate.reviews import Review, ReviewDecision, tell_review
from sekisho.gate.ending import HEADLINES
from sekisho.gate.names import name_subject
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.gate.output_files import CERTIFICATE, RELEASES, REPORT
from sekisho.journey.review import ReviewStanding, ReviewState, read_review
from sekisho.report.pages.verdicts.ending import TONES, WORDS
from sekisho.server.desk.cases import Case
from sekisho.server.desk.plain_data import Plain, read_plain
from sekisho.server.desk.runs.jobs import Runs, RunState
from sekisho.server.desk.runs.orders import OUTCOME
from sekisho.server.desk.shown import OpenCase
from sekisho.words import Said

DONE = (RunState.FINISHED, RunState.RUNNING, RunState.WAITING)
SIGNS = {Verdict.RELEASE: "✓", Verdict.REVIEW: "!", Verdict.REFUSE: "✗"}
STANDING_TONES = {
    Certainty.PROVEN: "good",
    Certainty.PROMISED: "plain",
    Certainty.NOT_REFUTED: "plain",
    Certainty.REFUTED: "bad",
}
FILE_WORDS: Mapping[str, Said] = {
    **dict.fromkeys(RELEASES.values(), Said("file|the release")),
    REPORT: Said("the page that may leave: no person, no original row"),
    CERTIFICATE: Said("verdict, figures, signatures"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavingFile:
    """A file that leaves, or would."""

    name: str
    words: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStatement:
    """What is known of a release, and how surely."""

    subject: str
    standing: Said
    tone: str
    detail: object
    assumes: object


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDecision:
    """How it stands with the run of a version.

    Attributes:
        verdict: may it leave now.
        headline: in large letters.
        outcome: of the run.
        review: how far two persons are.
        statements: what is proven, and what is not.
        files: that leave, or would.
        is_out: whether they lie in the case's ``public``.
    """

    verdict: Verdict
    headline: Said
    outcome: Plain
    review: ReviewState
    statements: Sequence[ShownStatement]
    files: Sequence[LeavingFile]
    is_out: bool

    @property
    def sign(self) -> str:
        """The verdict as a sign."""
        return SIGNS[self.verdict]

    @property
    def tone(self) -> str:
        """Its colour; what was not considered keeps it from being green."""
        clear = self.verdict is not Verdict.RELEASE or self.outcome["clear"] or self.is_approved
        return TONES[self.verdict].value if clear else "warn"

    @property
    def is_approved(self) -> bool:
        """Whether two persons let it leave."""
        return self.review.standing is ReviewStanding.APPROVED

    @property
    def asked(self) -> Review | None:
        """The question and its answer; None where nobody has asked."""
        return self.review.review

    @property
    def told(self) -> Said | None:
        """Who asked and what became of it, in one sentence."""
        return None if self.review.review is None else tell_review(self.review.review)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedProposal:
    """A change of the recipe that was tried, and what it leads to."""

    change: Mapping[str, str]
    words: Said
    tone: str
    loss: float | None
    risk: float | None
    lines: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAdvice:
    """What was tried to settle a decision, and how far that is."""

    polls: bool
    failed: bool
    done: int
    total: int
    proposals: Sequence[TriedProposal]


def read_decision(case: OpenCase) -> ShownDecision | None:
    """Return how it stands with the run of a version; None where none is finished."""
    run = case.run
    outcome = None if run is None else run.outcome
    if run is None or outcome is None:
        return None
    review = read_review(run.folder)
    verdict = review.certificate.verdict
    if review.public:
        verdict = Verdict.RELEASE
    elif review.standing is ReviewStanding.REFUSED:
        verdict = Verdict.REFUSE
    return ShownDecision(
        verdict=verdict,
        headline=HEADLINES[verdict],
        outcome=outcome,
        review=review,
        statements=[_show_statement(each) for each in outcome["statements"]],
        files=list(_list_files(review, outcome)),
        is_out=is_out(case.case, review),
    )


def _show_statement(told: Plain) -> ShownStatement:
    standing = Certainty(told["standing"])
    return ShownStatement(
        subject=name_subject(told["subject"]),
        standing=standing.words,
        tone=STANDING_TONES[standing],
        detail=told["detail"],
        assumes=told["assumes"],
    )


def _list_files(review: ReviewState, outcome: Plain) -> Iterator[LeavingFile]:
    if review.public:
        for path in review.public:
            data = read_regular_file(path)
            yield _name_file(path.name, len(data), sha256(data).hexdigest())
    else:
        for told in outcome["files"]["proposed"]:
            yield _name_file(told["name"], told["bytes"], told["sha256"])


def _name_file(name: str, size: int, digest: str) -> LeavingFile:
    words = FILE_WORDS.get(name, Said("file|one of the tables") if name.startswith("release-") else "")
    return LeavingFile(name=name, words=words, size=size, digest=digest)


def is_out(case: Case, review: ReviewState) -> bool:
    """Tell whether what this run lets out lies in the case's ``public``: by its certificate, which comes last."""
    there = case.public / CERTIFICATE
    ours = [path for path in review.public if path.name == CERTIFICATE]
    return bool(ours) and there.exists() and read_regular_file(there) == read_regular_file(ours[0])


def list_refusals_elsewhere(case: OpenCase) -> list[Said]:
    """Return what persons refused of other versions of the case: every later version is told of it."""
    own = None if case.run is None else case.run.folder
    folders = [folder for folder in sorted(case.case.runs.iterdir()) if folder != own and folder.is_dir()]
    told: list[Said] = []
    for folder in folders:
        told += _read_refusal(folder)
    return told


def _read_refusal(folder: Path) -> list[Said]:
    try:
        review = read_review(folder).review
    except (InputError, FaultsError):
        return []
    refused = review is not None and review.decision is ReviewDecision.REFUSED
    return [tell_review(review)] if refused and review is not None else []


def read_advice(runs: Runs, case: OpenCase) -> ShownAdvice | None:
    """Return what was tried to settle the decision of a version; None where nothing was."""
    run = None if case.run is None else runs.find(case.run.order.ask_advice().folder)
    if run is None:
        return None
    told = read_plain(run.folder / OUTCOME) or {}
    tried = [
        TriedProposal(
            change=each["change"],
            words=WORDS[Verdict(each["verdict"] or Verdict.REFUSE)],
            tone=TONES[Verdict(each["verdict"] or Verdict.REFUSE)].value,
            loss=each["loss"],
            risk=each["risk"],
            lines=each["lines"],
        )
        for each in told.get("proposals", [])
    ]
    done, rest = told.get("tried", 0), told.get("untried", 0)
    return ShownAdvice(
        polls=not run.state.is_over, failed=run.state not in DONE, done=done, total=done + rest, proposals=tried
    )
