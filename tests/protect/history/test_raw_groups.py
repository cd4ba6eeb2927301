"""Whole groups may be left raw, the dearest; the others keep their promise, and every door says who is not protected."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.cli import status_of
from sekisho.contest.history.classify import KindOfRelease, classify_release
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.distance import cell_errors
from sekisho.data.frame.release import Release
from sekisho.data.history.files import read_release, write_original
from sekisho.data.identity.identifying import count_raw_people
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.raw_people import choose_dearest
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")


def draw_shop(people: int, seed: int) -> Dataset:
    return SyntheticHistory(customers=people, items=60, median_rows=5).draw(rng=Seed(seed).rng())


def measure(data: Dataset, release: Release) -> float:
    return float(np.mean(list(cell_errors(data, release.table).values())))


@try_examples(15)
@given(
    people=st.integers(6, 26),
    k=st.integers(2, 3),
    groups=st.integers(1, 3),
    size=st.integers(0, 1),
    seed=st.integers(0, 99),
)
def test_so_many_are_raw_and_the_others_are_k_anonymous(people: int, k: int, groups: int, size: int, seed: int) -> None:
    shop = draw_shop(people, seed)
    block = 2 * k * size
    method = Groups(k=k, effort=0.2, raw=groups * k, block=block, jobs=1)
    try:
        release = method.apply(shop, rng=Seed(seed).rng())
    except InfeasibleError:
        return  # with a group of more than k, no whole groups may have just so many
    whole = Groups(k=k, effort=0.2, block=block, jobs=1).apply(shop, rng=Seed(seed).rng())
    found = classify_release(shop, release, many=10**6)
    assert count_raw_people(release) == found.raw_unique
    assert found.raw >= groups * k
    if found.raw_unique == groups * k < found.people:  # unless raw people happen to have twins
        assert found.kind is KindOfRelease.RAW_AND_ANONYMOUS
        assert found.k >= k
    assert measure(shop, release) <= measure(shop, whole) + 1e-9
    assert float(str(release.detail["lower_bound"])) <= measure(shop, release) + 1e-9
    assert release.detail["optimal"] is False
    assert "pairing_bound" not in release.detail


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=8),
    people=st.integers(1, 12),
    data=st.data(),
)
def test_the_dearest_groups_are_chosen_as_by_trying_all(sizes: list[int], people: int, data: st.DataObject) -> None:
    costs = data.draw(st.lists(st.integers(0, 20), min_size=len(sizes), max_size=len(sizes)))
    best = max(
        (
            sum(costs[place] for place in chosen)
            for count in range(len(sizes) + 1)
            for chosen in combinations(range(len(sizes)), count)
            if sum(sizes[place] for place in chosen) == people
        ),
        default=None,
    )
    given_costs = np.array(costs, dtype=np.float64)
    if best is None:
        with pytest.raises(InfeasibleError, match="whole groups are left raw"):
            choose_dearest(np.array(sizes), given_costs, people)
        return
    chosen = choose_dearest(np.array(sizes), given_costs, people)
    assert len(set(chosen.tolist())) == len(chosen)
    assert sum(sizes[place] for place in chosen) == people
    assert given_costs[chosen].sum() == best


def test_the_dearest_pair_of_two_is_left_raw() -> None:
    shop = draw_shop(20, 3)
    release = Groups(k=2, effort=1, raw=2).apply(shop, rng=Seed(1).rng())
    everybody_else = classify_release(shop, release)
    assert (everybody_else.name.en, everybody_else.raw_unique) == ("2 raw + 2-anonymous", 2)
    # no other pair of the same pairing saves more: with all but one pair raw the rest is the cheapest one
    losses = [measure(shop, Groups(k=2, effort=1, raw=count).apply(shop, rng=Seed(1).rng())) for count in (0, 2, 4, 6)]
    saved = -np.diff(losses)
    assert (saved[:-1] >= saved[1:] - 1e-12).all()


def test_what_cannot_be_is_refused() -> None:
    for wrong in ({"raw": -1}, {"k": 1, "raw": 2}):
        with pytest.raises(ParameterError, match=r"^raw must"):
            Groups(**wrong)
    with pytest.raises(InfeasibleError, match="none of them have 3 people"):
        Groups(k=2, effort=1, raw=3).apply(draw_shop(20, 3), rng=Seed(1).rng())
    with pytest.raises(InfeasibleError, match="cannot be left raw"):
        Groups(k=2, effort=1, raw=30).apply(draw_shop(20, 3), rng=Seed(1).rng())


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any], str]:
    capsys.readouterr()
    status = status_of([*map(str, words), "--json"])
    out, err = capsys.readouterr()
    return status, json.loads(out), err


def test_the_command_says_who_is_not_protected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = draw_shop(20, 3)
    (tmp_path / "T.csv").write_bytes(write_original(shop, RULES))
    common = (
        "protect",
        "groups",
        tmp_path / "T.csv",
        "--k",
        2,
        "--effort",
        1,
        "--seed",
        1,
        "--out",
        tmp_path / "A.csv",
    )
    status, answer, said = run(capsys, *common, "--raw", 2)
    assert (status, answer["raw"]) == (3, 2)
    assert "NOT PROTECTED: 2 people are published as they were" in said
    assert count_raw_people(read_release(tmp_path / "A.csv", RULES, shop)) == 2
    status, answer, said = run(capsys, *common)
    assert (status, answer["raw"], "NOT PROTECTED" in said) == (0, 0, False)
    status, answer, _ = run(capsys, *common, "--k", 1)
    assert (status, answer["raw"]) == (3, 20)  # a group of one is as raw


RECIPE = """rules = "pwscup2018"
original = "T.csv"
claim = "reported"
[[methods]]
name = "groups"
k = 2
raw = 2
effort = 1
[[adversaries]]
name = "chance"
"""


def test_the_gate_never_lets_raw_people_pass_unseen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "T.csv").write_bytes(write_original(draw_shop(20, 3), RULES))
    (tmp_path / "recipe.toml").write_text(RECIPE)
    status, answer, _ = run(capsys, "gate", tmp_path / "recipe.toml", "--seed", 1, "--out", tmp_path / "out")
    assert (status, answer["verdict"]) == (3, "review")
    assert "2 people are published as they were" in json.dumps(answer)
    (tmp_path / "recipe.toml").write_text(RECIPE + '[policy]\n"raw people" = "release"\n')
    status, answer, _ = run(capsys, "gate", tmp_path / "recipe.toml", "--seed", 1, "--out", tmp_path / "other")
    assert status == 2
    assert "be review at least" in json.dumps(answer)
