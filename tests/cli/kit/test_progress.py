"""Long work must say how far it is from the second second on, also where a step takes long, and never beside the
answer."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from time import sleep

import pytest

from sekisho.cli.kit import progress
from sekisho.cli.kit.progress import show_progress, watch
from sekisho.compiling import begin_compiling, end_compiling


def slow(*steps: str) -> Iterator[str]:
    for step in steps:
        yield step
        sleep(0.15)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.05)


def test_work_in_steps_tells_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert watch(slow("one", "two"), doing="working", tell=str, keep=str) == "two"
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("working: 0 s, one\n")
    assert "two" in told.err


def test_work_without_steps_is_told_of_too(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("thinking"):
        sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    # after 0.05 s, and again after 0.05 and 0.10 more: it is told ever less often
    assert lines == ["thinking: 0 s"] * len(lines)
    assert 1 <= len(lines) <= 3


def test_what_is_compiled_once_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    begin_compiling("kernel", 100)
    try:
        with show_progress("thinking"):
            sleep(0.1)
    finally:
        end_compiling("kernel")
    with show_progress("thinking"):
        sleep(0.1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "thinking: 0 s, compiling once, about 20 s"  # 100 functions at .2 s
    assert lines[-1] == "thinking: 0 s"


def test_quick_work_is_silent(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 60.0)
    with show_progress("thinking"):
        pass
    assert capsys.readouterr().err == ""


def test_what_is_not_worth_keeping_is_interrupted() -> None:
    def broken() -> Iterator[str]:
        yield "nothing yet"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch(broken(), doing="working", tell=str, keep=lambda _: None)


def test_what_is_worth_keeping_is_kept_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> Iterator[str]:
        yield "the best"
        raise KeyboardInterrupt

    assert watch(broken(), doing="working", tell=str, keep=lambda step: f"{step} is kept") == "the best"
    assert "interrupted: the best is kept" in capsys.readouterr().err


def test_what_is_better_is_said_at_once_and_all_else_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the first line is said the clock stands a minute before the next one is due."""
    said, spoken = list[str](), Event()

    def say_and_turn_back(line: str) -> None:
        monkeypatch.setattr(progress, "monotonic", lambda: -60.0)
        said.append(line)
        spoken.set()

    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "monotonic", lambda: 0.0)
    monkeypatch.setattr(progress, "say", say_and_turn_back)
    with show_progress("working") as teller:
        assert spoken.wait(30)
        spoken.clear()
        teller.tell("no better")
        assert not spoken.wait(0.05)
        teller.tell("best 5", better=True)
        assert spoken.wait(30)
    assert [line.rpartition(", ")[2] for line in said] == ["working: 0 s", "best 5"]
