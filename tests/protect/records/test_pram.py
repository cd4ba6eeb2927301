"""Values change with the chances the matrix says, and the release carries the promise that follows from them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.errors import InfeasibleError, InputError, ParameterError
from sekisho.protect.records.draw import ColumnWords, build_alias_table, draw_codes, prepare_draw
from sekisho.protect.records.pram import LabelledMatrix, Pram, read_matrix
from sekisho.safety.mechanism import parse_mechanism
from sekisho.safety.transition import Matrix, Replacement, Transition
from sekisho.seeds import Seed, choose_words, secret_rng

HALF = Fraction(1, 2)
CROOKED = Matrix(rows=[[0.5, 0.25, 0.25], [0.2, 0.6, 0.2], [0.0, 0.4, 0.6]])


def make_table(**columns: list[str]) -> Dataset:
    return Dataset(pl.DataFrame(columns), Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in columns)))


def draw_shares(transition: Transition, times: int, *, secret: bool) -> NDArray[np.float64]:
    size = transition.size
    codes = np.repeat(np.arange(size, dtype=np.int32), times)
    words = ColumnWords(words=choose_words(secret_rng() if secret else Seed(8).rng()), place=0)
    out = draw_codes(codes, np.arange(len(codes), dtype=np.uint64), prepare_draw(transition), words=words)
    return np.bincount(codes * size + out, minlength=size * size).reshape(size, size) / times


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize(
    "transition",
    [
        Replacement(values=3, retention=HALF),
        Replacement(values=3, retention=0.0),
        Replacement(values=3, retention=1),
        Replacement(values=1, retention=HALF),
        Replacement(values=3, retention=Fraction(1, 4), shares=(Fraction(1, 10), Fraction(2, 10), Fraction(7, 10))),
        CROOKED,
    ],
)
def test_values_change_with_the_matrixs_chances(transition: Transition, *, secret: bool) -> None:
    # 100,000 draws of each value: a share's deviation is at most 0.0016; five are allowed.
    chances = transition.matrix()
    shares = draw_shares(transition, 100_000, secret=secret)
    assert (abs(shares - chances) <= 5 * np.sqrt(chances * (1 - chances) / 100_000)).all()


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12).filter(any))
def test_aliases_hold_exactly_the_chances(weights: list[int]) -> None:
    chances = np.array(weights) / sum(weights)
    prob, alias = build_alias_table(chances)
    total = prob.copy()
    np.add.at(total, alias, 1 - prob)
    assert_allclose(total / len(weights), chances, atol=1e-12)


def test_the_promise_goes_with_the_release() -> None:
    release = Pram(retention=HALF, sample=2).apply(make_table(x=["a", "b", "a", "b"]), rng=Seed(1).rng())
    assert release.guarantee.k == Fraction(16, 9)
    assert release.detail["k_exact"] == "16/9"
    assert release.detail["randomness"] == "seeded"
    assert release.published().shape == (2, 1)
    again = Pram(retention=HALF, sample=2).apply(make_table(x=["a", "b", "a", "b"]), rng=Seed(1).rng())
    assert release.published().equals(again.published())


def test_a_wanted_k_is_kept_by_the_largest_retention() -> None:
    rng = np.random.Generator(np.random.PCG64DXSM(2))
    data = make_table(sex=list(rng.choice(["m", "f"], 500)), town=list(rng.choice(list("abcde"), 500)))
    release = Pram(k=Fraction(5), sample=200).apply(data, rng=secret_rng())
    assert 5 <= release.guarantee.k < 5.01
    assert release.detail["randomness"] == "secret"
    more = Fraction(str(release.detail["retention"])) + Fraction(1, 10**6)
    assert Pram(retention=more, sample=200).apply(data, rng=Seed(1).rng()).guarantee.k < 5
    with pytest.raises(InfeasibleError, match="nobody can hide among 501"):
        Pram(k=Fraction(501)).apply(data, rng=Seed(1).rng())
    with pytest.raises(InfeasibleError, match="only pure noise"):
        Pram(k=Fraction(500)).apply(data, rng=Seed(1).rng())


def test_invariant_pram_keeps_the_shares_in_expectation() -> None:
    data = make_table(x=["a"] * 70 + ["b"] * 20 + ["c"] * 10)
    shares = np.array([0.7, 0.2, 0.1])
    own = {
        "x": LabelledMatrix(
            values=("a", "b", "c"), matrix=Matrix(rows=[[0.5, 0.25, 0.25], [0.2, 0.6, 0.2], [0.1, 0.4, 0.5]])
        )
    }
    for method in (Pram(retention=HALF, invariant=True), Pram(matrices=own, invariant=True)):
        matrix = method.apply(data, rng=Seed(1).rng()).mechanism.transitions["x"].matrix()
        assert_allclose(shares @ matrix, shares, atol=1e-12)
        assert_allclose(matrix.sum(axis=1), 1)
    plain = Pram(matrices=own).apply(data, rng=Seed(1).rng()).mechanism.transitions["x"].matrix()
    assert abs(shares @ plain - shares).max() > 0.05


def test_strata_stay_as_they_are_or_are_hidden() -> None:
    data = make_table(town=["a"] * 60 + ["b"] * 40, x=["u", "v"] * 50)
    shown = Pram(retention=HALF, sample=50, strata="town").apply(data, rng=Seed(1).rng())
    assert dict(shown.published()["town"].value_counts().iter_rows()) == {"a": 30, "b": 20}
    # 40 people, 20 drawn: 1 + 20/3 + 19/9.
    assert shown.guarantee.k == 1 + Fraction(20, 3) + Fraction(19, 9)
    assert shown.guarantee.stratum == "b"
    hidden = Pram(retention=HALF, sample=50, strata="town", hide_strata=True).apply(data, rng=Seed(1).rng())
    assert hidden.published().columns == ["x"]
    assert hidden.guarantee.lower_bound
    wanted = Pram(k=Fraction(4), sample=50, strata="town").apply(data, rng=Seed(1).rng())
    assert 4 <= wanted.guarantee.k < 4.01


def test_the_released_rows_are_the_drawn_ones_changed() -> None:
    data = make_table(x=[str(row) for row in range(40)])
    release = Pram(retention=Fraction(1), sample=10).apply(data, rng=Seed(4).rng())
    assert release.published()["x"].to_list() == [str(row) for row in release.drawn]
    assert (release.guarantee.k, release.guarantee.firm) == (1, ("x",))


@given(
    st.permutations(range(30)),
    st.integers(0, 99),
    st.sampled_from(["", "person "]),
    st.sampled_from(
        [
            Pram(retention=HALF),
            Pram(retention=Fraction(1, 3), invariant=True, sample=12),
            Pram(retention=HALF, sample=15, strata="town"),
            Pram(retention=HALF, sample=15, strata="town", hide_strata=True),
            Pram(matrices={"x": LabelledMatrix(values=("u", "v", "w"), matrix=CROOKED)}, retention=HALF, sample=20),
        ]
    ),
)
def test_reordered_rows_give_the_same_release(order: list[int], seed: int, called: str, method: Pram) -> None:
    frame = pl.DataFrame(
        {
            "id": [f"{called}{row * 7}" for row in range(30)],
            "town": [["a", "b", "c"][row % 7 % 3] for row in range(30)],
            "x": [["u", "v", "w"][row % 5 % 3] for row in range(30)],
        }
    )
    schema = Schema(
        tuple(
            Column(name=name, kind=Kind.CATEGORY, role=Role.IDENTIFIER if name == "id" else Role.QUASI)
            for name in frame.columns
        )
    )
    first, again = (
        method.apply(Dataset(rows, schema), rng=Seed(seed).rng()).published() for rows in (frame, frame[order])
    )
    assert first.equals(again)


def test_columns_are_decided_apart() -> None:
    # Two equal columns of 4,000 values, kept with chance 1/2 and else one of four: each cell stays with chance 5/8, both
    # with 25/64, or with 5/8 if one word decided both. The sd of the share is 0.0077; five are allowed.
    same = [str(row % 4) for row in range(4000)]
    release = Pram(retention=HALF).apply(make_table(x=same, y=same), rng=Seed(1).rng())
    cells = np.array([[same[row] for row in release.drawn], *(release.published()[name] for name in ("x", "y"))])
    both = ((cells[0] == cells[1]) & (cells[0] == cells[2])).mean()
    assert abs(both - 25 / 64) < 5 * 0.0077


def test_the_mechanism_is_written_and_parsed() -> None:
    data = make_table(town=["a", "b"] * 30, x=["u", "v", "w"] * 20, y=["s", "t", "t"] * 20)
    own = {
        "x": LabelledMatrix(
            values=("w", "u", "v", "z"), matrix=Matrix(rows=Replacement(values=4, retention=0.3).matrix())
        )
    }
    for method in (
        Pram(retention=HALF, invariant=True, sample=20),
        Pram(retention=Fraction(1, 3), matrices=own, strata="town", sample=30),
    ):
        release = method.apply(data, rng=Seed(1).rng())
        parsed = parse_mechanism(json.dumps(release.mechanism.as_dict()), "m.json")
        assert parsed.as_dict() == release.mechanism.as_dict()
        assert float(parsed.finding().k) == pytest.approx(float(release.guarantee.k))
    with pytest.raises(InputError, match="no description of a mechanism"):
        parse_mechanism("{}", "m.json")


def test_a_matrix_file_is_read_by_its_labels(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("x,v,u\nu,1/4,3/4\nv,1/2,1/2\n")
    own = read_matrix(path, "x")
    assert own.values == ("u", "v")
    assert_allclose(own.matrix.matrix(), [[0.75, 0.25], [0.5, 0.5]])
    assert own.matrix.exact
    release = Pram(matrices={"x": path}).apply(make_table(x=["u", "v", "v"]), rng=Seed(1).rng())
    # r2 = (1/4)/(1/2) * (1/2)/(3/4) = 1/3; k = 1 + 2/3.
    assert release.guarantee.k == Fraction(5, 3)
    path.write_text("x,v,u\nu,0.25,0.75\nw,0.5,0.5\n")
    with pytest.raises(InputError, match="is no square matrix of x: rows u, w; columns v, u"):
        read_matrix(path, "x")
    path.write_text("x,u,v\nu,0.25,much\nv,0.5,0.5\n")
    with pytest.raises(InputError, match="'much', which is no number"):
        read_matrix(path, "x")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "k must be given, or a retention, or matrices"),
        ({"k": Fraction(1)}, "k must be above 1"),
        ({"k": Fraction(2), "retention": HALF}, "k must be given without retention"),
        ({"retention": Fraction(3, 2)}, "retention must lie between 0 and 1"),
    ],
)
def test_contradictory_parameters_are_refused(parameters: dict[str, Fraction], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Pram(k=parameters.get("k"), retention=parameters.get("retention"))


def test_matrices_must_fit_the_data() -> None:
    data = make_table(x=["u", "v"], y=["s", "t"])
    own = LabelledMatrix(values=("u", "w"), matrix=Matrix(rows=[[0.5, 0.5], [0.5, 0.5]]))
    with pytest.raises(ParameterError, match="retention must be given for y"):
        Pram(matrices={"x": own}).apply(data, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="matrix of x must have a row for every value"):
        Pram(matrices={"x": own}, retention=HALF).apply(data, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="matrices must be of x, y"):
        Pram(matrices={"z": own}, retention=HALF).apply(data, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="hold an attribute beside the strata"):
        Pram(retention=HALF, strata="x", sample=2).apply(make_table(x=["u", "v"]), rng=Seed(1).rng())


def test_labels_of_a_matrix_are_distinct() -> None:
    with pytest.raises(ParameterError, match="labels of a matrix must be distinct"):
        LabelledMatrix(values=("a", "a"), matrix=Matrix(rows=[[1, 0], [0, 1]]))


def test_a_value_of_a_matrix_may_be_a_star(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("x,*,u\nu,1/4,3/4\n*,1/2,1/2\n")
    assert read_matrix(path, "x").values == ("u", "*")
