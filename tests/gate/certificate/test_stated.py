"""A certificate says what its figures and its reasons say: each sentence that does not is named, and no other."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from sekisho.data.shape import Shape
from sekisho.gate.certificate.claims import Claims, TwinsClaim
from sekisho.gate.certificate.document import FIRST_FORMAT, Certificate, FileEntry, ReasonEntry, StatementEntry
from sekisho.gate.certificate.recount import CheckStanding, PublishedForm
from sekisho.gate.certificate.stated import check_statements
from sekisho.gate.outcome import Verdict
from sekisho.gate.statement_words import ARITHMETIC, ATTACKS, CLAIM, INTERVALS, name_attacks
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound

BROKEN = ReasonEntry(rule="guarantee broken", verdict=Verdict.REFUSE)
UNSAFE = ReasonEntry(rule="unsafe cell", verdict=Verdict.REFUSE)


def certify(shape: Shape, *statements: StatementEntry) -> Certificate:
    return Certificate(
        format=FIRST_FORMAT,
        shape=shape,
        title={"en": "made up"},
        made="2026-01-01T00:00:00Z",
        versions={},
        recipe={},
        verdict=Verdict.REFUSE,
        reasons=(),
        statements=statements,
        candidates=(),
        files={},
        sealed="0" * 64,
    )


def say(subject: str, standing: str, *, detail: str = "", assumes: str = "") -> StatementEntry:
    return StatementEntry(subject=subject, standing=standing, detail=detail, assumes=assumes)


def list_faults(certificate: Certificate) -> list[str]:
    checks = check_statements(certificate, Path())
    return [str(check.finding) for check in checks if check.standing is CheckStanding.REFUTED]


@pytest.mark.parametrize(
    ("shape", "asked", "statement", "reasons", "faults"),
    [
        (Shape.RECORDS, {"k_map": 3}, say("k-map", "refuted"), (), ["k-map: it is refuted, and no reason says so"]),
        (
            Shape.RECORDS,
            {"k_map": 3},
            say("k-map", "refuted"),
            (UNSAFE,),
            ["k-map: it is refuted, and no reason says so"],
        ),
        (Shape.RECORDS, {"k_map": 3}, say("k-map", "refuted"), (UNSAFE, BROKEN), []),
        (Shape.RECORDS, {"k_map": 3}, say("k-map", "promised", assumes="so it is"), (), []),
        (Shape.TABLE, {}, say(INTERVALS, "refuted"), (UNSAFE,), []),  # an unsafe cell is a reason of its own
    ],
)
def test_what_is_refuted_has_a_reason_that_says_so(
    shape: Shape,
    asked: dict[str, object],
    statement: StatementEntry,
    reasons: tuple[ReasonEntry, ...],
    faults: list[str],
) -> None:
    certificate = replace(certify(shape, statement), recipe={"guarantees": asked}, reasons=reasons)
    assert list_faults(certificate) == faults


def test_what_is_asked_for_is_spoken_of_where_something_leaves() -> None:
    asking = replace(certify(Shape.RECORDS), recipe={"guarantees": {"k_map": 3}})
    assert list_faults(asking) == []
    files = {"release.csv": FileEntry(sha256="0" * 64, bytes=1)}
    assert list_faults(replace(asking, files=files, release="release.csv")) == ["k-map: nothing is said of it"]


@pytest.mark.parametrize(
    ("shape", "statement", "faults"),
    [
        (Shape.RECORDS, say("privacy", "proven"), ["privacy: nothing supports this statement"]),
        (Shape.RECORDS, say(ATTACKS, "proven"), [f"{ATTACKS}: it cannot be proven"]),
        (Shape.RECORDS, say("sampling", "promised"), ["sampling: a promise says what it rests on"]),
        (Shape.RECORDS, say("sampling", "promised", assumes="chance"), []),
        (Shape.RECORDS, say(ATTACKS, "not refuted"), []),
        (
            Shape.RECORDS,
            say(ATTACKS, "not refuted", assumes="luck"),
            [f"{ATTACKS}: what attacks came to rests on nothing"],
        ),
        (Shape.TABLE, say(INTERVALS, "proven"), []),
        (Shape.TABLE, say(INTERVALS, "promised", assumes=ARITHMETIC), []),
        (Shape.TABLE, say(INTERVALS, "proven", detail="x, p"), [f"{INTERVALS}: of a table no more is said in public"]),
        (Shape.TABLE, say(INTERVALS, "proven", assumes="luck"), [f"{INTERVALS}: of a table no more is said in public"]),
        (Shape.HISTORY, say(name_attacks(Bound.EXACT), "not refuted"), []),
    ],
)
def test_no_more_is_said_than_the_gate_has_words_for(
    shape: Shape, statement: StatementEntry, faults: list[str]
) -> None:
    assert list_faults(certify(shape, statement)) == faults


def test_nothing_is_said_twice() -> None:
    sampling = say("sampling", "promised", assumes="chance")
    assert list_faults(certify(Shape.RECORDS, sampling, sampling)) == ["two statements are about the same"]


@pytest.mark.parametrize(
    ("standing", "said", "faults"),
    [
        (Standing.REFUTED, "refuted", 0),
        (Standing.REFUTED, "proven", 1),
        (Standing.REFUTED, None, 1),
        (Standing.NOT_PROVEN, None, 0),
        (Standing.NOT_PROVEN, "proven", 1),
    ],
)
def test_a_claim_that_does_not_hold_is_said_to_be_refuted_or_not_at_all(
    standing: Standing, said: str | None, faults: int
) -> None:
    claim = TwinsClaim(
        published=PublishedForm(file="release.csv"), pseudonym=0, classes={"2": 1}, p=Fraction(1, 3), standing=standing
    )
    statements = () if said is None else (say(CLAIM, said),)
    assert len(list_faults(replace(certify(Shape.HISTORY, *statements), claims=Claims(twins=(claim,))))) == faults
