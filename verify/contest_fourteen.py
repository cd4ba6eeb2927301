"""The contest of fourteen teams at a larger size, and thousands of random contests against the plain model.

Figures of a run are in bench/measured_contests.json. Called with ``--quick`` it does a small part.
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from sekisho.cli import status_of
from sekisho.contest.event import Event
from sekisho.seeds import Seed

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples")]


def answer(*words: object) -> dict[str, object]:
    """Return what a call answers as JSON; it must succeed."""
    out = StringIO()
    with redirect_stdout(out):
        status = status_of([*map(str, words), "--json"])
    assert status == 0, (status, words, out.getvalue())
    return json.loads(out.getvalue())


def play_large(customers: int) -> None:
    """Play the contest, replay its ledger, score every file again, evaluate the round from its files, and move it."""
    play = import_module("contest_of_fourteen").play
    with TemporaryDirectory() as place:
        folder, start = Path(place), perf_counter()
        with redirect_stdout(StringIO()):
            cup = play(folder, customers, Seed(2018))
        told = answer("contest", "standings", cup)
        again = answer("contest", "replay", cup, "--rescore")
        assert again["identical"]
        assert again["digest"] == told["digest"]
        final = answer("contest", "evaluate", cup / "rounds" / "final", "--rules", cup / "rules.toml")
        assert final["digest"] == told["digest"]
        answer("contest", "export", cup, "--out", folder / "cup.zip")
        moved = answer("contest", "import", folder / "cup.zip", "--out", folder / "again")
        assert moved["digest"] == told["digest"]
        rows = told["standings"]
        assert isinstance(rows, list)
        alive = sum(bool(row["survives"]) for row in rows)
        print(f"{customers} customers, 14 teams, {again['events']} events: {alive} releases survive")
        print(f"digest {told['digest']}: live, replayed, evaluated and imported alike")
        print(f"{perf_counter() - start:.0f} s")


def play_at_random(sequences: int) -> None:
    """Send random events to the referee and to the model."""
    machine = import_module("tests.contest.contest_machine")

    class Counted(machine.Contest):
        events = 0
        accepted = 0
        contests = 0

        def teardown(self) -> None:
            super().teardown()
            Counted.contests += 1
            Counted.accepted += len(self.model.events)

        def send(self, event: Event) -> None:
            Counted.events += 1
            super().send(event)

    start = perf_counter()
    how = settings(
        max_examples=sequences,
        stateful_step_count=60,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    run_state_machine_as_test(Counted, settings=how)
    print(f"{Counted.contests:,} contests, {Counted.events:,} events, {Counted.accepted:,} accepted: as the model says")
    print(f"{perf_counter() - start:.0f} s")


def main() -> None:
    """Run both parts."""
    quick = "--quick" in sys.argv[1:]
    play_at_random(50 if quick else 3000)
    play_large(30 if quick else 200)


if __name__ == "__main__":
    main()
