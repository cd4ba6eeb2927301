"""Intervals and adjustment beside plain references: one large program, and the solver alone on the whole program.

``PYTHONPATH=src:bench python bench/published_tables.py intervals|adjust SECONDS`` prints a line each. CPU seconds.
"""

from __future__ import annotations

import sys
from itertools import product
from time import process_time

import numpy as np

from bench_tables import shared
from sekisho.seeds import Seed
from sekisho.tables.adjust.adjustment import AdjustCost
from sekisho.tables.adjust.search import MORE, TIMES, AdjustProblem, AdjustSearch
from sekisho.tables.intervals.widths import WidthColumns, WidthSearch
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.solvers.highs import Program


def make_sums(shape: tuple[int, ...]) -> AdjustProblem:
    """Return a table of lognormal sums with a tenth of its inner cells unsafe at 15 %."""
    rng = Seed(1).rng()
    dimensions = [Dimension.flat(f"v{at}", [f"{i:03d}" for i in range(size)]) for at, size in enumerate(shape)]
    keys = list(product(*(each.leaves for each in dimensions)))
    table = from_inner(dimensions, keys, np.rint(np.exp(rng.normal(4, 1, len(keys)))) + 1)
    chosen = rng.choice(len(keys), len(keys) // 10, replace=False).tolist()
    unsafe = np.sort(np.array([table.position[keys[at]] for at in chosen]))
    level = np.maximum(1.0, np.rint(0.15 * table.value[unsafe]))
    weight = AdjustCost.RELATIVE.weigh(table)
    return AdjustProblem(table=table, unsafe=unsafe, down=level, up=level, weight=weight, limit=TIMES * level + MORE)


def measure_intervals() -> None:
    """Print the least widths of shared tables."""
    for name in ("t10x10", "t50x50", "t100x100"):
        table, start = shared(name), process_time()
        *_, step = WidthSearch(table, WidthColumns.of(table)).steps()
        print(name, len(table), int(table.primary.sum()), step.cost, step.bound, f"{process_time() - start:.1f}")


def measure_adjustment(seconds: float) -> None:
    """Print the adjustments of made tables: by the search, and by the solver alone from nothing."""
    for shape in ((20, 20), (50, 50), (12, 12, 12)):
        problem, start = make_sums(shape), process_time()
        *_, step = AdjustSearch(problem, rng=Seed(0).rng()).steps(seconds=seconds)
        ours = process_time() - start
        everything, still = np.ones(len(problem.table), dtype=np.bool_), np.zeros(len(problem.table))
        program: Program
        program, cells = problem.program(everything, still)
        program.limit(seconds=seconds, gap=1e-6)
        start = process_time()
        alone = program.solve()
        gap = (alone.objective - alone.bound) / (alone.objective + problem.price(cells))
        print(shape, len(problem.table), len(problem.unsafe), f"{step.cost:.3f} {100 * step.gap:.3f} % {ours:.1f} s")
        print(
            "  alone", f"{alone.objective + problem.price(cells):.3f} {100 * gap:.3f} % {process_time() - start:.1f} s"
        )


if __name__ == "__main__":
    if sys.argv[1] == "intervals":
        measure_intervals()
    else:
        measure_adjustment(float(sys.argv[2]))
