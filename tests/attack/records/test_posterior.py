"""The strongest adversary reckons rightly, and 1/k is what he is held to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from sekisho.attack.records.posterior import Posterior, compute_exact_posterior
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import MaskedTable, exact_table
from sekisho.errors import ParameterError
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkAnonymity
from sekisho.safety.sampling import Stratum
from sekisho.safety.transition import Floats, Replacement
from sekisho.seeds import Seed

HALF = Fraction(1, 2)


def list_posterior(chances: Floats, table: Sequence[int], release: Sequence[int], person: int, place: int) -> float:
    """The posterior by listing every way to draw and to shuffle."""
    total = tied = 0.0
    for drawn in permutations(range(len(table)), len(release)):
        weight = float(np.prod([chances[table[who], value] for who, value in zip(drawn, release, strict=True)]))
        total += weight
        tied += weight * (drawn[place] == person)
    return tied / total


@given(st.data())
def test_the_exact_posterior_is_what_listing_gives(data: st.DataObject) -> None:
    values = data.draw(st.integers(2, 3))
    chances = np.array(
        data.draw(
            st.lists(st.lists(st.integers(1, 9), min_size=values, max_size=values), min_size=values, max_size=values)
        ),
        float,
    )
    table = sorted(data.draw(st.lists(st.integers(0, values - 1), min_size=2, max_size=5)))
    release = sorted(data.draw(st.lists(st.integers(0, values - 1), min_size=1, max_size=len(table))))
    kinds, people = np.unique(table, return_counts=True)
    values, records = np.unique(release, return_counts=True)
    posterior = compute_exact_posterior(chances[np.ix_(kinds, values)], people, records)
    for row, u in enumerate(kinds):
        for column, y in enumerate(values):
            wanted = list_posterior(chances, table, release, table.index(u), release.index(y))
            assert posterior[row, column] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("records", "sample"), [(40, 15), (200, 200), (150, 1)])
def test_the_proofs_table_brings_him_to_one_in_k_and_no_further(records: int, sample: int) -> None:
    # One u among v, released as one u among v.
    move = Replacement(values=2, retention=HALF)
    k = PkAnonymity(transitions={"x": move}).check(records=records, sample=sample).k
    released = np.array([1, sample - 1]) if sample > 1 else np.array([1])
    likelihood = move.matrix()[:, : len(released)]
    posterior = compute_exact_posterior(likelihood, np.array([1, records - 1]), released)
    assert posterior[0, 0] == pytest.approx(float(1 / k), rel=1e-9)
    # Every released record is somebody.
    assert_allclose(np.array([1, records - 1]) @ posterior, 1, rtol=1e-9)


def make_people(codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]], names: Sequence[str]) -> Dataset:
    frame = pl.DataFrame({name: [f"v{code}" for code in codes[:, place]] for place, name in enumerate(names)})
    return Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in names)))


def release_by_the_book(
    data: Dataset, retention: Fraction, sample: int, seed: int
) -> tuple[Mechanism, MaskedTable, list[str]]:
    """PRAM, sample and shuffle by the book, apart from our method's code; also who each record is."""
    rng = Seed(seed).rng()
    domains = {name: data.domain(name) for name in data.schema.names}
    moves = {name: Replacement(values=len(domain), retention=retention) for name, domain in domains.items()}
    rows = rng.permutation(len(data))[:sample]
    columns: dict[str, list[str]] = {}
    for name, domain in domains.items():
        anew = rng.random(sample) >= float(retention)
        codes = np.where(anew, rng.integers(0, len(domain), sample), data.codes(name)[rows])
        columns[name] = [domain[code] for code in codes]
    mechanism = Mechanism(records=len(data), sample=sample, domains=domains, transitions=moves)
    return mechanism, exact_table(Dataset(pl.DataFrame(columns), data.schema)), [str(row) for row in rows]


@pytest.mark.parametrize(
    ("way", "limits"),
    [("exact", {}), ("assignment", {"exact": 0.0}), ("likelihood", {"exact": 0.0, "pairs": 0})],
)
def test_his_success_stays_within_one_in_k(way: str, limits: dict[str, float]) -> None:
    codes = Seed(6).rng().integers(0, 2, size=(60, 2))
    data, hits, claims, limit = make_people(codes, ["a", "b"]), 0, 0, 0.0
    for seed in range(30):
        mechanism, table, truth = release_by_the_book(data, Fraction(7, 10), 20, seed)
        limit = float(mechanism.finding().risk)
        adversary = Posterior(
            mechanism=mechanism, exact=limits.get("exact", 1e9), pairs=int(limits.get("pairs", 10**7))
        )
        guess = adversary.guess(table, data, rng=Seed(seed).rng())
        assert guess.detail["way"] == way
        hits += sum(one == other for one, other in zip(guess.person, truth, strict=True))
        claims += len(guess)
        if way == "exact":
            assert guess.chance.max() <= limit + 1e-12
    assert binomtest(hits, claims).proportion_ci(0.999).low <= limit


def test_without_noise_he_finds_those_who_stand_alone() -> None:
    codes = np.arange(30).reshape(-1, 1)
    for limits in (0.0, 1e9):
        data = make_people(codes, ["a"])
        mechanism, table, truth = release_by_the_book(data, Fraction(1), 12, 3)
        guess = Posterior(mechanism=mechanism, exact=limits).guess(table, data, rng=Seed(1).rng())
        assert list(guess.person) == truth
        assert_allclose(guess.chance, 1)


def test_on_adult_his_success_stays_within_one_in_k(shared: Callable[[str], Path]) -> None:
    frame = pl.read_csv(shared("adult/adult.csv"), separator=";", infer_schema=False)
    names = ["sex", "race", "marital-status", "education"]
    part = frame.select(names)[:800]
    data = Dataset(part, Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in names)))
    mechanism, table, truth = release_by_the_book(data, Fraction(1, 2), 300, 5)
    guess = Posterior(mechanism=mechanism).guess(table, data, rng=Seed(1).rng())
    hits = sum(one == other for one, other in zip(guess.person, truth, strict=True))
    assert guess.detail["way"] == "assignment"
    assert binomtest(hits, len(guess)).proportion_ci(0.999).low <= float(mechanism.finding().risk)


def test_the_mechanism_may_be_a_file(tmp_path: Path) -> None:
    data = make_people(np.array([[0], [1], [1]]), ["a"])
    mechanism, table, _ = release_by_the_book(data, HALF, 2, 1)
    path = tmp_path / "m.json"
    path.write_text(json.dumps(mechanism.as_dict()))
    one = Posterior(mechanism=path).guess(table, data, rng=Seed(1).rng())
    other = Posterior(mechanism=mechanism).guess(table, data, rng=Seed(1).rng())
    assert one.person == other.person


def test_what_he_cannot_read_is_refused() -> None:
    data = make_people(np.array([[0], [1], [1]]), ["a"])
    mechanism, table, _ = release_by_the_book(data, HALF, 2, 1)
    strange = Mechanism(records=3, sample=2, domains={"a": ("v0", "v9")}, transitions=mechanism.transitions)
    with pytest.raises(ParameterError, match="column a must hold values that the mechanism knows"):
        Posterior(mechanism=strange).guess(table, data, rng=Seed(1).rng())
    parted = Mechanism(
        records=3,
        sample=2,
        domains=mechanism.domains,
        transitions=mechanism.transitions,
        stratum="s",
        strata=(Stratum(name="s", records=3, sample=2),),
    )
    with pytest.raises(ParameterError, match="column must be one of a, not 's'"):
        Posterior(mechanism=parted).guess(table, data, rng=Seed(1).rng())
    hidden = MaskedTable(schema=table.schema, columns={"a": table.sets("a").suppress(np.array([True, False]))})
    with pytest.raises(ParameterError, match="hold one value in each released record"):
        Posterior(mechanism=mechanism).guess(hidden, data, rng=Seed(1).rng())


@pytest.mark.parametrize("size", [0, 2])
def test_fewer_people_than_released_records_are_refused(size: int) -> None:
    data = make_people(np.array([[0], [1], [1]]), ["x"])
    mechanism, release, _ = release_by_the_book(data, HALF, 3, 1)
    with pytest.raises(ParameterError, match="knowledge must have a person for each of the 3 records"):
        Posterior(mechanism=mechanism).guess(release, Dataset(data.frame[:size], data.schema), rng=Seed(1).rng())


def make_parted(*, visible: bool, sample: tuple[int, int]) -> tuple[Mechanism, Dataset]:
    """Five people, two in town p and three in q, and a change of x that keeps half."""
    data = make_people(np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]), ["town", "x"])
    strata = (Stratum(name="v0", records=2, sample=sample[0]), Stratum(name="v1", records=3, sample=sample[1]))
    mechanism = Mechanism(
        records=5,
        sample=sum(sample),
        domains={"x": ("v0", "v1")},
        transitions={"x": Replacement(values=2, retention=HALF)},
        stratum="town",
        strata=strata,
        visible=visible,
    )
    return mechanism, data


def test_strata_that_are_shown_are_attacked_each_on_its_own() -> None:
    mechanism, data = make_parted(visible=True, sample=(1, 2))
    released = make_people(np.array([[1, 0], [0, 0], [1, 1]]), ["town", "x"])
    guess = Posterior(mechanism=mechanism).guess(exact_table(released), data, rng=Seed(1).rng())
    # In town v0 the record says x = v0: person 0 with 3/4 against 1/4. In v1 one of the people 2, 3, 4 with x = v0, v1,
    # v1, released v0 and v1, by listing.
    assert guess.person[1] == "0"
    assert guess.chance[1] == pytest.approx(0.75)
    chances = Replacement(values=2, retention=HALF).matrix()
    assert guess.person[0] == "2"
    assert guess.chance[0] == pytest.approx(list_posterior(chances, [0, 1, 1], [0, 1], 0, 0))
    assert guess.person[2] in {"3", "4"}
    assert guess.chance[2] == pytest.approx(list_posterior(chances, [0, 1, 1], [0, 1], 1, 1))
    assert guess.detail["way"] == "exact"
    few = Dataset(data.frame[[0, 1, 2]], data.schema)
    with pytest.raises(ParameterError, match="a person for each of the 2 records of stratum v1, not 1"):
        Posterior(mechanism=mechanism).guess(exact_table(released), few, rng=Seed(1).rng())


def test_where_strata_are_hidden_people_weigh_as_they_were_drawn() -> None:
    # Nobody of v1 was drawn: the one record, x = v1, is person 1 with 3/4 or person 0 with 1/4, none of the three
    # others.
    mechanism, data = make_parted(visible=False, sample=(1, 0))
    released = make_people(np.array([[1]]), ["x"])
    guess = Posterior(mechanism=mechanism).guess(exact_table(released), data, rng=Seed(1).rng())
    assert (guess.person, guess.detail["way"]) == (("1",), "likelihood")
    assert guess.chance[0] == pytest.approx(0.75)
    assert Posterior(mechanism=mechanism).list_known_columns() == ("town",)
