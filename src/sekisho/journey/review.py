"""What becomes of a run that a person must decide about: one asks, another one decides, and then it leaves or does not.

Until then everything lies in ``confidential/proposed``. What is approved is what was judged, byte for byte: every file
is read once, completed where nobody takes it from, checked there as ``sekisho verify`` checks it, together with the
certificate that now holds both signatures, and the whole folder takes the place of ``public`` in one step. Requests and
decisions of all runs at this place are kept in ``confidential/reviews.json``; a refusal stays known to later runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from sekisho.data.files.settings import build_settings
from sekisho.data.files.whole_files import read_regular_file
from sekisho.errors import Fault, FaultsError, InputError, ParameterError, SekishoError
from sekisho.gate.certificate.canonical import list_entries, read_json, write_readable
from sekisho.gate.certificate.checking import Verification, verify_certificate
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.certificate.reviews import Review, ReviewDecision, tell_review
from sekisho.gate.certificate.signing import PrivateKey, SignatureStanding
from sekisho.gate.outcome import Verdict
from sekisho.gate.output_files import CERTIFICATE, OPENING, REVIEWS
from sekisho.journey.folders import OutputFolders
from sekisho.journey.registering import EnteredOn, enter_with
from sekisho.journey.run_start import tell_time
from sekisho.words import Said, join_words

LEDGER_FORMAT = "sekisho gate reviews 1"


class ReviewStanding(StrEnum):
    """How far a decision is.

    Attributes:
        NOT_NEEDED: the gate's verdict is *release*.
        IMPOSSIBLE: it is *refuse*.
        NOT_ASKED: a person must decide, and nobody has asked one.
        ASKED: somebody has asked, and nobody has decided.
        APPROVED: it lies in ``public``.
        REFUSED: by a person; this run stays.
    """

    NOT_NEEDED = "not needed"
    IMPOSSIBLE = "impossible"
    NOT_ASKED = "not asked"
    ASKED = "asked"
    APPROVED = "approved"
    REFUSED = "refused"


SETTLED = {Verdict.RELEASE: ReviewStanding.NOT_NEEDED, Verdict.REFUSE: ReviewStanding.IMPOSSIBLE}
DECIDED = {
    None: ReviewStanding.ASKED,
    ReviewDecision.APPROVED: ReviewStanding.APPROVED,
    ReviewDecision.REFUSED: ReviewStanding.REFUSED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLedger:
    """The requests and decisions of all runs at a place, oldest first."""

    format: str = LEDGER_FORMAT
    reviews: tuple[Review, ...] = ()

    def __post_init__(self) -> None:
        if self.format != LEDGER_FORMAT:
            raise ParameterError("format", Said("be {format!r}", format=LEDGER_FORMAT), self.format)

    @classmethod
    def read(cls, folders: OutputFolders) -> ReviewLedger:
        """Return what is kept at a place; nothing where nobody has asked.

        Raises:
            InputError: it is no JSON object.
            SettingsError: keys or values are wrong.
        """
        place = folders.confidential / REVIEWS
        return build_settings(read_json(place), cls, source=str(place)) if place.exists() else cls()

    def keep(self, review: Review) -> bytes:
        """Return the file with one review more, which takes the place of its own request."""
        earlier = tuple(each for each in self.reviews if each.asked != review.asked)
        return write_readable(list_entries(replace(self, reviews=(*earlier, review))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewState:
    """How the decision about a run stands.

    Attributes:
        out: the run's folder.
        place: where its certificate stands.
        certificate: of the run.
        review: the request about it, with the decision if there is one; None where nobody has asked.
        earlier: other requests and decisions that are kept at this place, oldest first.
    """

    out: Path
    place: Path
    certificate: Certificate
    review: Review | None = None
    earlier: tuple[Review, ...] = ()

    @property
    def standing(self) -> ReviewStanding:
        """How far the decision is."""
        settled = SETTLED.get(self.certificate.verdict)
        if settled is not None:
            return settled
        return ReviewStanding.NOT_ASKED if self.review is None else DECIDED[self.review.decision]

    @property
    def body(self) -> str:
        """The digest of what is decided about; given back as ``seen`` it keeps a decision from meeting another run."""
        return self.certificate.subject.body

    @property
    def public(self) -> tuple[Path, ...]:
        """The files that may leave."""
        may_leave = self.standing in {ReviewStanding.NOT_NEEDED, ReviewStanding.APPROVED}
        return tuple(self.place.parent / name for name in (*self.certificate.files, CERTIFICATE)) if may_leave else ()


def read_review(out: Path) -> ReviewState:
    """Return how the decision about the run in a folder stands.

    Raises:
        InputError: there is no run, or its certificate cannot be read.
    """
    folders = OutputFolders(out)
    place, certificate = _find_certificate(folders)
    reviews = ReviewLedger.read(folders).reviews
    if place.parent == folders.public:
        own = certificate.reviews
    else:  # what was approved and made again since awaits a new decision
        listed = (*reviews, *certificate.reviews)
        own = tuple(each for each in listed if each.asked.body == certificate.subject.body)
        own = tuple(each for each in own if each.decision is not ReviewDecision.APPROVED)
        own = tuple(each for each in own if each.decision is ReviewDecision.REFUSED) or own
    current = own[-1] if own else None
    earlier = tuple(each for each in reviews if current is None or each.asked != current.asked)
    return ReviewState(out=out, place=place, certificate=certificate, review=current, earlier=earlier)


def ask_review(out: Path, *, name: str, purpose: str, key: PrivateKey | None) -> ReviewState:
    """Ask for the decision about the run in a folder; a question that nobody has answered is replaced.

    Args:
        out: the run's folder.
        name: who asks.
        purpose: what the release is for; it becomes public with the certificate, as the name does.
        key: the asking person's own.

    Raises:
        InputError: there is no run.
        FaultsError: everything that is wrong: what lies there is not what was judged, the verdict leaves nothing to
            decide, a person has refused it, or something is missing.
    """
    read_review(out)
    folders = OutputFolders(out)
    with folders.hold():
        state = read_review(out)
        faults = [*_list_decided_faults(state), *_list_changes(verify_certificate(state.place))]
        review: Review | None = None
        try:
            review = Review.ask(state.certificate.subject, name=name, purpose=purpose, made=tell_time(), key=key)
        except FaultsError as error:
            faults += error.faults
        if faults or review is None:
            raise FaultsError(out, faults)
        folders.keep(REVIEWS, ReviewLedger.read(folders).keep(review))
    return read_review(out)


def decide_review(
    out: Path, decision: ReviewDecision, *, name: str, reason: str, key: PrivateKey | None, seen: str | None = None
) -> ReviewState:
    """Decide about the run in a folder; what is approved lies in ``public`` afterwards, whole or not at all.

    Args:
        out: the run's folder.
        decision: approved or refused.
        name: who decides, another person than the one who asked.
        reason: why, in at least 20 letters of her own; it becomes public with the certificate, as the name does.
        key: the deciding person's own, neither the asking person's nor the one that signed the run.
        seen: the digest of what the deciding person has looked at (:attr:`ReviewState.body`); None if it is not known.

    Raises:
        InputError: there is no run, or a file cannot be written.
        FaultsError: everything that is wrong; then nothing has changed.
    """
    read_review(out)
    folders = OutputFolders(out)
    with folders.hold():
        state = read_review(out)
        faults = [*_list_decided_faults(state), *_list_unseen(state, seen), *_list_unasked(state)]
        review = state.review
        try:
            if review is not None and not faults:
                subject = state.certificate.subject
                review = review.decide(subject, decision, name=name, reason=reason, made=tell_time(), key=key)
        except FaultsError as error:
            faults += error.faults
        signed = replace(state.certificate, reviews=() if review is None or faults else (review,))
        if decision is ReviewDecision.APPROVED:
            staged, wrong = _stage(folders, state, signed)
            _settle_decision(out, [*faults, *wrong])
            leaving = {path.name: path.read_bytes() for path in staged.iterdir()}
            with enter_with(folders.confidential, leaving, into=folders, on=EnteredOn.PUBLISHING):
                folders.publish(staged, kept={REVIEWS: ReviewLedger.read(folders).keep(*signed.reviews)})
        else:
            _settle_decision(out, faults)
            folders.keep(REVIEWS, ReviewLedger.read(folders).keep(*signed.reviews))
            folders.keep(str(state.place.relative_to(folders.confidential)), signed.write())
    return read_review(out)


def _settle_decision(out: Path, faults: list[Fault]) -> None:
    if faults:
        raise FaultsError(out, faults)


def hand_over(out: Path, into: Path) -> tuple[str, ...]:
    """Put what a run may let out into the public folder of another place, whole or not at all; return its names.

    The gate's verdict is *release*, or two persons approved it; every file is read once and checked as ``sekisho
    verify`` checks it. What an earlier run let out there makes room in one step, before the new one takes its place in
    another: at no moment stands a part of either.

    Args:
        out: the run's folder.
        into: the place; its ``public`` is the one that people take from.

    Raises:
        InputError: there is no run, or a file cannot be written.
        FaultsError: nothing of it may leave, or something is not as it was judged; then nothing has changed.
    """
    state, folders = read_review(out), OutputFolders(into)
    _settle_decision(out, [] if state.public else [_find_fault("verdict", Said("nothing of this run may leave"))])
    with folders.hold():
        files = {path.name: read_regular_file(path) for path in state.public}
        staged = folders.stage(files)
        opening = OutputFolders(out).confidential / OPENING
        _settle_decision(out, list(_list_changes(verify_certificate(staged / CERTIFICATE, opening=opening))))
        with enter_with(OutputFolders(out).confidential, files, into=folders, on=EnteredOn.HANDING_OVER):
            folders.make_room()
            folders.publish(staged, kept={})
    return tuple(files)


def list_refusals(out: Path) -> tuple[Said, ...]:
    """Return what persons have refused at a place, in words; a later run is told of it."""
    refused = [each for each in ReviewLedger.read(OutputFolders(out)).reviews if each.decision == "refused"]
    return tuple(Said("an earlier decision here: {review}", review=tell_review(each)) for each in refused)


def _find_certificate(folders: OutputFolders) -> tuple[Path, Certificate]:
    """Return a run's certificate; what was delivered counts though a killed program left the proposed files as well."""
    places = [folder / CERTIFICATE for folder in (folders.public, folders.proposed, folders.confidential)]
    standing = [(place, Certificate.read(place)) for place in places if place.exists()]
    if not standing:
        raise InputError(folders.out, Said("holds no certificate of a run: give the folder that gate --out named"))
    leaving = [each for each in standing if each[0].parent == folders.public and _may_leave(each[1])]
    return (leaving or [each for each in standing if each[0].parent != folders.public] or standing)[0]


def _may_leave(certificate: Certificate) -> bool:
    return certificate.verdict is Verdict.RELEASE or certificate.is_approved


def _stage(folders: OutputFolders, state: ReviewState, signed: Certificate) -> tuple[Path, list[Fault]]:
    """Complete what would leave where nobody takes it from, and list what is not as it was judged."""
    faults, files = list(_list_strangers(folders)), dict[str, bytes]()
    for name in signed.files:
        try:
            files[name] = read_regular_file(state.place.parent / name)
        except SekishoError as error:
            faults.append(_find_fault(name, str(error)))
    staged = folders.stage({**files, CERTIFICATE: signed.write()})
    checked = verify_certificate(staged / CERTIFICATE, opening=folders.confidential / OPENING)
    unread = {fault.column for fault in faults}
    return staged, [*faults, *(fault for fault in _list_changes(checked) if fault.column not in unread)]


def _list_changes(checked: Verification) -> Iterator[Fault]:
    """Give what is not as the certificate says; what is wrong with a decision is told by whoever makes it."""
    reviews = Said("certificate|review")
    yield from (_find_fault(each.subject, each.finding) for each in checked.refuted if each.subject != reviews)
    if checked.signature is SignatureStanding.INVALID:
        yield _find_fault(CERTIFICATE, Said("the signature is invalid: it was changed, or somebody else signed it"))


def _list_strangers(folders: OutputFolders) -> Iterator[Fault]:
    """Give what lies in public already: whoever takes it from there would take it for approved."""
    names = sorted(place.name for place in folders.public.iterdir()) if folders.public.is_dir() else []
    for name in names:
        yield _find_fault(f"public/{name}", Said("it lies in public and is no part of what is decided: move it away"))


def _list_decided_faults(state: ReviewState) -> Iterator[Fault]:
    if state.review is not None and state.review.decision is not None:
        said = Said("it was decided: {review}; change something and run the gate", review=tell_review(state.review))
        yield _find_fault("decision", said)


def _list_unseen(state: ReviewState, seen: str | None) -> Iterator[Fault]:
    if seen is not None and seen != state.body:
        yield _find_fault("seen", Said("what lies here now is not what was looked at: look at it again"))


def _list_unasked(state: ReviewState) -> Iterator[Fault]:
    if state.standing is ReviewStanding.NOT_NEEDED:
        yield _find_fault("verdict", Said("the gate's verdict is release: there is nothing to decide"))
    elif state.standing is ReviewStanding.IMPOSSIBLE:
        yield _find_fault("verdict", Said("the gate's verdict is refuse: nobody approves that; change something"))
    elif state.standing is ReviewStanding.NOT_ASKED and state.earlier:
        changed = Said("nobody has asked about what lies here now: it was changed or made again since somebody asked")
        yield _find_fault("asked", changed)
    elif state.standing is ReviewStanding.NOT_ASKED:
        yield _find_fault("asked", Said("nobody has asked for a decision yet: sekisho review DIR --ask"))


def _find_fault(column: str, message: str) -> Fault:
    return Fault(row=0, column=column, rule="review", value="", message=join_words((message,)))
