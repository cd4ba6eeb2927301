"""Who is published as he was is counted from what leaves, whatever made it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.release import Release
from sekisho.data.history.files import read_original, write_release
from sekisho.data.identity.identifying import count_raw_people
from sekisho.data.shape import Shape
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect import METHODS
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")
SHOP = SyntheticHistory(customers=24, items=40, median_rows=4).draw(rng=Seed(8).rng())
MADE = {
    "coarsen": {"width": 0.3},
    "erase": {"cells": 0.2},
    "groups": {"k": 2, "effort": 1},
    "pseudonymise": {},
    "similar-length": {"k": 1},
}
HISTORY_METHODS = [name for name in METHODS if Shape.HISTORY in METHODS[name].shapes]


def count_plainly(release: Release) -> int:
    """Count in the written lines: people without a range, set or star, whose lines nobody else has."""
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for line in write_release(release, RULES).decode().splitlines():
        name, cells = line.split(",", 1)
        if name != "*":
            lines[name].append(cells)
    shared = Counter(tuple(sorted(own)) for own in lines.values())
    return sum(1 for own, people in shared.items() if people == 1 and not set("[{*") & set("".join(own)))


@pytest.mark.parametrize("name", HISTORY_METHODS)
def test_every_method_of_histories_is_counted_alike(name: str) -> None:
    for seed in range(5):
        release = METHODS.make(name, **MADE[name]).apply(SHOP, rng=Seed(seed).rng())
        assert count_raw_people(release) == count_plainly(release)


def test_who_has_the_same_rows_as_another_is_not_alone(tmp_path: Path) -> None:
    # 11 and 12 bought the same, in another order; 13 one thing less: he alone is raw
    lines = ["2011/1/1,A,1.00,1", "2011/1/2,B,2.00,3"]
    rows = [f"11,{lines[0]}", f"11,{lines[1]}", f"12,{lines[1]}", f"12,{lines[0]}", f"13,{lines[0]}"]
    (tmp_path / "T.csv").write_text("\n".join(rows) + "\n")
    everybody = METHODS.make("pseudonymise").apply(read_original(tmp_path / "T.csv", RULES), rng=Seed(1).rng())
    assert count_raw_people(everybody) == count_plainly(everybody) == 1
    assert count_raw_people(METHODS.make("groups", k=2, effort=1).apply(SHOP, rng=Seed(1).rng())) == 0


def test_nobody_is_raw_where_nothing_is_left() -> None:
    everybody = METHODS.make("pseudonymise").apply(SHOP, rng=Seed(1).rng())
    assert count_raw_people(replace(everybody, deleted=np.ones(len(SHOP), dtype=np.bool_))) == 0
