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
from time import process_time

import numpy as np

from real_data import find_data
from sekisho.gate.tables.finding import TableFinding, audit_case
from sekisho.gate.tables.search import TableSearch
from sekisho.gate.tables.stated import audit_release, count_changed, measure_widths, score_loss
from sekisho.gate.tables.system import PatternCase, wrap_table
from sekisho.provenance import Provenance
from sekisho.seeds import secret_rng
from sekisho.tables.audit.statements import Statements
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.files.records import RecordSource
from sekisho.tables.methods import TABLE_METHODS
from sekisho.tables.methods.rounding import RoundMethod
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.rows import NoisePlan, VarianceCare
from sekisho.tables.rules.table_rules import TableRules

ROOT = Path(__file__).parents[1]
DIMS = ("education", "occupation", "sex")
WIDTH = 4.0
SECONDS = 20.0


def list_ways(table: Table) -> Iterator[tuple[str, TableFinding, int]]:
    """Give each way to publish the table: its name, what a reader concludes, how many cells are not as they were."""
    pattern = TableSearch(seconds=SECONDS).suppress(table, Provenance(name="study")).answer.table
    finding = audit_case(PatternCase(system=wrap_table(pattern), shown=()), whole=True)
    yield "suppress", finding, int(pattern.suppressed.sum())
    for base, steps in ((5, 0), (3, 1)):
        method = RoundMethod(base=base, steps=steps, seconds=SECONDS)
        release = method.make(table, rng=secret_rng()).release
        yield f"round, base {base}, {steps} steps", audit_release(release, wrap_table(table)), count_changed(release)
    release = add_noise(table)
    yield "noise by keys, at most 2, variance 1", audit_release(release, wrap_table(table)), count_changed(release)
    if "intervals" in TABLE_METHODS:
        release = TABLE_METHODS["intervals"]().make(table, rng=secret_rng()).release
        yield "intervals", audit_release(release, wrap_table(table)), count_changed(release)


def add_noise(table: Table) -> ShownRelease:
    """Return the table with noise whose cells have independent keys, as hashed ones are."""
    noise = NoisePlan(most=2, variance=Fraction(1), care=VarianceCare.AT_MOST).make_table()
    places = secret_rng().integers(10**8, size=len(table))
    shown = noise.show_counts(table.value.astype(np.int64), places)
    rows = [dict(zip(row.targets, (units / 1e8 for units in row.units), strict=True)) for row in noise.rows]
    said = Statements.noisy(shown, rows=rows)
    return ShownRelease(
        table=table, method="perturb", parameters={}, shown=shown.astype(np.float64), statements=said, cost=0.0
    )


def main() -> int:
    """Measure and write; 0 if every way was measured."""
    adult = find_data("adult/adult.csv")
    if adult is None:
        return 1
    table = RecordSource(dims=DIMS).read_table(adult).table
    flagged = TableRules(min_count=5, width=WIDTH).flag(table, counts=True)
    rows: list[list[str]] = []
    begun = process_time()
    for name, finding, touched in list_ways(flagged):
        score, width = score_loss(finding.audit), measure_widths(finding.audit)
        unsafe = width[flagged.primary]
        rows.append(
            [
                name,
                f"{touched:,}",
                f"{100 * score.value:.1f} %",
                f"{unsafe.min():g}",
                f"{np.median(unsafe):g}",
                f"{int((unsafe < WIDTH).sum()):,}",
                f"{len(finding.disclosed):,}",
                f"{process_time() - begun:.1f}",
            ]
        )
        print(*rows[-1], sep=" | ", flush=True)
        begun = process_time()
    page = {
        "page": "controlled-rounding",
        "title": "Four ways to publish adult by education, occupation and sex",
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
            "CPU s",
        ],
        "rows": rows,
    }
    target = ROOT / "bench" / "measured_table_methods.json"
    target.write_text(json.dumps([page], indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
