"""Bad uploads to a contest's server: all refused with rule and place, none answered with 5xx, each within 2 seconds.

Those made by hand (`bad_uploads/cases.py`) and a thousand that are spoilt by chance (`bad_uploads/spoiling.py`) are
checked through the API in this process; then they are handed in, and what is not refused at once is scored. The check
before and the scoring must tell the same errors, and one of them must name the row and column that was spoilt.
At last a valid release and a valid attack are scored 100 times, which must give the same bytes each time. Run it with
PYTHONPATH=.; PostgreSQL by ``python tests/server/run_postgres.py python verify/server_bad_uploads.py``.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import cast

from bad_uploads.cases import Case, list_history_cases, list_record_cases
from bad_uploads.desks import Desk, make_records, open_desk
from bad_uploads.spoiling import draw_cases
from crash.place import RULES, make_materials
from sekisho.contest.folder.desk import EntryResult
from sekisho.contest.ledger import write_canonical
from sekisho.seeds import Seed
from sekisho.server.web.logs import configure_logs

CUSTOMERS, LIMIT = 30, 2.0
VARIABLE = "SEKISHO_TEST_POSTGRES"
Errors = list[dict[str, object]]


@dataclass(kw_only=True)
class Figures:
    """What became of bad uploads.

    Attributes:
        refused: told to be bad, with a rule for every error.
        misplaced: bad ones whose errors do not name the place that was spoilt.
        different: bad ones of which the check and the scoring tell different errors.
    """

    uploads: int = 0
    refused: int = 0
    taken: list[str] = field(default_factory=list[str])
    without_rule: list[str] = field(default_factory=list[str])
    misplaced: list[str] = field(default_factory=list[str])
    different: list[str] = field(default_factory=list[str])
    rules: dict[str, int] = field(default_factory=dict[str, int])

    def judge(self, desk: Desk, case: Case) -> None:
        """Have an upload checked, hand it in, score it, and note what is not as it must be."""
        self.uploads += 1
        title = f"{self.uploads} {case.name}"
        told = _read_errors(desk.check(case.kind, case.files).json())
        answer = desk.hand_in(case.kind, case.files)
        scored = answer.json()
        if answer.status_code == 201:
            scored = desk.score(int(scored["entry"]), desk.last_team)
        again = _read_errors(scored)
        for rule in {str(each["rule"]) for each in told}:
            self.rules[rule] = self.rules.get(rule, 0) + 1
        if not told or not again:
            self.taken.append(title)
            return
        self.refused += 1
        if not all(each["rule"] and each["message"] for each in [*told, *again]):
            self.without_rule.append(title)
        if case.rules and not case.rules & {str(each["rule"]) for each in told}:
            self.without_rule.append(f"{title}: {told[0]}")
        if case.place is not None and not any(_is_at(each, case.place) for each in told):
            self.misplaced.append(f"{title} at {case.place}: {told[0]}")
        if _key(told) != _key(again):
            self.different.append(f"{title}: {told[0]} and {again[0]}")


def _read_errors(answer: dict[str, object]) -> Errors:
    """Return the errors of a refusal, a check, or a scored file; none where it is taken."""
    return [] if answer.get("status") == "pending" else cast("Errors", answer["errors"])


def _is_at(error: dict[str, object], place: tuple[int, str]) -> bool:
    """Tell whether an error names a place; one that is about the whole row names all its columns."""
    return error["row"] == place[0] and (not place[1] or error["column"] in ("", place[1]))


def _key(errors: Errors) -> set[tuple[str, ...]]:
    return {tuple(str(each[name]) for name in ("row", "column", "rule", "value")) for each in errors}


def score_again(desk: Desk, times: int) -> dict[str, int]:
    """Score a release and an attack so many times; return how many different bytes came out of each."""
    contest = desk.worker.open_contest(1, desk.worker.store.folder)
    first = next(entry for entry in contest.state.entries if not entry.is_attack)
    attack = next(entry for entry in contest.state.entries if entry.is_attack)
    return {
        name: len({write_canonical(asdict(_score_anew(desk, number))) for _ in range(times)})
        for name, number in (("release", first.number), ("attack", attack.number))
    }


def _score_anew(desk: Desk, number: int) -> EntryResult:
    desk.worker.opened.clear()  # even the original is read again
    with TemporaryDirectory() as place:
        contest = desk.worker.open_contest(1, Path(place))
        return contest.score(contest.state.entries[number - 1])


def run_campaign(folder: Path, options: Namespace) -> dict[str, object]:
    """Send everything, and return the figures."""
    seed, begun = Seed(options.seed), perf_counter()
    materials = make_materials(seed.child("materials"), CUSTOMERS)
    rules, release, original = make_records(folder / "rules")
    with ExitStack() as stack:
        released = {"released": materials.releases[0]}
        history = stack.enter_context(
            open_desk(folder / "history", options.database, RULES, released, materials.original)
        )
        records = stack.enter_context(open_desk(folder / "records", options.database, rules, release, original))
        history.guess, records.guess = {"guess": materials.guess}, {"guess": b"-1,-1,-1\n" * 9}
        for desk in (history, records):
            number = int(desk.hand_in("attack", desk.guess).json()["entry"])
            assert desk.score(number, desk.last_team)["status"] == "valid"
            desk.slowest = desk.most_work = 0.0  # what came before was valid, and loaded the program
        by_hand, generated = Figures(), Figures()
        for case in list_history_cases(history):
            by_hand.judge(history, case)
        for case in list_record_cases(records):
            by_hand.judge(records, case)
        for _, (desk, case) in zip(
            range(options.generated), draw_cases(history, records, seed.child("spoiling").rng()), strict=False
        ):
            generated.judge(desk, case)
        desks = (history, records)
        return {
            "by_hand": asdict(by_hand),
            "generated": asdict(generated),
            "answers": dict(sorted(sum((Counter(desk.statuses) for desk in desks), Counter[int]()).items())),
            "slowest_seconds": round(max(desk.slowest for desk in desks), 3),
            "slowest_cpu_seconds": round(max(desk.most_work for desk in desks), 3),
            "different_bytes_of_equal_scorings": [score_again(desk, options.scorings) for desk in desks],
            "seconds": round(perf_counter() - begun, 1),
        }


def is_good(figures: dict[str, object]) -> bool:
    """Tell whether everything is as it must be; the time is told, and decides nothing."""
    parts = [cast("dict[str, object]", figures[name]) for name in ("by_hand", "generated")]
    wrong = any(part[name] for part in parts for name in ("taken", "without_rule", "misplaced", "different"))
    broken = any(status >= 500 for status in cast("dict[int, int]", figures["answers"]))
    scorings = cast("list[dict[str, int]]", figures["different_bytes_of_equal_scorings"])
    return not wrong and not broken and all(count == 1 for desk in scorings for count in desk.values())


def main() -> int:
    """Run the campaign and tell its figures; status 1 if a bad upload was taken, or told wrongly."""
    parser = ArgumentParser(description="Send bad uploads to a contest's server.")
    parser.add_argument("--generated", type=int, default=1000)
    parser.add_argument("--scorings", type=int, default=100)
    parser.add_argument("--database", default=os.environ.get(VARIABLE, ""), help="a PostgreSQL; SQLite if not given")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    configure_logs(StringIO())
    with TemporaryDirectory(prefix="sekisho-bad-") as place:
        figures = run_campaign(Path(place), options)
    kind = "PostgreSQL" if options.database else "SQLite"
    machine = {"processors": os.cpu_count(), "load": round(os.getloadavg()[1], 1)}
    print(json.dumps({"database": kind, "seed": options.seed, "machine": machine, **figures}, indent=1))
    return 0 if is_good(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
