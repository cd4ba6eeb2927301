"""What shown counts tell must be neither more nor less than what all counts and keys that led to them say."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.perturb.evidence import DifferenceFigures, EquationEvidence, find_evidence, weigh_counts
from sekisho.tables.perturb.posterior import KeyScheme, TwoCells, find_posterior
from sekisho.tables.perturb.rows import UNIT, NoisePlan, NoiseTable


@cache
def noise(most: int = 2, variance: int = 1, threshold: int = 0, stay: str = "0") -> NoiseTable:
    return NoisePlan(most=most, variance=Fraction(variance), threshold=threshold, stay=Fraction(stay)).make_table()


def test_posteriors_of_two_cells(shared: Callable[[str], Path]) -> None:
    """The reference calls hashed what is independent here: there even the same set of records has two keys."""
    cases = json.loads(shared("tables/beyond/cell-key-posterior.json").read_text())["cases"]
    for case in cases:
        table = noise(case["D"], case["V"], case["js"])
        for name, scheme in (("hashed", KeyScheme.INDEPENDENT), ("summed", KeyScheme.SUMMED)):
            found = find_posterior(table, tuple(case["published"]), scheme, most=12)
            wanted = {int(count): chance for count, chance in case["posterior_first_cell"][name].items()}
            assert {count: float(chance) for count, chance in found.items()} == pytest.approx(wanted, abs=1e-8)
    assert len(cases) == 12


def test_keys_that_add_up_leave_one_count() -> None:
    # shown 5, 4 and 9: independent keys leave 3..7, added keys 5 and nothing else
    assert list(find_posterior(noise(), (5, 4, 9), KeyScheme.SUMMED, most=12)) == [5]
    assert list(find_posterior(noise(), (5, 4, 9), KeyScheme.HASHED, most=12)) == [3, 4, 5, 6, 7]


def test_the_same_set_shows_the_same_number_with_hashed_keys() -> None:
    # shown 6, 0 and 3: were the second cell empty, the total would be the first cell and show 6; so somebody is in it,
    # and 4 + 1 = 5 is all that can be shown as 6, 0 and 3
    assert find_posterior(noise(), (6, 0, 3), KeyScheme.HASHED, most=12) == {4: Fraction(1)}
    assert list(find_posterior(noise(), (6, 0, 3), KeyScheme.INDEPENDENT, most=12)) == [4, 5]


def test_how_well_a_cell_is_guessed() -> None:
    """Added keys give a cell away in one case of ten; whoever does not use that they add up hardly ever knows one."""
    two = TwoCells(table=noise())
    added, hashed = two.measure(KeyScheme.SUMMED), two.measure(KeyScheme.HASHED)
    naive = two.measure(KeyScheme.SUMMED, believed=KeyScheme.INDEPENDENT)
    assert (round(added.right, 3), round(added.sure, 3), round(added.certain, 3)) == (0.564, 0.148, 0.102)
    assert (round(naive.right, 3), round(naive.sure, 3), round(naive.certain, 3)) == (0.511, 0.001, 0.0)
    assert (round(hashed.right, 3), round(hashed.sure, 3), round(hashed.certain, 3)) == (0.556, 0.127, 0.002)
    assert added.certain_people > 10 * hashed.certain_people


def simulate(scheme: KeyScheme, trials: int) -> float:
    """Return how often an attacker is right on counts with real record keys."""
    rng, table = np.random.default_rng(1), noise()
    right = 0
    for one, two in rng.integers(0, 7, (trials, 2)).tolist():
        keys = rng.integers(0, UNIT, one + two)
        if scheme is KeyScheme.SUMMED:
            sums = [int(part.sum() % UNIT) for part in (keys[:one], keys[one:], keys)]
        else:
            fresh = rng.integers(0, UNIT, 3).tolist()
            sums = [fresh[0], fresh[1], fresh[0] if not two else fresh[1] if not one else fresh[2]]
        shown = table.show_counts(np.array([one, two, one + two]), np.array(sums)).tolist()
        posterior = find_posterior(table, (shown[0], shown[1], shown[2]), scheme, most=12)
        right += max(posterior, key=lambda count: posterior[count]) == one
    return right / trials


@pytest.mark.parametrize("scheme", [KeyScheme.SUMMED, KeyScheme.HASHED])
def test_guesses_of_counts_with_record_keys(scheme: KeyScheme) -> None:
    # 400 trials: three standard deviations are 0.075
    assert simulate(scheme, 400) == pytest.approx(TwoCells(table=noise()).measure(scheme).right, abs=0.075)


def enumerate_equation(table: NoiseTable, shown: Sequence[int], total: int) -> list[dict[int, float]]:
    """Return the posteriors of parts and total by trying all counts."""
    found: list[dict[int, float]] = [{} for _ in range(len(shown) + 1)]
    choices = [table.list_origins(number) for number in shown]
    for counts in product(*choices):
        weight = 1.0
        for count, number in zip(counts, shown, strict=True):
            weight *= table.units_of(count, number) / UNIT
        some = [place for place, count in enumerate(counts) if count]
        same = len(some) == 1
        weight *= (shown[some[0]] == total) if same else table.units_of(sum(counts), total) / UNIT
        for place, count in enumerate((*counts, sum(counts))):
            found[place][count] = found[place].get(count, 0.0) + weight
    return found


@given(
    shown=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    off=st.integers(-3, 3),
    kind=st.sampled_from([(2, 1, 0), (3, 2, 0), (3, 3, 1)]),
)
def test_an_equation_by_convolution_and_by_trying_all_counts(
    shown: list[int], off: int, kind: tuple[int, int, int]
) -> None:
    table, total = noise(*kind), max(0, sum(shown) + off)
    if not all(table.list_origins(number) for number in (*shown, total)):
        return  # a number that is never shown
    parts, whole = [weigh_counts(table, number) for number in shown], weigh_counts(table, total)
    found = EquationEvidence(parts=parts, total=whole, shown=shown, sum_shown=total).find_posteriors()
    for weights, posterior, wanted in zip((*parts, whole), found, enumerate_equation(table, shown, total), strict=True):
        everything = sum(wanted.values())
        if everything == 0:
            assert posterior.sum() == 0
            continue
        chances = dict(zip(weights.counts.tolist(), posterior.tolist(), strict=True))
        assert all(abs(chances.get(count, 0.0) - wanted[count] / everything) < 1e-9 for count in wanted)


def test_evidence_of_a_table() -> None:
    table = from_inner([Dimension.flat("a", ["x", "y"])], [("x",), ("y",)], np.array([4.0, 1.0]))
    evidence = find_evidence(noise(), table, np.array([3, 6, 0]))  # the total stands first
    assert (evidence.kind, evidence.count.tolist(), evidence.chance[1]) == ("exact", [5, 4, 1], 1.0)
    assert evidence.possible.tolist() == [1, 1, 1]
    alone = find_evidence(noise(), table, np.array([3, 6, 0]), sums=False)
    assert (alone.kind, alone.equation.tolist(), alone.possible.tolist()) == ("exact", [-1] * 3, [5, 5, 3])


def test_differences() -> None:
    # the chance that a person more shows the same number: 0.219, 0.173, 0.149, 0.117 of the last rows
    kinds = [(2, 1, 0, "0"), (3, 2, 0, "0"), (5, 3, 2, "0"), (5, 3, 2, "0.5")]
    same = [round(float(DifferenceFigures.of(noise(*kind)).same), 3) for kind in kinds]
    assert same == [0.219, 0.173, 0.149, 0.117]
