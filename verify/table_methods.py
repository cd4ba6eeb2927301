"""Suppression, rounding, noise and intervals on one real table: what is changed, what readers lose, what can be known.

``PYTHONPATH=. python verify/table_methods.py`` counts the adult data (see ``real_data.py``) by education,
occupation and sex, publishes the table in each way with one width asked of unsafe counts (1 to 4), audits each exactly
and writes the figures that the page of figures shows (``bench/measured_table_methods.json``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from real_data import find_data
from sekisho.gate.tables.finding import TableFinding, audit_case
from sekisho.gate.tables.search import TableSearch
from sekisho.gate.tables.stated import audit_release, count_changed, measure_widths, score_loss
from sekisho.gate.tables.system import PatternCase, wrap_table
from sekisho.provenance import Provenance
from sekisho.seeds import secret_rng
from sekisho.tables.audit.statement_audit import find_inner
from sekisho.tables.files.records import RecordsBehind, RecordSource, RecordsRead
from sekisho.tables.methods import TableMethod
from sekisho.tables.methods.intervals import IntervalMethod
from sekisho.tables.methods.perturbing import PerturbMethod
from sekisho.tables.methods.rounding import RoundMethod
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.noise_file import write_noise
from sekisho.tables.perturb.rows import NoisePlan, VarianceCare
from sekisho.tables.rules.table_rules import TableRules

ROOT = Path(__file__).parents[1]
DIMS = ("education", "occupation", "sex")
WIDTH = 4.0
SECONDS = 20.0


def list_ways(read: RecordsRead, table: Table, folder: Path) -> Iterator[tuple[str, TableFinding, int, str]]:
    """Give each way to publish the table: its name, what a reader concludes, how many cells changed, the surest guess.

    ``folder`` holds the perturbation tables and the keys of the records as long as this runs.
    """
    pattern = TableSearch(seconds=SECONDS).suppress(table, Provenance(name="study")).answer.table
    finding = audit_case(PatternCase(system=wrap_table(pattern), shown=()), whole=True)
    yield "suppress", finding, int(pattern.suppressed.sum()), "–"
    records = RecordsBehind(parts=(read,), places=(np.arange(len(table)),))
    methods: dict[str, TableMethod] = {
        f"round, base {base}, {steps} steps": RoundMethod(base=base, steps=steps, seconds=SECONDS)
        for base, steps in ((5, 0), (3, 1))
    }
    for most, variance in ((2, 1), (5, 3)):
        plan = NoisePlan(most=most, variance=Fraction(variance), care=VarianceCare.AT_MOST)
        place = folder / f"P{most}.csv"
        place.write_bytes(write_noise(plan.make_table(), place))
        method = PerturbMethod(noise_file=place, key_file=folder / "people.keys", seconds=10 * SECONDS)
        methods[f"noise by keys, at most {most}, variance {variance}"] = method
    methods["intervals"] = IntervalMethod()
    for name, method in methods.items():
        made = method.make(table, rng=secret_rng(), records=records)
        sure = "–" if made.evidence is None else f"{made.evidence.chance[table.primary].max():.2f}"
        finding = audit_release(made.release, wrap_table(table), seconds=made.audit_seconds)
        yield name, finding, count_changed(made.release), sure


def describe_way(name: str, finding: TableFinding, touched: int) -> list[str]:
    """Return the figures of one way to publish the table."""
    table = finding.table
    score, width = score_loss(finding.audit, finding.release), measure_widths(finding.audit)
    unsafe = width[table.primary]
    return [
        name,
        f"{touched:,}",
        f"{100 * score.value:.1f} %",
        f"{unsafe.min():g}",
        f"{np.median(unsafe):g}",
        f"{int((unsafe < WIDTH).sum()):,}",
        f"{len(finding.disclosed):,}",
    ]


def choose_cells(table: Table) -> list[int]:
    """Return an unsafe inner cell of each count, the first in the order of the table."""
    inner = find_inner(table)
    found = [np.flatnonzero(table.primary & inner & (table.value == count)) for count in (1, 2, 4)]
    return [int(cells[0]) for cells in found if cells.size]


def tell_interval(finding: TableFinding, cell: int) -> str:
    """Return the least and the greatest count that a reader must think possible of one cell."""
    place = int(np.flatnonzero(finding.audit.cells == cell)[0])
    low, high = finding.audit.low[place], finding.audit.high[place]
    return f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} and more"


def main() -> int:
    """Measure and write; 0 if every way was measured."""
    adult = find_data("adult/adult.csv")
    if adult is None:
        return 1
    read = RecordSource(dims=DIMS).read_records(adult)
    table = read.read.table
    flagged = TableRules(min_count=5, width=WIDTH).flag(table, counts=True)
    rows: list[list[str]] = []
    cells, told = choose_cells(flagged), list[list[str]]()
    begun = process_time()
    with TemporaryDirectory() as folder:
        for name, finding, touched, sure in list_ways(read, flagged, Path(folder)):
            rows.append([*describe_way(name, finding, touched), sure, f"{process_time() - begun:.1f}"])
            told.append([name, *(tell_interval(finding, cell) for cell in cells)])
            print(*rows[-1], *told[-1][1:], sep=" | ", flush=True)
            begun = process_time()
    page = {
        "page": "controlled-rounding",
        "title": "Suppression, rounding, noise and intervals on adult by education, occupation and sex",
        "command": "PYTHONPATH=. python verify/table_methods.py",
        "machine": "two shared cores",
        "note": f"{len(table):,} cells, {int(flagged.primary.sum()):,} of them unsafe (1 to 4 people), width {WIDTH:g} "
        "asked; intervals of whole tables by the exact audit, against whoever knows the rule",
        "columns": [
            "way",
            "cells changed or hidden",
            "lost to readers",
            "narrowest unsafe interval",
            "median of them",
            "narrower than asked",
            "known exactly",
            "surest guess of an unsafe count",
            "CPU s",
        ],
        "rows": rows,
    }
    concluded = {
        **{key: page[key] for key in ("page", "command", "machine")},
        "title": "What a reader concludes of three unsafe cells of that table",
        "note": "the least and greatest count that he must think possible, over all whole tables, knowing the rule",
        "columns": ["way", *(f"{table.named(cell)}: in truth {table.value[cell]:g}" for cell in cells)],
        "rows": told,
    }
    target = ROOT / "bench" / "measured_table_methods.json"
    target.write_text(json.dumps([page, concluded], indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
