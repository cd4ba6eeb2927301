"""Runs of the desk: killed, cancelled, gone on with, waiting, refused memory; nothing in logs that is a value."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.gate.runs import write_keyed, write_table

from sekisho.journey.run import pass_gate
from sekisho.server.desk.runs.details import read_cells, read_rows, read_sections
from sekisho.server.desk.runs.jobs import Run, Runs, RunState, read_run
from sekisho.server.desk.runs.orders import RunOrder, find_process, name_run, note_process
from sekisho.server.desk.runs.run_process import run_order

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
MOST_SECONDS = 900.0


def make_order(folder: Path, recipe: Path, case: str = "case") -> RunOrder:
    return RunOrder.of(case=case, recipe=recipe, runs=folder / "runs", steps=folder / "steps", original="made up")


def sleeping_order(folder: Path, name: str, case: str) -> RunOrder:
    return RunOrder(case=case, recipe=folder / "recipe.toml", folder=folder / "runs" / name, steps=folder / "steps")


def wait_for(runs: Runs, order: RunOrder, *states: RunState) -> Run:
    end = monotonic() + MOST_SECONDS
    while monotonic() < end:
        run = runs.find(order.folder)
        if run is not None and run.state in states:
            return run
        sleep(0.02)
    raise AssertionError(runs.find(order.folder))


def test_a_run_in_its_process_gives_the_bytes_of_the_gate_and_no_value_is_in_its_progress(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    expected = pass_gate(recipe)
    order, runs = make_order(tmp_path, recipe), Runs()
    assert runs.start(order).state in {RunState.WAITING, RunState.RUNNING}
    run = wait_for(runs, order, RunState.FINISHED, RunState.FAILED, RunState.INTERRUPTED)
    assert run.state is RunState.FINISHED
    assert (order.folder / "public" / "release.csv").read_bytes() == expected.public["release.csv"]
    outcome = run.outcome
    assert outcome is not None
    assert outcome["verdict"] == expected.verdict
    (card,) = run.candidates
    assert card["attacks"][0]["low"] <= card["attacks"][0]["hits"] / card["attacks"][0]["claimed"]
    assert "Before and after" in [one["key"] for one in read_sections(order.folder, 0)]
    rows = read_rows(order.folder, 0, 0)
    assert rows is not None
    assert len(rows["rows"]) == 40
    for path in (order.folder / "candidates").rglob("*.json"):
        assert b"person-0" not in path.read_bytes()
    for name in ("progress.jsonl", "native.txt", "pid", "order.json"):
        text = (order.folder / name).read_text()
        assert not any(value in text for value in ("person-0", "north", "flu"))
    assert runs.start(order).state is RunState.FINISHED  # the same version is the same run


def test_a_killed_run_is_interrupted_and_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    order, runs = make_order(tmp_path, recipe), Runs()
    for seconds in (0.0, 0.4, 1.7):
        runs.start(order)
        sleep(seconds)
        pid = find_process(order.folder)
        if pid is not None:
            os.killpg(pid, signal.SIGKILL)
        over = wait_for(runs, order, RunState.INTERRUPTED, RunState.FINISHED)
        assert not any(path.suffix == ".part" and over.candidates for path in order.folder.glob("candidates/0*"))
    runs.start(order)
    wait_for(runs, order, RunState.FINISHED)
    assert (order.folder / "public" / "release.csv").read_bytes() == pass_gate(recipe).public["release.csv"]


def test_one_run_a_case_and_two_in_all_and_cancelling_lets_the_next_begin(tmp_path: Path) -> None:
    runs = Runs(command=SLEEPER)
    first, again, second, third = (
        sleeping_order(tmp_path, name, case) for name, case in (("1", "a"), ("2", "a"), ("3", "b"), ("4", "c"))
    )
    assert runs.start(first).state is RunState.RUNNING
    assert runs.start(first).state is RunState.RUNNING  # a double click
    waiting = runs.start(again)
    assert (waiting.state, waiting.before) == (RunState.WAITING, 0)
    assert runs.start(second).state is RunState.RUNNING
    assert runs.start(third).state is RunState.WAITING
    assert len(runs.list_under_way()) == 4
    runs.cancel(third.folder)
    runs.cancel(first.folder, wait=True)
    stopped = runs.find(first.folder)
    assert stopped is not None
    assert stopped.state is RunState.CANCELLED
    assert wait_for(runs, again, RunState.RUNNING)
    assert runs.go_on(third).state is RunState.WAITING
    runs.close()
    for order in (again, second):
        run = runs.find(order.folder)
        assert run is not None
        assert run.state is RunState.INTERRUPTED


def test_whoever_ignores_the_request_to_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekisho.server.desk.runs.jobs.GRACE_SECONDS", 0.3)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    runs, order = Runs(command=(sys.executable, "-c", deaf)), sleeping_order(tmp_path, "1", "a")
    runs.start(order)
    sleep(0.5)
    runs.cancel(order.folder, wait=True)
    assert find_process(order.folder) is None


def test_another_process_of_the_same_number_is_not_the_run(tmp_path: Path) -> None:
    note_process(tmp_path, os.getpid())
    assert find_process(tmp_path) == os.getpid()
    text = (tmp_path / "pid").read_text()
    (tmp_path / "pid").write_text(text.replace('"started": "', '"started": "earlier '))
    assert find_process(tmp_path) is None


def test_a_run_that_another_program_started_is_found_again(tmp_path: Path) -> None:
    first, order = Runs(command=SLEEPER), sleeping_order(tmp_path, "1", "a")
    first.start(order)
    second = Runs(command=SLEEPER)
    second.adopt(tmp_path / "runs")
    assert [run.digest for run in second.list_under_way()] == ["1"]
    assert second.start(sleeping_order(tmp_path, "2", "a")).state is RunState.WAITING
    second.close()
    first.close()
    assert find_process(order.folder) is None


def take_too_much(order: RunOrder) -> None:
    bytearray(order.memory * 2)


def go_wrong(order: RunOrder) -> None:
    raise ValueError(f"person-0001 {order.case}")


def test_more_memory_than_allowed_ends_with_its_key(tmp_path: Path) -> None:
    order = RunOrder(case="a", recipe=tmp_path, folder=tmp_path, steps=tmp_path, memory=1 << 28)
    assert run_order(order, take=take_too_much) == 1
    (tmp_path / "order.json").write_text(
        '{"case": "a", "recipe": "r", "steps": "s", "language": "en", "memory": 0, "jobs": 1}'
    )
    run = read_run(tmp_path)
    assert run is not None
    assert run.failure == {"key": "memory"}
    (tmp_path / "failure.json").unlink()
    (tmp_path / "native.txt").write_bytes(b"memory allocation of 8000000000 bytes failed\n")
    run = read_run(tmp_path)
    assert run is not None
    assert run.failure == {"key": "memory"}


def test_a_fault_of_ours_is_told_by_its_place_and_not_by_a_value(tmp_path: Path) -> None:
    order = RunOrder(case="a", recipe=tmp_path, folder=tmp_path, steps=tmp_path)
    assert run_order(order, take=go_wrong) == 1
    text = (tmp_path / "failure.json").read_text()
    assert "go_wrong" in text
    assert "person-0001" not in text


def test_a_recipe_that_is_wrong_fails_with_all_its_faults(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    recipe.write_text(recipe.read_text().replace("effort = 0", "effort = -1\nodd = 3"))
    order = make_order(tmp_path, recipe)
    order.folder.mkdir(parents=True)
    assert run_order(order) == 1
    assert '"key": "input"' in (order.folder / "failure.json").read_text()


def test_a_table_tells_why_each_cell_is_hidden(tmp_path: Path) -> None:
    order = make_order(tmp_path, write_table(tmp_path))
    order.folder.mkdir(parents=True)
    assert run_order(order) == 0
    cells = read_cells(order.folder, 0)
    assert cells is not None
    (table,) = cells["tables"]
    hidden = [one for one in table["cells"] if one["letter"] == "S"]
    assert hidden
    assert all(one["value"] is None and one["why"][0]["protects"] == {"": ["x", "p"]} for one in hidden)


def test_other_files_or_another_original_are_another_run(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    name = name_run(recipe, original="a")
    assert name_run(recipe, original="a") == name != name_run(recipe, original="b")
    (tmp_path / "people.toml").write_text("# changed")
    assert name_run(recipe, original="a") != name
