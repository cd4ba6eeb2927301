"""How far a run has come: lines that were cut short do not count, an attempt begins anew, the rest is estimated."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.server.desk.runs.progress import CandidateStep, ProgressLog, RunProgress, read_progress


def step(number: int, label: str, seconds: float) -> CandidateStep:
    return CandidateStep(number=number, label=label, seconds=seconds, verdict="release", rules=("a rule",))


def test_a_line_that_was_cut_short_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    log = ProgressLog(path)
    log.begin(["partition k=3", "partition k=5"])
    log.tell(step(0, "partition k=3", 2.0))
    whole = path.read_bytes()
    log.tell(step(1, "partition k=5", 2.0))
    for size in range(len(whole), path.stat().st_size - 1):
        (tmp_path / "cut").write_bytes(path.read_bytes()[:size])
        assert read_progress(tmp_path / "cut").done == 1
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-9])
    ProgressLog(tmp_path / "cut").tell(step(1, "partition k=5", 2.0))
    assert read_progress(tmp_path / "cut").steps == read_progress(path).steps


def test_an_attempt_begins_anew(tmp_path: Path) -> None:
    log = ProgressLog(tmp_path / "progress.jsonl")
    log.begin(["a", "b"])
    log.tell(step(0, "a", 1.0))
    log.begin(["a", "b"])
    progress = read_progress(tmp_path / "progress.jsonl")
    assert (progress.done, progress.total, progress.label) == (0, 2, "a")
    assert read_progress(tmp_path / "nowhere") == RunProgress()


def test_what_is_left_is_the_mean_of_the_same_method() -> None:
    labels = ("lattice k=3", "partition k=3", "lattice k=5", "partition k=5")
    steps = (step(0, labels[0], 10.0), step(1, labels[1], 2.0))
    progress = RunProgress(labels=labels, steps=steps, moved=100.0)
    assert progress.estimate_left(100.0) == pytest.approx(12.0)  # 10 of a lattice and 2 of a partition
    assert progress.estimate_left(103.0) == pytest.approx(9.0)
    assert progress.estimate_left(1000.0) == pytest.approx(2.0)  # the lattice is late; the partition is still to come
    unknown = RunProgress(labels=("a k=1", "b k=1"), steps=(step(0, "a k=1", 4.0),), moved=0.0)
    assert unknown.estimate_left(0.0) == pytest.approx(4.0)  # no b is finished: the mean of all
    assert RunProgress(labels=labels).estimate_left(0.0) is None


def test_an_end_that_moves_away_is_told() -> None:
    labels = ("a k=1", "a k=2", "a k=3")
    quick = RunProgress(labels=labels, steps=(step(0, labels[0], 1.0), step(1, labels[1], 1.0)), moved=2.0)
    slow = RunProgress(labels=labels, steps=(step(0, labels[0], 1.0), step(1, labels[1], 30.0)), moved=31.0)
    assert not quick.is_slower
    assert slow.is_slower
