"""Local suppression: what is promised holds as published, and not many more cells go than must."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import Release
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.records import suppress
from sekisho.protect.records.suppress import Matching, Suppress
from sekisho.seeds import Seed

Row = tuple[str, str, int]
SCHEMA = Schema(
    (
        Column(name="a", kind=Kind.CATEGORY),
        Column(name="b", kind=Kind.CATEGORY),
        Column(name="n", kind=Kind.INTEGER),
    )
)
rows = st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("uvw"), st.integers(1, 3)), min_size=4, max_size=12)


def people(lines: list[Row]) -> Dataset:
    return Dataset(pl.DataFrame(lines, schema=["a", "b", "n"], orient="row"), SCHEMA)


def written(release: Release) -> list[tuple[str, ...]]:
    return publish_values(release).frame.cast(pl.String).rows()


def fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return all("*" in (left, right) or left == right for left, right in zip(one, other, strict=True))


def is_safe(texts: list[tuple[str, ...]], k: int, matching: Matching) -> bool:
    if matching is Matching.ALIKE:
        return all(texts.count(one) >= k for one in texts)
    return all(sum(fits(one, other) for other in texts) >= k for one in texts)


def least_cells(lines: list[Row], k: int, matching: Matching, weights: tuple[float, ...]) -> float:
    """Return the least cost of all ways to suppress cells, by trying them all."""
    whole = [tuple(map(str, line)) for line in lines]
    best = float("inf")
    for stars in product((False, True), repeat=3 * len(lines)):
        texts = [
            tuple("*" if stars[3 * row + key] else cell for key, cell in enumerate(line))
            for row, line in enumerate(whole)
        ]
        cost = sum(weights[place % 3] for place, star in enumerate(stars) if star)
        if cost < best and is_safe(texts, k, matching):
            best = cost
    return best


def test_the_least_important_cell_goes_by_hand() -> None:
    lines: list[Row] = [("x", "u", 1), ("x", "u", 1), ("x", "u", 1), ("x", "v", 1)]
    # without b the last matches the other three
    release = Suppress(k=3).apply(people(lines), rng=Seed(1).rng())
    assert written(release)[3] == ("x", "*", "1")
    assert release.detail["cells_by_key"] == {"a": 0, "b": 1, "n": 0}
    # who knows x, v, 1 finds one record only that admits it: a suppressed cell that matches any does not stop him
    assert release.detail["k"] == 4
    assert release.detail["least_candidates"] == 1
    alike = Suppress(k=2, matching=Matching.ALIKE).apply(people(lines), rng=Seed(1).rng())
    # written alike, the last needs a companion: the class of three can spare one
    assert sorted(written(alike)) == [("*", "*", "*")] * 2 + [("x", "u", "1")] * 2
    assert alike.detail["least_candidates"] == 2


def test_importance_decides_which_key_goes() -> None:
    lines: list[Row] = [("x", "u", 1), ("x", "u", 1), ("y", "v", 1), ("y", "v", 1), ("x", "v", 1)]
    # the last equals the first two without b, the next two without a
    dear_a = Suppress(k=2, importance={"a": 3}).apply(people(lines), rng=Seed(1).rng())
    assert written(dear_a)[4] == ("x", "*", "1")
    dear_b = Suppress(k=2, importance={"b": 3}).apply(people(lines), rng=Seed(1).rng())
    assert written(dear_b)[4] == ("*", "v", "1")


@given(rows, st.integers(1, 4), st.sampled_from(Matching), st.tuples(*[st.sampled_from([1.0, 2.0, 5.0])] * 3))
@example([("x", "u", 1), ("y", "v", 2), ("x", "w", 3), ("y", "u", 3)], 4, Matching.ALIKE, (1.0, 1.0, 1.0))
@example([("x", "u", 1)] * 4 + [("y", "v", 2)], 3, Matching.ALIKE, (1.0, 1.0, 1.0))  # one left, one to spare, one short
def test_what_is_promised_holds_as_published(
    lines: list[Row], k: int, matching: Matching, weights: tuple[float, float, float]
) -> None:
    method = Suppress(k=k, matching=matching, importance=dict(zip("abn", weights, strict=True)))
    release = method.apply(people(lines), rng=Seed(1).rng())
    texts = written(release)
    assert is_safe(texts, k, matching)
    for line, text in zip(lines, texts, strict=True):
        assert all(cell in ("*", str(value)) for cell, value in zip(text, line, strict=True))
    stars = [sum(text[key] == "*" for text in texts) for key in range(3)]
    assert release.detail["cost"] == pytest.approx(
        sum(star * weight for star, weight in zip(stars, weights, strict=True))
    )
    everybody = [tuple(map(str, line)) for line in lines]
    candidates = [sum(fits(text, line) for text in texts) for line in everybody]
    assert release.detail["least_candidates"] == min(candidates)


@pytest.mark.parametrize("matching", Matching)
def test_not_many_more_cells_go_than_must(matching: Matching) -> None:
    rng = Seed(7).rng()
    ours = least = 0.0
    for _ in range(12):
        lines: list[Row] = [
            (str(rng.choice(list("xy"))), str(rng.choice(list("uv"))), int(rng.integers(1, 3))) for _ in range(4)
        ]
        release = Suppress(k=2, matching=matching).apply(people(lines), rng=Seed(1).rng())
        cost = float(str(release.detail["cost"]))
        bound = least_cells(lines, 2, matching, (1.0, 1.0, 1.0))
        assert cost >= bound
        ours, least = ours + cost, least + bound
    assert least > 0
    assert ours <= 1.5 * least


def test_cells_that_nobody_needs_are_published_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Seed(11).rng()
    lines: list[Row] = [
        (str(rng.choice(list("xy"))), str(rng.choice(list("uvw"))), int(rng.geometric(0.3))) for _ in range(60)
    ]
    thin = Suppress(k=3).apply(people(lines), rng=Seed(1).rng()).detail
    monkeypatch.setattr(suppress, "MOST_LOOKS", 0)
    thick = Suppress(k=3).apply(people(lines), rng=Seed(1).rng()).detail
    assert float(str(thin["cost"])) < float(str(thick["cost"]))


def test_every_set_of_keys_comes_once_the_cheapest_first() -> None:
    sets = [tuple(np.flatnonzero(keys).tolist()) for keys in suppress.list_key_sets([1.0, 3.0, 1.5])]
    assert sets == [(), (0,), (2,), (0, 2), (1,), (0, 1), (1, 2), (0, 1, 2)]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Suppress(importance={"c": 1}), r"importance must be of a key \(a, b, n\)"),
        (Suppress(keys=("c",)), "keys must be among the columns"),
    ],
)
def test_what_is_said_of_no_key_is_refused(method: Suppress, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        method.apply(people([("x", "u", 1)] * 4), rng=Seed(1).rng())


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="k must be 1 or more"):
        Suppress(k=0)
    with pytest.raises(ParameterError, match="importance of a must be above 0"):
        Suppress(importance={"a": 0})
    with pytest.raises(InfeasibleError, match="3 records cannot match 4 at a time"):
        Suppress(k=4).apply(people([("x", "u", 1)] * 3), rng=Seed(1).rng())
