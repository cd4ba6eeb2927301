"""Shared columns changed once a household: k and epsilon by hand, and k against all ways in which rows can be people."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.cli.door import open_door
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.errors import InfeasibleError, InputError, ParameterError
from sekisho.protect.records.pram import Pram
from sekisho.safety.household_pram import HouseholdUnits
from sekisho.safety.mechanism import parse_mechanism
from sekisho.safety.pram import PkAnonymity
from sekisho.safety.transition import Replacement
from sekisho.seeds import Seed

HALF = Fraction(1, 2)
TENURE, SEX = Replacement(values=2, retention=HALF), Replacement(values=3, retention=HALF)


def make_data(rows: list[tuple[str, str, str]], role: Role = Role.HOUSEHOLD) -> Dataset:
    columns = (
        Column(name="home", kind=Kind.CATEGORY, role=role),
        Column(name="tenure", kind=Kind.CATEGORY),
        Column(name="sex", kind=Kind.CATEGORY),
    )
    return Dataset(pl.DataFrame(rows, schema=["home", "tenure", "sex"], orient="row"), Schema(columns))


def test_shared_columns_count_once_and_others_once_a_member() -> None:
    units = HouseholdUnits(shared=("tenure",), sizes={1: 30, 2: 20})
    transitions = {"tenure": TENURE, "sex": SEX}
    # e^epsilon = 1 + retention values / (1 - retention): 3 of tenure, 4 of sex; a couple: 3 x 4 x 4
    assert units.measure_epsilon(transitions, from_data=()).odds.ratio == 48
    # r2 is the square of 1/e^epsilon: couples 1 + 19/48^2, singles 1 + 29/12^2
    finding = units.check(transitions)
    assert finding.k == 1 + Fraction(19, 48**2)
    assert (finding.records, finding.lower_bound, str(finding.stratum)) == (20, True, "households of 2")
    singles = HouseholdUnits(shared=("tenure",), sizes={1: 30})
    assert singles.check(transitions).k == PkAnonymity(transitions=transitions).check(records=30).k


@pytest.mark.parametrize("sizes", [{}, {0: 1}, {0: 1, 3: 2}, {3: 2, -1: 1}])
def test_households_of_nobody_are_refused(sizes: dict[int, int]) -> None:
    with pytest.raises(ParameterError, match="sizes must be of one member or more"):
        HouseholdUnits(shared=(), sizes=sizes)
    assert HouseholdUnits(shared=(), sizes={1: 1, 3: 2}).sizes[1] == 1


def find_surest(retention: Fraction, households: list[tuple[int, tuple[int, ...]]]) -> Fraction:
    """Return the largest chance that a row is a person, over all releases: every way to give rows to people is listed.

    Households of (shared value, own values), all binary, changed with one retention.
    """
    change = [[retention * (one == two) + (1 - retention) / 2 for two in (0, 1)] for one in (0, 1)]
    people = [(home, shared, own) for home, (shared, members) in enumerate(households) for own in members]
    first = {home: next(at for at, one in enumerate(people) if one[0] == home) for home, *_ in people}
    surest = Fraction(0)
    for rows in {tuple(sorted(each)) for each in product(product((0, 1), (0, 1)), repeat=len(people))}:
        weights = [[Fraction(0)] * len(people) for _ in people]
        for way in permutations(range(len(people))):
            chance = Fraction(1)
            for at, (home, shared, own) in enumerate(people):
                told, shown = rows[way[at]]
                alike = told == rows[way[first[home]]][0]
                chance *= change[own][shown] * (alike if at != first[home] else change[shared][told])
            for at, row in enumerate(way):
                weights[at][row] += chance
        whole = sum(weights[0])
        surest = max([surest, *(one / whole for line in weights for one in line)] if whole else [surest])
    return surest


@pytest.mark.parametrize("retention", [Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)])
def test_nobody_is_tied_to_a_row_with_a_chance_above_what_households_promise(retention: Fraction) -> None:
    one = Replacement(values=2, retention=retention)
    transitions = {"tenure": one, "sex": one}
    couples = [(0, (0, 1)), (1, (1, 1))]
    promised = HouseholdUnits(shared=("tenure",), sizes={2: 2}).check(transitions)
    assert find_surest(retention, couples) <= promised.risk


def test_person_by_person_more_would_be_promised_than_is_kept() -> None:
    # A couple and a single: two rows that tell one tenure and one that tells the other say who lives together.
    one = Replacement(values=2, retention=Fraction(1, 20))
    transitions = {"tenure": one, "sex": one}
    assert find_surest(Fraction(1, 20), [(0, (0, 0)), (1, (1,))]) == 1
    assert PkAnonymity(transitions=transitions).check(records=3).risk < HALF
    assert HouseholdUnits(shared=("tenure",), sizes={2: 1, 1: 1}).check(transitions).risk == 1


def test_pram_changes_a_shared_column_once_and_a_mechanism_tells_it() -> None:
    rng = np.random.default_rng(1)
    homes = np.repeat(np.arange(60), 1 + np.arange(60) % 3)
    tenure = rng.choice(["own", "rent"], 60)[homes]
    rows = list(zip(map(str, homes), tenure, rng.choice(["m", "f", "x"], len(homes)), strict=True))
    method = Pram(retention=HALF, household="home")
    for role in (Role.HOUSEHOLD, Role.OTHER):
        release = method.apply(make_data(rows, role), rng=Seed(1).rng())
        released = release.table.columns
        codes = release.table.sets("tenure").codes
        assert np.array_equal(codes, codes[np.unique(homes, return_index=True)[1]][homes])
        assert len(set(map(tuple, np.stack([homes, release.table.sets("sex").codes], axis=1).tolist()))) > 60
        assert role is Role.HOUSEHOLD or bool(released["home"].suppressed.all())  # who lives together never leaves
    described = release.mechanism.as_dict()
    assert (described["shared"], described["households_of"]) == (["tenure"], {"1": 20, "2": 20, "3": 20})
    assert release.detail["epsilon_exact"] == str(3 * 4**3)
    with pytest.raises(InputError, match="households"):
        parse_mechanism(json.dumps(described), "file")
    kept = Pram(k=Fraction(2), household="home").apply(make_data(rows), rng=Seed(1).rng())
    assert 2 <= kept.guarantee.k < Fraction(21, 10)
    with pytest.raises(InfeasibleError, match="households of"):
        Pram(k=Fraction(21), household="home").apply(make_data(rows), rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="without a sample"):
        Pram(retention=HALF, household="home", sample=10)
    with pytest.raises(ParameterError, match="without a sample"):
        Pram(retention=HALF, sample=10).apply(make_data(rows), rng=Seed(1).rng())


@pytest.mark.parametrize(
    "method",
    [
        'name = "pram"\nretention = 0.5',
        'name = "sample"\nsize = 20\nhousehold = "home"',
        'name = "recordswap"\ngeography = ["tenure"]\nsimilar = ["sex"]\nk = 3\nhousehold = "home"',
        'name = "partition"\nk = 2\nhousehold = "home"\neffort = 0',
    ],
)
def test_the_role_goes_through_recipes(capsys: pytest.CaptureFixture[str], tmp_path: Path, method: str) -> None:
    rng = np.random.default_rng(2)
    homes = np.repeat(np.arange(40), 2)
    lines = [f"{home},{'own' if home % 2 else 'rent'},{rng.choice(['m', 'f'])}" for home in homes]
    (tmp_path / "people.csv").write_text("\n".join(["home,tenure,sex", *lines]) + "\n", encoding="utf-8")
    columns = "".join(
        f'[[columns]]\nname = "{name}"\nrole = "{role}"\n'
        for name, role in (("home", "household"), ("tenure", "quasi"), ("sex", "quasi"))
    )
    (tmp_path / "s.toml").write_text('shape = "records"\n' + columns, encoding="utf-8")
    recipe = f'original = "people.csv"\nschema = "s.toml"\nseed = 1\nrisk = 0.5\n[[methods]]\n{method}\n'
    (tmp_path / "recipe.toml").write_text(recipe, encoding="utf-8")
    words = ["gate", str(tmp_path / "recipe.toml"), "--out", str(tmp_path / "out"), "--advice", "0", "--json"]
    assert open_door(words) in (0, 1, 3)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert answer["method"].startswith(method.split('"')[1])
    release = pl.read_csv(tmp_path / "out" / "confidential" / "release-by-row.csv")
    assert "home" not in release.columns or set(release["home"]) == {"*"}
    if answer["method"].startswith(("pram", "recordswap")):
        assert release["tenure"].to_list()[::2] == release["tenure"].to_list()[1::2]
    if answer["method"].startswith("sample"):
        assert release.height == 40  # whole households
