"""Global recoding: the vector of levels is the best of all, classes have k records, and cells admit the truth."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.protect.records import every_vector
from tests.protect.records.every_vector import Ladder, least_loss

from sekisho.data.files.published_frame import published_frame
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import parse_wide
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.records import lattice_search
from sekisho.protect.records.lattice_recoding import Lattice, LatticeMeasure
from sekisho.safety.records.diversity import Diversity
from sekisho.seeds import Seed
from sekisho.utility.records.information_loss import CertaintyPenalty

TOWNS: Ladder = {
    "a": ("a", "north", "*"),
    "b": ("b", "north", "*"),
    "c": ("c", "south", "*"),
    "d": ("d", "south", "*"),
    "e": ("e", "south", "*"),
}
JOBS: Ladder = {"x": ("x", "*"), "y": ("y", "*"), "z": ("z", "*")}
AGES: Ladder = {str(age): (str(age), f"<{age // 2}>", f"<<{age // 4}>>", "any") for age in range(8)}
LADDERS = {"town": TOWNS, "job": JOBS, "age": AGES}
SCHEMA = Schema(
    (
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="job", kind=Kind.CATEGORY),
        Column(name="age", kind=Kind.INTEGER),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
)
MEASURES = {
    LatticeMeasure.NCP: every_vector.ncp,
    LatticeMeasure.PRECISION: every_vector.precision,
    LatticeMeasure.ENTROPY: every_vector.entropy,
}
RULES: dict[str, dict[str, float]] = {
    "k": {},
    "distinct": {"distinct": 2.0},
    "entropy": {"varied": 1.6},
    "recursive": {"recursive": 2.0},
    "t": {"t": 0.4},
}
rows = st.tuples(st.sampled_from(list(TOWNS)), st.sampled_from(list(JOBS)), st.integers(0, 7), st.sampled_from("uvw"))
Row = tuple[str, str, int, str]


def tree(ladder: Ladder) -> Tree:
    return parse_wide([list(line) for line in ladder.values()])


def people(lines: list[Row]) -> Dataset:
    columns = dict(zip(SCHEMA.names, zip(*lines, strict=True), strict=True))
    return Dataset(pl.DataFrame({name: list(values) for name, values in columns.items()}), SCHEMA)


def test_a_level_by_hand() -> None:
    lines: list[Row] = [("a", "x", 1, "u"), ("b", "x", 1, "u"), ("c", "x", 1, "u"), ("d", "x", 1, "v")]
    method = Lattice(keys=("town",), k=2, tree={"town": tree(TOWNS)})
    release = method.apply(people(lines), rng=Seed(1).rng())
    # single towns are alone; north and south have 2 each: (2 - 1) / 4 and (3 - 1) / 4
    assert published_frame(release)["town"].to_list() == ["north", "north", "south", "south"]
    assert release.detail["levels"] == {"town": 1}
    assert release.detail["loss"] == release.detail["ncp"] == pytest.approx((1 / 4 + 1 / 4 + 2 / 4 + 2 / 4) / 4)
    # one of four may be left out: with d gone south has one only, so nothing finer is allowed
    spared = Lattice(keys=("town",), k=3, tree={"town": tree(TOWNS)}, suppress=Fraction(1, 4))
    more = spared.apply(people([*lines[:2], ("a", "x", 1, "u"), lines[3]]), rng=Seed(1).rng())
    # a twice, b once and d once: as north 3 of 4, and d is left out: (1/4 * 3 + 1) / 4; all as * would cost 1
    assert more.deleted.tolist() == [False, False, False, True]
    assert more.detail["loss"] == pytest.approx((3 / 4 + 1) / 4)


def test_uneven_trees_stand_still_below() -> None:
    uneven = Tree.of([("a", "north"), ("b", "north"), ("north", "all"), ("c", "all")])
    schema = Schema((Column(name="town", kind=Kind.CATEGORY),))
    data = Dataset(pl.DataFrame({"town": ["a", "b", "c", "c"]}), schema)
    release = Lattice(k=2, tree={"town": uneven}).apply(data, rng=Seed(1).rng())
    assert published_frame(release)["town"].to_list() == ["north", "north", "c", "c"]


def test_numbers_without_a_tree_are_put_into_ranges_whose_width_doubles() -> None:
    schema = Schema((Column(name="age", kind=Kind.INTEGER),))
    data = Dataset(pl.DataFrame({"age": [1, 2, 3, 5, 6, 7]}), schema)
    release = Lattice(k=3).apply(data, rng=Seed(1).rng())
    # widths 2: 1 alone; 4: 1 to 3 and 4 to 7, clipped to the file's span of 6: (2 * 3 + 3 * 3) / 6 / 6
    assert published_frame(release)["age"].to_list() == ["[1;3]"] * 3 + ["[4;7]"] * 3
    assert release.detail["ncp"] == pytest.approx(15 / 36)


def test_ranges_on_both_sides_of_zero_come_to_an_end() -> None:
    schema = Schema((Column(name="age", kind=Kind.INTEGER),))
    data = Dataset(pl.DataFrame({"age": [-(10**17), -3, -2, 2, 3, 10**17]}), schema)
    release = Lattice(k=3).apply(data, rng=Seed(1).rng())
    # no multiple of a width but 0 parts them: as many below as above
    texts = published_frame(release)["age"].to_list()
    assert texts == [texts[0]] * 3 + [texts[3]] * 3
    assert texts[0].endswith(";-1]")


@try_examples(60)
@given(
    st.lists(rows, min_size=3, max_size=14),
    st.integers(1, 4),
    st.sampled_from([Fraction(0), Fraction(1, 5), Fraction(1, 2)]),
    st.sampled_from(list(LatticeMeasure)),
    st.sampled_from(list(RULES)),
)
def test_no_vector_is_better(lines: list[Row], k: int, suppress: Fraction, measure: LatticeMeasure, asked: str) -> None:
    data = people(lines)
    rule = RULES[asked] | {"k": float(k)}
    suppress = Fraction(0) if asked == "t" else suppress
    texts = [(town, job, str(age)) for town, job, age, _ in lines]
    hidden = [ill for *_, ill in lines]
    best = least_loss(texts, hidden, list(LADDERS.values()), MEASURES[measure], int(suppress * len(lines)), **rule)
    method = Lattice(
        keys=tuple(LADDERS),
        k=k,
        tree={name: tree(ladder) for name, ladder in LADDERS.items()},
        suppress=suppress,
        measure=measure,
        sensitive="ill" if asked != "k" else "",
        l=next((each for name, each in RULES[asked].items() if name != "t"), None),
        diversity=Diversity(asked) if asked in set(Diversity) else Diversity.DISTINCT,
        t=rule.get("t"),
    )
    if best is None or not every_vector.keeps(hidden, hidden, **rule):
        with pytest.raises(InfeasibleError, match=r"not even all \d+ records together|cannot form a class"):
            method.apply(data, rng=Seed(1).rng())
        return
    release = method.apply(data, rng=Seed(1).rng())
    assert release.detail["loss"] == pytest.approx(best, abs=1e-9)
    _check_release(data, release, k)


def _check_release(data: Dataset, release: Release, k: int) -> None:
    """See that classes have k records as they are written, that cells admit the truth, and that the NCP is as told."""
    frame = published_frame(release).select(list(LADDERS))
    assert frame.height == int((~release.deleted).sum())
    if frame.height:
        assert int(frame.group_by(pl.all()).len()["len"].to_numpy().min()) >= k
    for name in ("town", "job"):
        assert release.table.sets(name).admits(data.codes(name)).all()
    assert release.table.numbers("age").admits(data.grid("age")).all()
    ncp = CertaintyPenalty(keys=tuple(LADDERS), tree={name: tree(ladder) for name, ladder in LADDERS.items()})
    # the label may cover leaves that its cell's own values do not need
    assert ncp.compare(data, release).value <= float(str(release.detail["ncp"])) + 1e-9


def test_most_vectors_are_never_looked_at() -> None:
    rng = Seed(3).rng()
    lines: list[Row] = [
        (str(rng.choice(list(TOWNS))), str(rng.choice(list(JOBS))), int(rng.integers(8)), "u") for _ in range(300)
    ]
    method = Lattice(keys=tuple(LADDERS), k=5, tree={name: tree(ladder) for name, ladder in LADDERS.items()})
    detail = method.apply(people(lines), rng=Seed(1).rng()).detail
    assert detail["vectors"] == 3 * 2 * 4
    assert 0 < int(str(detail["looked_at"])) < 24


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be 1 or more"),
        ({"suppress": Fraction(1)}, "suppress must lie between 0 and 1, 1 excluded"),
        ({"l": 0.5, "sensitive": "ill"}, "l must be a whole number from 1 on for distinct"),
        ({"t": 2, "sensitive": "ill"}, "t must lie between 0 and 1"),
        ({"t": 0.5, "suppress": Fraction(1, 9)}, "suppress must be 0 beside t"),
        ({"sensitive": "ill"}, "sensitive must be named only beside l or t"),
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Lattice(**parameters)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Lattice(keys=("town",), sensitive="town", t=0.5), "sensitive must be neither a key nor the identifier"),
        (Lattice(keys=("town",), sensitive="health", t=0.5), "column must be one of town, job, age, ill"),
        (Lattice(keys=("city",)), "keys must be among the columns"),
    ],
)
def test_columns_that_cannot_be_are_refused(method: Lattice, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        method.apply(people([("a", "x", 1, "u")] * 6), rng=Seed(1).rng())


def test_a_lattice_too_large_to_search_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice_search, "MOST_VECTORS", 3)
    with pytest.raises(ParameterError, match="keys must have at most 3 vectors of levels"):
        Lattice(keys=("town", "job"), k=1).apply(people([("a", "x", 1, "u"), ("b", "y", 2, "u")]), rng=Seed(1).rng())
