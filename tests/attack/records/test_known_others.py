"""One who knows every record but one: golden ratios, and listing of all ways in which a release can have come about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.red_team_cases import read_cases

from sekisho.attack.records.downcode.answer import Roster
from sekisho.attack.records.known_others import KnownFile, compute_known_ratios
from sekisho.attack.records.membership import MembershipAttack, MembershipScore
from sekisho.attack.records.membership_likelihood import ChanceMechanism
from sekisho.cli.door import open_door
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import exact_table
from sekisho.errors import ParameterError
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.transition import Matrix
from sekisho.seeds import Seed

ONE = Schema((Column(name="v", kind=Kind.CATEGORY),))


def of(values: Sequence[int]) -> Dataset:
    return Dataset(pl.DataFrame({"v": list(map(str, values))}, schema={"v": pl.String}), ONE)


def test_golden_ratios(shared: Callable[[str], Path]) -> None:
    known = read_cases(shared, "membership", "known others")
    assert len(known) == 3
    for case in known:
        values = tuple(map(str, range(len(case["shares"]))))
        times = [int(Fraction(share) * 100) for share in case["shares"]]
        pram = Mechanism(
            records=case["records"],
            sample=case["sample"],
            domains={"v": values},
            transitions={"v": Matrix(rows=case["matrix"])},
        )
        members, _ = compute_known_ratios(
            exact_table(of(case["release"])),
            of([*case["others"], case["person"]]),
            (of([case["person"]]), of([])),
            of(np.repeat(np.arange(len(times)), times).tolist()),
            ChanceMechanism(records=case["records"], pram=pram),
            columns=("v",),
            rng=Seed(1).rng(),
            added=0.0,
        )
        assert members[0] == pytest.approx(float(Fraction(case["ratio"])), rel=1e-12)


def list_chance(chances: np.ndarray, file: Sequence[int], release: Sequence[int]) -> float:
    """Sum over all ways to give every released row a record of its own."""
    ways = permutations(file, len(release))
    return sum(prod(float(chances[u, y]) for u, y in zip(way, release, strict=True)) for way in ways)


@try_examples(60)
@given(st.integers(0, 2**32))
def test_without_one_record_the_ends_are_as_listing_has_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds, rows = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    chances = rng.integers(0, 4, (kinds, rows)) / 4.0  # zeros make components of their own
    people = rng.integers(1, 3, kinds)
    file = np.repeat(np.arange(kinds), people).tolist()
    kept = int(rng.integers(1, len(file) + 1))
    release = sorted(rng.integers(0, rows, kept).tolist())
    if not list_chance(chances, file, release):
        return
    distinct, released = np.unique(release, return_counts=True)
    seen = KnownFile(chances=chances[:, distinct], people=people.astype(np.int64), released=released.astype(np.int64))
    whole, ends = seen.list_ends()
    for kind in range(kinds):
        others = list(file)
        others.remove(kind)
        tried = [*np.eye(rows)[distinct], np.zeros(rows), rng.random(rows)]
        wanted = [list_chance(np.vstack([chances, line]), [*others, kinds], release) for line in tried]
        found = [whole[kind] + float(line[distinct] @ ends[kind]) for line in tried]
        scale = max(found)
        assert scale > 0  # the record that is gone was possible
        assert [one / scale for one in found] == pytest.approx([one / max(wanted) for one in wanted], abs=1e-9)


def test_who_is_alone_in_a_sample_is_found_for_certain() -> None:
    file, release = of([0, 0, 0, 1, 2]), exact_table(of([0, 0, 1]))
    attack = MembershipAttack(fixed=True, people=Roster.OTHERS)
    answer = attack.attack(release, file, of([3, 4, 0]), of([0, 1, 2, 3, 4, 0]), rng=Seed(1).rng())
    assert answer.score is MembershipScore.LIKELIHOOD
    assert answer.to_dict()["against"] == {"people": "others"}
    # Whoever has the only released row of value 1 explains it alone: nobody else of the known could have become it.
    scores = answer.scored.members
    assert scores[3] > max(scores[[0, 1, 2, 4]])


def test_what_does_not_suit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="mechanism"):
        MembershipAttack(people=Roster.OTHERS)
    with pytest.raises(ParameterError, match="one or others"):
        MembershipAttack(people=Roster.ALL, fixed=True)
    crowd = KnownFile(
        chances=np.full((2, 12), 1 / 12), people=np.array([300, 300]), released=np.full(12, 50, dtype=np.int64)
    )
    with pytest.raises(ParameterError, match="too many"):
        crowd.list_ends()
    for name, values in (("T", "aab"), ("R", "ab"), ("C", "cde")):
        (tmp_path / f"{name}.csv").write_text("\n".join(["v", *values]) + "\n", encoding="utf-8")
    files = [f"--{option}={tmp_path}/{name}.csv" for option, name in (("original", "T"), ("published", "R"))]
    words = ["attack", "membership", *files, f"--controls={tmp_path}/C.csv", "--seed=1", "--people"]
    assert open_door([*words, "others", "--mechanism=fixed"]) == 0
    assert open_door([*words, "2"]) == 0
    assert open_door([*words, "others"]) == 2
    assert open_door([*words, "nobody"]) == 2
