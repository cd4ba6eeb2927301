"""Controlled rounding of the shared tables: how near to the least, how sure, in how many CPU seconds; plain HiGHS beside.

``PYTHONPATH=. python bench/rounding_gaps.py [--seconds 60]`` writes ``measured_rounding.json``, which the page of
figures shows. Seconds are CPU seconds of the process. The plain reference is the same whole program given to HiGHS
in the same run: its limit is wall time, so what it used is told.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from time import process_time

from bench_tables import hierarchical, shared
from sekisho.tables.model.table import Table
from sekisho.tables.round.programs import RoundingColumns
from sekisho.tables.round.rounding import Rounder
from sekisho.tables.round.search import search_steps

HERE = Path(__file__).parent
TWO_WAY = ("t10x10", "t50x50", "t100x100", "h")
BASES = (3, 5, 10)


def round_least(table: Table, base: int, seconds: float) -> tuple[int, int, float]:
    """Return the least change found within some CPU seconds, what is proven, and after how many it was found."""
    choices, begun = Rounder(base=base).choose(table), process_time()
    last, spent = None, 0.0
    for step in search_steps(table, choices):
        now = process_time() - begun
        if now > seconds:
            break
        last, spent = step, now
    assert last is not None
    return int(last.cost), last.bound, spent


def round_plainly(table: Table, base: int, seconds: float) -> tuple[int, int, float]:
    """Return the same of HiGHS on the whole program."""
    choices, begun = Rounder(base=base).choose(table), process_time()
    columns = RoundingColumns.of(choices)
    program = columns.make_program(whole=True)
    program.limit(seconds=seconds, gap=0.0)
    solved = program.solve()
    start = choices.cost(columns.start)
    return round(solved.objective + start), round(solved.bound + start), process_time() - begun


def tell(figures: tuple[int, int, float]) -> str:
    """Return a result as a table has it."""
    cost, bound, seconds = figures
    gap = "proven least" if cost == bound else f"gap {100 * (cost - bound) / cost:.1f} %"
    return f"{cost:,} ({gap}), {seconds:.2f} s"


def main() -> None:
    """Measure and write."""
    parser = ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args().seconds
    rows: list[list[str]] = []
    for name in TWO_WAY:
        table = hierarchical() if name == "h" else shared(name)
        for base in BASES:
            ours, plain = round_least(table, base, seconds), round_plainly(table, base, seconds)
            rows.append([f"{name} ({len(table):,})", str(base), tell(ours), tell(plain)])
            print(*rows[-1], flush=True)
    table = shared("t20x20x20")
    for base in (3, 5):
        ours, plain = round_least(table, base, seconds), round_plainly(table, base, seconds)
        rows.append([f"t20x20x20 ({len(table):,})", str(base), tell(ours), tell(plain)])
        print(*rows[-1], flush=True)
    page = {
        "page": "controlled-rounding",
        "title": "Least change, and how sure",
        "command": "PYTHONPATH=. python bench/rounding_gaps.py",
        "machine": "two shared cores",
        "note": f"sum of all changes, zero-restricted; CPU seconds until the table was found, at most {seconds:g} "
        f"for neighbourhoods; plain HiGHS had {seconds:g} s of wall time",
        "columns": ["table (cells)", "base", "ours", "plain HiGHS on the whole program"],
        "rows": rows,
    }
    (HERE / "measured_rounding.json").write_text(json.dumps([page], indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
