"""Two persons decide what the gate leaves to persons: one asks, another one answers, and both sign.

The rule keeps one person from letting data out alone. Whoever asks says what the release is for; whoever answers has
another name and another key, neither the asking person's nor the one that signed the run, and writes a reason of her
own. Both sign the digest of the certificate's body, the second one also all that the first one signed: an answer can be
put neither below another question nor below another certificate. Only *review* is open to them: what the gate refuses,
nobody approves. That a name is the key's owner's is not in here; whose keys may approve, the house settles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from unicodedata import category, normalize

from sekisho.errors import Fault, FaultsError, ParameterError, say_rule, shorten
from sekisho.gate.certificate.canonical import list_entries, write_canonical
from sekisho.gate.certificate.recount import Check, CheckStanding, settle, settle_faults
from sekisho.gate.certificate.signing import PrivateKey, PublicKey, Signature, SignatureStanding, check_signature
from sekisho.gate.outcome import Verdict
from sekisho.words import Said

FORMAT = "sekisho gate review 1"
TIME_FORM = "%Y-%m-%dT%H:%M:%SZ"
LEAST_REASON = 20
"""So many letters and digits of her own a person's reason has."""
LEAST_PURPOSE = 4
COPIED = 8
"""A run of so many letters that stands in the other's text is the other's."""
MOST_NAME, MOST_TEXT = 200, 4000


class ReviewDecision(StrEnum):
    """What the second person decides."""

    APPROVED = "approved"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSubject:
    """What is decided about.

    Attributes:
        body: the digest of the certificate's body.
        verdict: of the gate.
        signer: whose key signed the run; None where it is unsigned.
    """

    body: str
    verdict: Verdict
    signer: PublicKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What the first person asks and signs.

    Attributes:
        body: the digest of the body of the certificate that it is about.
        name: who asks.
        purpose: what the release is for.
        made: when, in UTC.
        signature: of all of it; None while it is not signed.
    """

    body: str
    name: str
    purpose: str
    made: str
    signature: Signature | None = None

    def __post_init__(self) -> None:
        _check_time(self.made)

    @property
    def message(self) -> bytes:
        """What is signed."""
        return _write_message("asked", replace(self, signature=None))

    @property
    def key(self) -> PublicKey | None:
        """Whose key signed it."""
        return None if self.signature is None else self.signature.signer


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
    """What the second person decides and signs, together with the request.

    Attributes:
        decision: approved or refused.
        name: who decides.
        reason: why, in words of her own.
        made: when, in UTC.
        signature: of all of it; None while it is not signed.
    """

    decision: ReviewDecision
    name: str
    reason: str
    made: str
    signature: Signature | None = None

    def __post_init__(self) -> None:
        _check_time(self.made)

    @property
    def key(self) -> PublicKey | None:
        """Whose key signed it."""
        return None if self.signature is None else self.signature.signer


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A question and, once somebody has decided, its answer."""

    asked: ReviewRequest
    decided: ReviewAnswer | None = None

    @property
    def decision(self) -> ReviewDecision | None:
        """What was decided; None while nobody has. It counts only where :meth:`list_faults` names none."""
        return None if self.decided is None else self.decided.decision

    @classmethod
    def ask(cls, subject: ReviewSubject, *, name: str, purpose: str, made: str, key: PrivateKey | None) -> Review:
        """Return the first person's question, signed.

        Raises:
            FaultsError: everything that is wrong with it.
        """
        request = ReviewRequest(body=subject.body, name=name.strip(), purpose=purpose.strip(), made=made)
        faults = [*_list_open_faults(subject), *_list_request_faults(request), *_list_key_faults(key)]
        if faults or key is None:
            raise FaultsError(Said("the request for a decision"), faults)
        return cls(asked=replace(request, signature=key.sign(request.message)))

    def decide(
        self,
        subject: ReviewSubject,
        decision: ReviewDecision,
        *,
        name: str,
        reason: str,
        made: str,
        key: PrivateKey | None,
    ) -> Review:
        """Return it with the second person's answer, signed.

        Raises:
            FaultsError: everything that is wrong with the question or the answer.
        """
        answer = ReviewAnswer(decision=decision, name=name.strip(), reason=reason.strip(), made=made)
        faults = [
            *_list_open_faults(subject),
            *self._list_asked_faults(subject),
            *_list_answer_faults(self.asked, answer),
            *_list_key_faults(key),
            *([] if key is None else self._list_shared_keys(subject, key.public)),
        ]
        if self.decided is not None:
            faults.append(_find_fault("decision", Said("be made once"), self.decided.decision))
        if faults or key is None:
            raise FaultsError(Said("the decision"), faults)
        return replace(self, decided=replace(answer, signature=key.sign(self.write_answer(answer))))

    def list_faults(self, subject: ReviewSubject) -> Iterator[Fault]:
        """Give everything that keeps it from counting for a certificate."""
        yield from _list_open_faults(subject)
        yield from self._list_asked_faults(subject)
        if self.decided is None:
            return
        yield from _list_answer_faults(self.asked, self.decided)
        yield from _list_signature_faults("decided", self.decided.signature, self.write_answer(self.decided))
        if self.decided.key is not None:
            yield from self._list_shared_keys(subject, self.decided.key)

    def write_answer(self, answer: ReviewAnswer) -> bytes:
        """Return what the second person signs: the answer below all that the first one signed."""
        return _write_message("decided", Review(asked=self.asked, decided=replace(answer, signature=None)))

    def _list_asked_faults(self, subject: ReviewSubject) -> Iterator[Fault]:
        if self.asked.body != subject.body:
            yield _find_fault("body", Said("be the digest of this certificate's body"), self.asked.body)
        yield from _list_request_faults(self.asked)
        yield from _list_signature_faults("asked", self.asked.signature, self.asked.message)

    def _list_shared_keys(self, subject: ReviewSubject, key: PublicKey) -> Iterator[Fault]:
        if key == self.asked.key:
            yield _find_fault("key", Said("be another than that of the person who asks"), key.text)
        if key == subject.signer:
            yield _find_fault("key", Said("be another than the one that signed the run"), key.text)


def check_reviews(
    reviews: tuple[Review, ...], subject: ReviewSubject, *, approver: PublicKey | None = None
) -> Iterator[Check]:
    """Check what persons decided: that it is about this body, that they are two, and who approved if that is asked.

    Args:
        reviews: of a certificate.
        subject: the certificate.
        approver: whose approval is asked for; None if nobody's in particular.
    """
    for review in reviews:
        faults = (fault.message for fault in review.list_faults(subject))
        yield from settle_faults(Said("certificate|review"), faults, fine=tell_review(review))
    if len(reviews) > 1:
        count = Said("{reviews} reviews stand there, and a body is decided about once", reviews=len(reviews))
        yield settle(Said("certificate|review"), right=False, finding=count)
    approved = is_approved(reviews, subject)
    if approver is not None and subject.verdict is not Verdict.RELEASE:
        right = approved and all(each.decided is not None and each.decided.key == approver for each in reviews)
        finding = (
            Said("it is the key that was given") if right else Said("nobody approved it with the key that was given")
        )
        yield settle(Said("certificate|who approved"), right=right, finding=finding)
    elif approved:
        unknown = Said("approved by an unknown key: give --approver to say whose approval you expect")
        yield Check(subject=Said("certificate|who approved"), standing=CheckStanding.NOT_CHECKED, finding=unknown)


def is_approved(reviews: tuple[Review, ...], subject: ReviewSubject) -> bool:
    """Tell whether two persons let it leave, and nothing is wrong with that."""
    if len(reviews) != 1 or reviews[0].decision is not ReviewDecision.APPROVED:
        return False
    return next(reviews[0].list_faults(subject), None) is None


def tell_review(review: Review) -> Said:
    """Return in one sentence who asked and what became of it."""
    asked, decided = review.asked, review.decided
    name, purpose = _show(asked.name), _show(asked.purpose)
    if decided is None:
        return Said(
            "{name} asked on {made}, for: {purpose}; nobody has decided yet",
            name=name,
            made=asked.made,
            purpose=purpose,
        )
    who, reason = _show(decided.name), _show(decided.reason)
    if decided.decision is ReviewDecision.APPROVED:
        return Said(
            "{who} approved it on {made}: {reason} ({name} asked, for: {purpose})",
            who=who,
            made=decided.made,
            reason=reason,
            name=name,
            purpose=purpose,
        )
    return Said(
        "{who} refused it on {made}: {reason} ({name} asked, for: {purpose})",
        who=who,
        made=decided.made,
        reason=reason,
        name=name,
        purpose=purpose,
    )


def _show(text: str) -> str:
    """Return a person's text on one line and without signs that steer a terminal: nobody writes lines of ours."""
    return " ".join("".join(sign for sign in text if sign in "\n\t" or category(sign) not in {"Cc", "Cf"}).split())


def count_own_letters(text: str, other: str) -> int:
    """Return how many letters and digits of a text are its writer's own: in no run that stands in another text too."""
    letters, theirs = _list_letters(text), _list_letters(other)
    run = min(COPIED, len(theirs))
    starts = [at for at in range(len(letters) - run + 1) if run and letters[at : at + run] in theirs]
    copied = {at + step for at in starts for step in range(run)}
    return len(letters) - len(copied)


def is_same_name(first: str, second: str) -> bool:
    """Tell whether two names are one, whatever their case, width, blanks, signs and order of words."""
    return _list_words(first) == _list_words(second)


def _list_words(text: str) -> list[str]:
    plain = normalize("NFKC", text).casefold()
    return sorted("".join(sign if sign.isalnum() else " " for sign in plain if category(sign) != "Cf").split())


def _list_letters(text: str) -> str:
    return "".join(sign for sign in normalize("NFKC", text).casefold() if sign.isalnum())


def _list_open_faults(subject: ReviewSubject) -> Iterator[Fault]:
    if subject.verdict is not Verdict.REVIEW:
        rule = Said("be review: what the gate releases needs no decision, and what it refuses nobody approves")
        yield _find_fault("verdict", rule, str(subject.verdict))


def _list_request_faults(request: ReviewRequest) -> Iterator[Fault]:
    yield from _list_name_faults(request.name)
    if len(_list_letters(request.purpose)) < LEAST_PURPOSE or not _is_plain(request.purpose, MOST_TEXT):
        rule = Said("say what the release is for, in {least} to {most} characters", least=LEAST_PURPOSE, most=MOST_TEXT)
        yield _find_fault("purpose", rule, request.purpose)


def _list_answer_faults(request: ReviewRequest, answer: ReviewAnswer) -> Iterator[Fault]:
    yield from _list_name_faults(answer.name)
    if is_same_name(request.name, answer.name):
        yield _find_fault("name", Said("be another than that of the person who asks"), answer.name)
    if count_own_letters(answer.reason, request.purpose) < LEAST_REASON or not _is_plain(answer.reason, MOST_TEXT):
        rule = Said(
            "have {least} letters or digits at least that are not taken from the other person's text, and {most} "
            "characters at most",
            least=LEAST_REASON,
            most=MOST_TEXT,
        )
        yield _find_fault("reason", rule, answer.reason)


def _list_name_faults(name: str) -> Iterator[Fault]:
    if not _list_words(name) or not _is_plain(name, MOST_NAME):
        yield _find_fault("name", Said("be a person's name of {most} characters at most", most=MOST_NAME), name)


def _is_plain(text: str, most: int) -> bool:
    return len(text) <= most and not any(category(sign) == "Cc" and sign not in "\n\t" for sign in text)


def _list_key_faults(key: PrivateKey | None) -> Iterator[Fault]:
    if key is None:
        yield _find_fault("key", Said("be given"), None)


def _list_signature_faults(part: str, signature: Signature | None, message: bytes) -> Iterator[Fault]:
    standing = check_signature(signature, message, None)
    if standing is SignatureStanding.UNSIGNED:
        yield _find_fault(part, Said("be signed"), None)
    elif standing is SignatureStanding.INVALID:
        yield _find_fault(part, Said("be as it was signed"), signature.key if signature else None)


def _find_fault(column: str, rule: Said, value: object) -> Fault:
    shown = "" if value is None else shorten(value)
    return Fault(row=0, column=column, rule=rule, value=shown, message=say_rule(column, rule, value))


def _write_message(part: str, value: object) -> bytes:
    return f"{FORMAT}: {part}\n".encode() + write_canonical(list_entries(value))


def _check_time(made: str) -> None:
    try:
        datetime.strptime(made, TIME_FORM).replace(tzinfo=UTC)
    except ValueError as error:
        raise ParameterError("made", Said("be a time in UTC such as 2026-11-16T09:00:00Z"), made) from error
