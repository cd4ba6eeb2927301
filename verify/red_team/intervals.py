"""Campaign: how often intervals of R hold the truth, all outcomes listed, none drawn; the common formula beside ours.

Run from the top of the repository: ``python -m verify.red_team.intervals [--exact]`` (with ``--exact`` the exact
interval of 20 members and 20 controls as well: about half a CPU minute). For 20 and 20 people, and 50 and 50, and rates
of members and of controls from .02 to .98, it adds up the chances of the outcomes whose interval holds R. What came
out must be what the golden case says; the exact interval must hold in 94.9 of 100 (single ratios may be missed).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import comb, exp, log, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from tests.conftest import SHARED
from tests.red_team_cases import read_cases

from sekisho.safety.ratio_interval import AddedSuccess, RatioMethod

GRID = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
SIZES = (20, 50)
QUANTILE = NormalDist().inv_cdf(0.975)
Ends: TypeAlias = Callable[[int, int], tuple[float, float]]


def measure_coverage(size: int, ends: Ends) -> dict[str, float]:
    """Return how often an interval holds R: least, least where half of the controls or fewer are hit, mean; its width.

    Args:
        size: how many members, and as many controls.
        ends: of hits and control hits, the ends of the interval; beyond -1 and 1 they count as these in the width.
    """
    found = np.array([[ends(hits, others) for others in range(size + 1)] for hits in range(size + 1)])
    low, high = found[..., 0], found[..., 1]
    width = np.clip(high, -1, 1) - np.clip(low, -1, 1)
    held: dict[tuple[float, float], float] = {}
    widths: list[float] = []
    for control in GRID:
        for member in GRID:
            chance = np.outer(_spread(size, member), _spread(size, control))
            truth = 1 - (1 - member) / (1 - control)
            held[member, control] = float(chance[(low <= truth + 1e-9) & (truth - 1e-9 <= high)].sum())
            widths.append(float((chance * width).sum()))
    half = min(share for (_, control), share in held.items() if control <= 1 / 2)
    mean, wide = float(np.mean(list(held.values()))), float(np.mean(widths))
    return {"least": min(held.values()), "least_half": half, "mean": mean, "width": wide}


def _spread(size: int, rate: float) -> NDArray[np.float64]:
    return np.array([comb(size, hits) * rate**hits * (1 - rate) ** (size - hits) for hits in range(size + 1)])


def bound_ratio(size: int, method: RatioMethod, hits: int, others: int) -> tuple[float, float]:
    """Return the ends of one of our intervals."""
    added = AddedSuccess(hits=hits, trials=size, control_hits=others, control_trials=size)
    interval = added.find_interval(method)
    return interval.low, interval.high


def bound_by_wilson(size: int, hits: int, others: int) -> tuple[float, float]:
    """Return the common formula: two rates of Wilson, their errors propagated to R."""
    (member, error), (control, other_error) = (_rate(size, count) for count in (hits, others))
    value = (member - control) / (1 - control)
    spread = sqrt((error / (1 - control)) ** 2 + (other_error * (member - 1) / (1 - control) ** 2) ** 2)
    return value - spread, value + spread


def _rate(size: int, hits: int) -> tuple[float, float]:
    square, whole = QUANTILE**2, size + QUANTILE**2
    error = QUANTILE / whole * sqrt(hits * (size - hits) / size + square / 4)
    return (hits + square / 2) / whole, error


def bound_by_logarithm(size: int, hits: int, others: int) -> tuple[float, float]:
    """Return the interval of the logarithm of the ratio of failures, half a person added to each (Katz and others)."""
    failed, others_failed, whole = size - hits + 0.5, size - others + 0.5, size + 0.5
    spread = QUANTILE * sqrt(1 / failed - 1 / whole + 1 / others_failed - 1 / whole)
    ratio = log(failed / others_failed)
    return 1 - exp(ratio + spread), 1 - exp(ratio - spread)


def list_intervals(size: int) -> dict[str, Ends]:
    """Return by the word of the golden case what gives the ends."""
    return {
        "box": partial(bound_ratio, size, RatioMethod.GUARANTEED),
        "koopman": partial(bound_ratio, size, RatioMethod.SCORE),
        "katz": partial(bound_by_logarithm, size),
        "anonymeter": partial(bound_by_wilson, size),
    }


def compare_golden(size: int, coverage: dict[str, dict[str, float]]) -> list[str]:
    """Return what differs from the golden case; nothing without the shared data."""
    if not (SHARED / "red-team").exists():
        return []
    (case,) = read_cases(SHARED.joinpath, "attribute-interval", "coverage")
    assert tuple(case["grid"]) == GRID
    wanted: dict[str, Sequence[float]] = case["exact_coverage_least_mean_width"][f"{size},{size}"]
    return [
        f"{size} {name}: {found}, not {wanted[name]}"
        for name, found in coverage.items()
        if any(
            abs(found[key] - figure) > near
            for key, figure, near in zip(("least", "mean", "width"), wanted[name], (0.0006, 0.0006, 0.006), strict=True)
        )
    ]


def main() -> int:
    """Count, compare, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exact", action="store_true")
    asked = parser.parse_args()
    wrong: list[str] = []
    for size in SIZES:
        coverage = {name: measure_coverage(size, ends) for name, ends in list_intervals(size).items()}
        wrong += compare_golden(size, coverage)
        if asked.exact and size == SIZES[0]:
            coverage["exact"] = measure_coverage(size, partial(bound_ratio, size, RatioMethod.EXACT))
            wrong += [] if coverage["exact"]["least"] >= 0.949 else [f"exact: {coverage['exact']}"]
        for name, found in coverage.items():
            print(size, name, json.dumps({key: round(figure, 4) for key, figure in found.items()}), flush=True)
    print(*wrong, f"{len(wrong)} disagreements", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
