"""Two persons decide, or nobody does: no one name, no one key, no borrowed reason, and nothing that was changed later."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import FaultsError, ParameterError
from sekisho.gate.certificate.reviews import (
    COPIED,
    Review,
    ReviewAnswer,
    ReviewDecision,
    ReviewRequest,
    ReviewSubject,
    check_reviews,
    count_own_letters,
    is_approved,
    is_same_name,
    tell_review,
)
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.gate.outcome import Verdict

ASKER, DECIDER, RUNNER = PrivateKey.make(), PrivateKey.make(), PrivateKey.make()
BODY, NOW = "0f" * 32, "2026-11-16T09:00:00Z"
PURPOSE = "Teaching data for the course at the university"
REASON = "The receiver has signed, and nobody rare is left."
SUBJECT = ReviewSubject(body=BODY, verdict=Verdict.REVIEW, signer=RUNNER.public)
LETTERS = st.text(st.characters(codec="utf-8"), max_size=60)


def ask(subject: ReviewSubject = SUBJECT, *, name: str = "Ken Mori", purpose: str = PURPOSE) -> Review:
    return Review.ask(subject, name=name, purpose=purpose, made=NOW, key=ASKER)


def decide(
    review: Review | None = None,
    *,
    subject: ReviewSubject = SUBJECT,
    name: str = "Hana Ito",
    reason: str = REASON,
    key: PrivateKey | None = DECIDER,
    decision: ReviewDecision = ReviewDecision.APPROVED,
) -> Review:
    return (review or ask()).decide(subject, decision, name=name, reason=reason, made=NOW, key=key)


def forge(review: Review, *, key: PrivateKey = DECIDER, **changes: str) -> Review:
    """Return an answer that breaks a rule, with a good signature, as another program may write it."""
    assert review.decided is not None
    answer = replace(review.decided, signature=None, **changes)
    return replace(review, decided=replace(answer, signature=key.sign(review.write_answer(answer))))


def list_columns(review: Review, subject: ReviewSubject = SUBJECT) -> list[str]:
    return [fault.column for fault in review.list_faults(subject)]


@pytest.mark.parametrize("decision", ReviewDecision)
def test_two_persons_with_two_keys_decide(decision: ReviewDecision) -> None:
    review = decide(decision=decision)
    assert list_columns(review) == []
    assert is_approved((review,), SUBJECT) is (decision is ReviewDecision.APPROVED)
    assert not is_approved((ask(),), SUBJECT)
    assert not is_approved((), SUBJECT)
    assert not is_approved((review, review), SUBJECT)


def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(FaultsError) as caught:
        Review.ask(SUBJECT, name=" ", purpose="?!", made=NOW, key=None)
    assert [fault.column for fault in caught.value.faults] == ["name", "purpose", "key"]
    with pytest.raises(FaultsError) as caught:
        decide(name="ken mori", reason="fine", key=ASKER)
    assert [fault.column for fault in caught.value.faults] == ["name", "reason", "key"]


@pytest.mark.parametrize("verdict", [Verdict.REFUSE, Verdict.RELEASE])
def test_only_what_is_left_to_persons_is_theirs_to_decide(verdict: Verdict) -> None:
    other = replace(SUBJECT, verdict=verdict)
    with pytest.raises(FaultsError, match="verdict must be review"):
        ask(other)
    with pytest.raises(FaultsError, match="verdict must be review"):
        decide(subject=other)
    assert list_columns(decide(), other) == ["verdict"]
    assert not is_approved((decide(),), other)


@pytest.mark.parametrize(
    "name", ["Ken Mori", "KEN  MORI", "Mori, Ken", "\uff2b\uff45\uff4e Mori", "Ke\u200bn Mori", "ken-mori"]
)
def test_one_name_written_in_another_way_is_the_same_person(name: str) -> None:
    with pytest.raises(FaultsError, match="name must be another"):
        decide(name=name)
    assert list_columns(forge(decide(), name=name)) == ["name"]


def test_other_names_are_other_persons() -> None:
    assert not is_same_name("Ken Mori", "Ken Morita")
    assert not is_same_name("森 健", "森 健一")
    assert is_same_name("森\u3000健", "森 健")


def test_one_key_however_it_is_written_is_the_same_person() -> None:
    for key, rule in ((ASKER, "the person who asks"), (RUNNER, "the one that signed the run")):
        with pytest.raises(FaultsError, match=rule):
            decide(key=key)
        assert list_columns(forge(decide(), key=key)) == ["key"]
    # 32 bytes fill 42 letters of base64 and 4 bits of the next: its last 2 bits may be anything
    review = forge(decide(), key=ASKER)
    assert review.decided is not None
    signature = review.decided.signature
    assert signature is not None
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = signature.key[:42] + alphabet[alphabet.index(signature.key[42]) ^ 1] + "="
    assert other != signature.key
    assert b64decode(other) == b64decode(signature.key)
    twisted = replace(review, decided=replace(review.decided, signature=replace(signature, key=other)))
    assert "key" in list_columns(twisted)


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "ok",
        "." * 40,
        " ".join("abcdefghijklmnopqrs"),  # 19 letters
        PURPOSE,
        PURPOSE.upper() + "!",
        f"{PURPOSE} {PURPOSE} approved",
        PURPOSE.replace(" ", ", "),
        "x" * 5000,
        "a reason that is long enough \x1b[2J",
    ],
)
def test_a_reason_is_ones_own_and_long_enough(reason: str) -> None:
    with pytest.raises(FaultsError, match="reason must have 20 letters"):
        decide(reason=reason)
    assert list_columns(forge(decide(), reason=reason)) == ["reason"]


def test_twenty_letters_are_enough() -> None:
    assert list_columns(decide(reason="abcdefghijklmnopqrst")) == []
    assert list_columns(decide(reason="契約書の締結を確認し、稀な値の残らないことを見ました。")) == []


@given(own=LETTERS, other=LETTERS)
def test_letters_of_ones_own_are_those_in_no_shared_run(own: str, other: str) -> None:
    letters, theirs = ("".join(sign for sign in _plain(text) if sign.isalnum()) for text in (own, other))
    run = min(COPIED, len(theirs))
    slow = sum(
        not any(
            run
            and at - back >= 0
            and at - back + run <= len(letters)
            and letters[at - back : at - back + run] in theirs
            for back in range(run)
        )
        for at in range(len(letters))
    )
    assert count_own_letters(own, other) == slow
    if theirs:
        assert count_own_letters(f"{other} {other}", other) == 0


def _plain(text: str) -> str:
    return normalize("NFKC", text).casefold()


REQUESTS = {"body": "aa" * 32, "name": "Jun Abe", "purpose": "Something else entirely", "made": "2026-11-17T09:00:00Z"}
ANSWERS = {"name": "Mei Abe", "reason": "Another reason than the one of before", "made": "2026-11-17T09:00:00Z"}


@pytest.mark.parametrize("name", REQUESTS)
def test_nothing_of_a_question_changes_after_it_was_signed(name: str) -> None:
    review = decide()
    changed = replace(review, asked=replace(review.asked, **{name: REQUESTS[name]}))
    assert {"asked", "decided"} <= set(list_columns(changed))
    assert not is_approved((changed,), SUBJECT)


@pytest.mark.parametrize("name", [*ANSWERS, "decision"])
def test_nothing_of_an_answer_changes_after_it_was_signed(name: str) -> None:
    review = decide(decision=ReviewDecision.REFUSED)
    assert review.decided is not None
    entries = {**ANSWERS, "decision": ReviewDecision.APPROVED}
    changed = replace(review, decided=replace(review.decided, **{name: entries[name]}))
    assert list_columns(changed) == ["decided"]
    assert not is_approved((changed,), SUBJECT)


def test_an_answer_counts_for_its_own_question_and_certificate_only() -> None:
    review, other = decide(), ask(purpose="Quite another purpose, with the same name")
    assert list_columns(replace(other, decided=review.decided)) == ["decided"]
    assert list_columns(review, replace(SUBJECT, body="aa" * 32)) == ["body"]
    with pytest.raises(FaultsError, match="decision must be made once"):
        decide(review)
    unsigned = replace(review, asked=replace(review.asked, signature=None))
    assert list_columns(unsigned) == ["asked", "decided"]


def test_whose_approval_is_asked_for_is_checked() -> None:
    def list_standings(review: Review, key: PrivateKey | None) -> list[tuple[str, str]]:
        checks = check_reviews((review,), SUBJECT, approver=None if key is None else key.public)
        return [(str(check.subject), str(check.standing)) for check in checks]

    approved = decide()
    assert list_standings(approved, DECIDER) == [("review", "confirmed"), ("who approved", "confirmed")]
    assert list_standings(approved, ASKER) == [("review", "confirmed"), ("who approved", "refuted")]
    assert list_standings(approved, None) == [("review", "confirmed"), ("who approved", "not checked")]
    refused = decide(decision=ReviewDecision.REFUSED)
    assert list_standings(refused, DECIDER) == [("review", "confirmed"), ("who approved", "refuted")]
    assert ("review", "refuted") in list_standings(forge(approved, name="ken mori"), None)


def test_nobody_writes_lines_of_ours() -> None:
    review = decide(reason="The receiver has signed\nok    signature: all is well\u202e")
    assert tell_review(review).startswith(
        f"Hana Ito approved it on {NOW}: The receiver has signed ok signature: all is well (Ken Mori asked"
    )


def test_a_time_is_a_time() -> None:
    with pytest.raises(ParameterError, match="made must be a time"):
        ReviewRequest(body=BODY, name="a", purpose="b", made="today")
    with pytest.raises(ParameterError, match="made must be a time"):
        ReviewAnswer(decision=ReviewDecision.APPROVED, name="a", reason="b", made="")
