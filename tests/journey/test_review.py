"""What two persons approve leaves as it was judged, whole or not at all; what one refuses stays, and stays known."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from tests.gate.runs import write_table

from sekisho.errors import FaultsError, InputError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.certificate.reviews import Review, ReviewDecision
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.policy import Policy
from sekisho.journey.folders import OutputFolders
from sekisho.journey.review import (
    ReviewStanding,
    ReviewState,
    ask_review,
    decide_review,
    hand_over,
    read_review,
)
from sekisho.journey.run import pass_gate
from sekisho.words import Said

ASKER, DECIDER = PrivateKey.make(), PrivateKey.make()
PURPOSE = "Teaching data for the course at the university"
REASON = "The receiver has signed, and nobody rare is left."
FILES = {"release.csv", "report.html", "certificate.json"}
EVENTS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "shutil.rmtree")


class Killed(BaseException):
    """The end of a process, which no handler of ours sees."""


class Killer:
    """Ends the work before the n-th change of the file system; a file that is opened to be written is one, too."""

    def __init__(self) -> None:
        self.left: int | None = None
        sys.addaudithook(self.count)

    def stop(self) -> bool:
        """Kill nobody any more; return whether the work ended before it was killed."""
        waits, self.left = self.left is not None, None
        return waits

    def count(self, event: str, arguments: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(arguments[1], str) and set("wax+") & set(arguments[1])
        if self.left is None or not (writes or event in EVENTS):
            return
        self.left -= 1
        if self.left < 0:
            self.left = None
            raise Killed


KILLER = Killer()


def run_for_review(folder: Path, out: Path, verdict: Verdict = Verdict.REVIEW) -> Path:
    def add_reason(_: Policy, reasons: Iterable[Reason]) -> tuple[Reason, ...]:
        exceeded = Said("{name} is {value:.4g}, at most {limit:g} leaves unseen", name="ncp", value=1.0, limit=0.0)
        return (*reasons, Reason(rule="limit exceeded", verdict=verdict, detail=exceeded))

    recipe = write_table(folder)
    recipe.write_text(f'{recipe.read_text()}\n[policy]\n"limit exceeded" = "{verdict}"\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Policy, "judge", add_reason)
        assert pass_gate(recipe, out=out).verdict is verdict
    return out


@pytest.fixture(scope="module")
def awaiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("awaiting")
    return run_for_review(folder, folder / "gate")


@pytest.fixture
def out(awaiting: Path, tmp_path: Path) -> Path:
    return copytree(awaiting, tmp_path / "gate")


def ask(out: Path) -> ReviewState:
    return ask_review(out, name="Ken Mori", purpose=PURPOSE, key=ASKER)


def approve(
    out: Path, *, name: str = "Hana Ito", reason: str = REASON, key: PrivateKey = DECIDER, seen: str | None = None
) -> ReviewState:
    return decide_review(out, ReviewDecision.APPROVED, name=name, reason=reason, key=key, seen=seen)


def refuse(out: Path) -> ReviewState:
    return decide_review(out, ReviewDecision.REFUSED, name="Hana Ito", reason=REASON, key=DECIDER)


def list_public(out: Path) -> set[str]:
    return {path.name for path in (out / "public").iterdir()}


def read_tree(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_what_is_approved_is_what_was_judged_byte_for_byte(out: Path) -> None:
    proposed = out / "confidential" / "proposed"
    judged = {name: (proposed / name).read_bytes() for name in FILES}
    body = Certificate.read(proposed / "certificate.json").subject.body
    assert read_review(out).standing is ReviewStanding.NOT_ASKED
    assert ask(out).standing is ReviewStanding.ASKED
    assert list_public(out) == set()
    state = approve(out, seen=body)
    assert (state.standing, state.place) == (ReviewStanding.APPROVED, out / "public" / "certificate.json")
    assert {path.name for path in state.public} == list_public(out) == FILES
    assert not proposed.exists()
    for name in FILES - {"certificate.json"}:
        assert (out / "public" / name).read_bytes() == judged[name]
    certificate = Certificate.read(state.place)
    assert certificate.is_approved
    assert replace(certificate, reviews=()).write() == judged["certificate.json"]
    found = verify_certificate(state.place, approver=DECIDER.public)
    assert found.valid
    assert any(check.subject == "opening" for check in found.checks)  # it is found from public, too
    assert not [path for path in (out / "confidential").iterdir() if path.name in {".partial", ".lock"}]


@pytest.mark.parametrize(
    ("column", "name", "reason", "key"),
    [
        ("key", "Hana Ito", REASON, ASKER),
        ("name", "mori ken", REASON, DECIDER),
        ("reason", "Hana Ito", PURPOSE, DECIDER),
        ("reason", "Hana Ito", "", DECIDER),
    ],
)
def test_one_person_alone_lets_nothing_out(out: Path, column: str, name: str, reason: str, key: PrivateKey) -> None:
    ask(out)
    before = read_tree(out)
    with pytest.raises(FaultsError) as caught:
        approve(out, name=name, reason=reason, key=key)
    assert [fault.column for fault in caught.value.faults] == [column]
    assert (read_tree(out), list_public(out)) == (before, set())


@pytest.mark.parametrize("name", ["release.csv", "report.html"])
def test_one_changed_byte_keeps_all_of_it_here(out: Path, name: str) -> None:
    ask(out)
    place = out / "confidential" / "proposed" / name
    data = bytearray(place.read_bytes())
    data[-2] ^= 1
    place.write_bytes(bytes(data))
    before = read_tree(out)
    with pytest.raises(FaultsError, match=f"{name} differs from what was certified"):
        approve(out)
    with pytest.raises(FaultsError, match=f"{name} differs from what was certified"):
        ask(out)
    assert (read_tree(out), list_public(out)) == (before, set())
    place.unlink()
    place.symlink_to(out / "confidential" / "report.html")
    with pytest.raises(FaultsError, match="is a link"):
        approve(out)
    assert list_public(out) == set()


def test_a_certificate_that_was_changed_after_the_question_is_another_one(out: Path) -> None:
    ask(out)
    place = out / "confidential" / "proposed" / "certificate.json"
    entries = json.loads(place.read_text())
    entries["made"] = "2020-01-01T00:00:00Z"
    place.write_text(json.dumps(entries))
    state = read_review(out)
    assert (state.standing, len(state.earlier)) == (ReviewStanding.NOT_ASKED, 1)
    with pytest.raises(FaultsError, match="nobody has asked about what lies here now"):
        approve(out)
    assert list_public(out) == set()


def test_a_decision_is_about_what_was_looked_at(out: Path) -> None:
    ask(out)
    with pytest.raises(FaultsError, match="is not what was looked at"):
        approve(out, seen="00" * 32)
    assert list_public(out) == set()


def test_what_lies_in_public_already_is_not_taken_for_approved(out: Path) -> None:
    ask(out)
    (out / "public" / "notes.txt").write_text("mine")
    with pytest.raises(FaultsError, match=r"public/notes\.txt: it lies in public and is no part"):
        approve(out)
    assert list_public(out) == {"notes.txt"}


@pytest.mark.parametrize("verdict", [Verdict.REFUSE, Verdict.RELEASE])
def test_only_review_is_left_to_persons(tmp_path: Path, verdict: Verdict) -> None:
    out = tmp_path / "gate"
    if verdict is Verdict.REFUSE:
        run_for_review(tmp_path, out, verdict)
    else:
        pass_gate(write_table(tmp_path), out=out)
    before = list_public(out)
    standing = {Verdict.REFUSE: ReviewStanding.IMPOSSIBLE, Verdict.RELEASE: ReviewStanding.NOT_NEEDED}[verdict]
    assert read_review(out).standing is standing
    for act in (ask, approve, refuse):
        with pytest.raises(FaultsError, match="verdict"):
            act(out)
    assert list_public(out) == before


def test_a_refusal_is_final_for_a_run_and_told_to_later_ones(out: Path, tmp_path: Path) -> None:
    ask(out)
    state = refuse(out)
    assert (state.standing, list_public(out)) == (ReviewStanding.REFUSED, set())
    for act in (ask, approve, refuse):
        with pytest.raises(FaultsError, match="it was decided: Hana Ito refused it"):
            act(out)
    found = verify_certificate(state.place)
    assert found.valid
    assert not found.certificate.is_approved
    assert any("a person refused it" in check.finding for check in found.checks)
    # another run at the same place: it may be asked about, and the refusal is still there
    recipe = write_table(tmp_path)
    (tmp_path / "cells.csv").write_text((tmp_path / "cells.csv").read_text().replace("30", "31"))
    later = pass_gate(recipe, out=out)
    assert any("Hana Ito refused it" in notice for notice in later.notices)
    assert [each.decision for each in read_review(out).earlier] == [ReviewDecision.REFUSED]


def test_a_run_made_again_awaits_a_new_decision(tmp_path: Path) -> None:
    out = run_for_review(tmp_path, tmp_path / "gate")
    ask(out)
    approve(out)
    run_for_review(tmp_path, out)
    state = read_review(out)
    assert (state.standing, list_public(out), len(state.earlier)) == (ReviewStanding.NOT_ASKED, set(), 1)
    ask(out)
    assert approve(out).standing is ReviewStanding.APPROVED


def test_a_question_that_nobody_answered_is_replaced(out: Path) -> None:
    ask(out)
    state = ask_review(out, name="Ken Mori", purpose="Figures for the yearbook of the city", key=ASKER)
    assert state.review is not None
    assert state.review.asked.purpose == "Figures for the yearbook of the city"
    assert approve(out).review == Certificate.read(out / "public" / "certificate.json").reviews[0]


def test_what_is_no_run_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    for act in (read_review, ask, approve):
        with pytest.raises(InputError, match="holds no certificate of a run"):
            act(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_nobody_decides_while_a_run_works_there(out: Path) -> None:
    ask(out)
    with OutputFolders(out).hold(), pytest.raises(InputError, match="is being written by another run"):
        approve(out)


@pytest.mark.parametrize("fault", ["key", "name", "reason", "body", "verdict", "signature"])
def test_verify_refuses_what_another_program_calls_approved(out: Path, fault: str) -> None:
    ask(out)
    place = approve(out).place
    certificate = Certificate.read(place)
    (review,) = certificate.reviews
    assert review.decided is not None
    key = ASKER if fault == "key" else DECIDER
    changes = {"name": {"name": "KEN MORI"}, "reason": {"reason": "fine"}}.get(fault, {})
    answer = replace(review.decided, signature=None, **changes)
    forged = replace(review, decided=replace(answer, signature=key.sign(review.write_answer(answer))))
    if fault == "signature":
        forged = replace(review, decided=replace(review.decided, reason="Another reason than what was signed"))
    if fault == "body":
        certificate = replace(certificate, made="2020-01-01T00:00:00Z")
    if fault == "verdict":
        certificate = replace(certificate, verdict=Verdict.REFUSE)
    place.write_bytes(replace(certificate, reviews=(forged,)).write())
    found = verify_certificate(place)
    assert not found.valid
    assert not found.certificate.is_approved
    assert "review" in [check.subject for check in found.refuted]


def test_killed_at_any_moment_public_is_empty_or_complete(out: Path, tmp_path: Path) -> None:
    ask(out)
    moments = 0
    while True:
        place = copytree(out, tmp_path / "killed")
        KILLER.left = moments
        with suppress(Killed):
            approve(place)
        ended = KILLER.stop()
        names = list_public(place)
        assert names in (set(), FILES), moments
        if names:
            assert read_review(place).standing is ReviewStanding.APPROVED
        else:
            assert approve(place).standing is ReviewStanding.APPROVED
        assert verify_certificate(place / "public" / "certificate.json").valid
        rmtree(place)
        if ended:
            break
        moments += 1
    assert moments > 10


def test_killed_while_refusing_nothing_leaves(out: Path, tmp_path: Path) -> None:
    ask(out)
    for moment in range(40):
        place = copytree(out, tmp_path / "killed")
        KILLER.left = moment
        with suppress(Killed):
            refuse(place)
        ended = KILLER.stop()
        assert list_public(place) == set()
        state = read_review(place)
        assert state.standing in {ReviewStanding.ASKED, ReviewStanding.REFUSED}
        rmtree(place)
        if ended:
            assert state.standing is ReviewStanding.REFUSED
            return
    raise AssertionError("the refusal never ended")


def test_a_forged_question_in_the_ledger_is_not_answered(out: Path) -> None:
    ask(out)
    ledger = out / "confidential" / "reviews.json"
    ledger.write_text(ledger.read_text().replace("Ken Mori", "Mei Abe"))
    assert isinstance(read_review(out).review, Review)
    with pytest.raises(FaultsError, match="asked must be as it was signed"):
        approve(out)
    assert list_public(out) == set()


def test_what_may_not_leave_is_handed_to_nobody(out: Path, tmp_path: Path) -> None:
    ask(out)
    with pytest.raises(FaultsError, match="nothing of this run may leave"):
        hand_over(out, tmp_path / "case")
    assert not (tmp_path / "case").exists()
    approve(out)
    (out / "public" / "release.csv").write_bytes(b"x,y\n1,2\n")
    with pytest.raises(FaultsError):
        hand_over(out, tmp_path / "case")
    assert not (tmp_path / "case").exists()


def test_what_is_handed_over_is_whole_or_not_there(out: Path, tmp_path: Path) -> None:
    ask(out)
    approve(out)
    former = {"release.csv": b"of an earlier version", "certificate.json": b"{}"}
    judged = {path.name: path.read_bytes() for path in (out / "public").iterdir()}
    for moment in range(200):
        case = tmp_path / "case"
        rmtree(case, ignore_errors=True)
        (case / "public").mkdir(parents=True)
        for name, data in former.items():
            (case / "public" / name).write_bytes(data)
        KILLER.left = moment
        with suppress(Killed):
            hand_over(out, case)
        over = KILLER.stop()
        there = (
            {path.name: path.read_bytes() for path in (case / "public").iterdir()} if (case / "public").exists() else {}
        )
        assert there in ({}, former, judged)
        if over:
            assert there == judged
            assert set(hand_over(out, case)) == set(judged)  # once more changes nothing
            return
    raise AssertionError
