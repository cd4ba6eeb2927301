"""A missing cell stops no method: it is carried, and what is promised holds of the cells as they are written.

Whoever gets the file sees an empty cell, so that an empty cell counts as a value of its own wherever records are
counted as alike; a class of k that needed missing cells to match anything would be none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.conformance.test_one_way import OF_HISTORIES, OF_RECORDS, PARAMETERS, SEED, write_toml, write_words

from sekisho.cli import status_of
from sekisho.gate.output_files import RELEASE
from sekisho.journey.candidates import run
from sekisho.journey.entry import ReadRecipe
from sekisho.seeds import Seed

NAMES = ("age", "sex", "town", "pay", "day", "note", "ill")
KEYS = ["age", "sex", "town", "day"]
KEYED: Mapping[str, Mapping[str, Any]] = {
    "delete-small": {"keys": ["sex", "town"], "k": 3},
    "lattice": {"keys": KEYS, "k": 3, "suppress": 0.3},
    "microaggregate": {"keys": KEYS, "k": 3},
    "partition": {"keys": KEYS, "k": 3, "effort": 0},
    "rankswap": {"keys": ["age", "pay", "day"], "p": 20},
    "suppress": {"keys": KEYS, "k": 3, "matching": "alike"},
}
ADVERSARIES = ("chance", "containment", "maximum-knowledge", "unique-rows")
UNTOUCHED = ("partition", "lattice", "suppress", "microaggregate", "rankswap", "code", "noise")
"""Methods that leave columns which they are not asked about as they are, missing cells with them."""

AS_THEY_STAND = {"pram": [""], "sample": [""]}
"""Methods that take every cell as the text it is: there NA is a text as any other."""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file in which cells of every kind of column are missing, in keys, sensitive and other columns."""
    rng, place = Seed(3).rng(), tmp_path_factory.mktemp("missing") / "people.csv"

    def lack(text: object, share: float = 0.2) -> str:
        return str(text) if rng.random() > share else str(rng.choice(["", "NA"]))

    rows = [
        f"{lack(rng.integers(30, 36))},{lack(rng.choice(['f', 'm']))},{lack(rng.choice(['a', 'b']))},"
        f"{lack(str(rng.integers(0, 40)) + '.25')},{lack(date(2024, 1, 1) + timedelta(days=int(rng.integers(0, 9))))},"
        f"{lack(rng.choice(['x', 'y']), 0.9)},{lack(rng.choice(['flu', 'cold']))}"
        for _ in range(80)
    ]
    place.write_text(",".join(NAMES) + "\n" + "\n".join(rows) + "\n")
    return place


def read_texts(path: Path) -> pl.DataFrame:
    """Return a file as whoever gets it reads it: every cell a text, an empty one the empty text."""
    return pl.read_csv(path, infer_schema=False).fill_null("")


def count_smallest(frame: pl.DataFrame, keys: list[str]) -> int:
    """Return how many records the smallest class of equal texts has, counted one by one."""
    return min(Counter(frame.select(keys).rows()).values())


def choose_parameters(name: str) -> Mapping[str, Any]:
    return KEYED.get(name) or PARAMETERS.get(name, {})


@pytest.mark.parametrize("name", OF_RECORDS)
def test_every_method_on_records_carries_missing_cells(
    name: str, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parameters, out = choose_parameters(name), tmp_path / "R.csv"
    words = ["protect", name, str(people), *write_words(parameters), "--out", str(out), "--seed", str(SEED), "--json"]
    status = status_of(words)
    answer = json.loads(capsys.readouterr().out)
    assert status in {0, 3}, answer
    original, released = read_texts(people), read_texts(out)
    assert released.columns == list(NAMES)
    texts = "".join(released.select(pl.all().str.join("|")).row(0))
    assert "4611686018427387904" not in texts  # what stands for missing on a grid is written nowhere
    for proven in answer.get("proven", []):
        assert proven["kept"]
        assert proven["counted"] >= proven["wanted"]
        assert count_smallest(released, proven["keys"]) == proven["counted"]
    for column, gaps in answer.get("missing", {}).items():
        assert gaps["before"] == original[column].is_in(AS_THEY_STAND.get(name, ["", "NA"])).sum()
        assert gaps["after"] == (released[column] == "").sum()
    if name in UNTOUCHED and released.height == original.height:
        assert answer["missing"]["note"]["before"] == answer["missing"]["note"]["after"]
        assert (released["ill"] == "").sum() == original["ill"].is_in(["", "NA"]).sum()


@pytest.mark.parametrize("name", OF_RECORDS)
def test_measures_attacks_and_guarantees_take_them(name: str, people: Path, tmp_path: Path) -> None:
    parameters = choose_parameters(name)
    keys = json.dumps(parameters.get("keys", KEYS))
    text = (
        f'shape = "records"\noriginal = {json.dumps(str(people))}\nkeys = {keys}\nsensitive = ["ill"]\n'
        f'[guarantees]\nk = 2\n[[methods]]\nname = "{name}"\n' + write_toml(parameters)
    )
    (tmp_path / "recipe.toml").write_text(text)
    stage: Any = ReadRecipe.read(tmp_path / "recipe.toml").open().stage
    *_, last = run(stage, seed=Seed(SEED))
    best = last.outcome.best
    assert all(score.value == score.value for score in best.compared.scores.values())  # none is NaN
    files = stage.files(replace(best, reasons=()), seed=Seed(SEED), release=RELEASE)
    assert RELEASE in files.offered


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a history that lacks items, prices and numbers, and its schema beside it."""
    rng, folder = Seed(4).rng(), tmp_path_factory.mktemp("missing")
    rows = [
        f"c{who},2024-01-{rng.integers(1, 29):02},{rng.choice(['tea', 'rice', ''])},"
        f"{rng.choice(['1.5', '2', '9', 'NA'])},{rng.choice(['1', '2', ''])}"
        for who in range(24)
        for _ in range(int(rng.integers(1, 5)))
    ]
    (folder / "trips.csv").write_text("who,day,item,price,number\n" + "\n".join(rows) + "\n")
    schema = 'shape = "history"\n[[columns]]\nname = "who"\nrole = "identifier"\n'
    schema += "".join(f'[[columns]]\nname = "{name}"\n' for name in ("day", "item", "price", "number"))
    (folder / "trips.toml").write_text(schema)
    return folder / "trips.csv"


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_histories_carry_missing_items_prices_and_numbers(
    name: str, trips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, schema = tmp_path / "A.csv", trips.with_suffix(".toml")
    words = ["protect", name, trips, "--schema", schema, *write_words(PARAMETERS.get(name, {})), "--out", out]
    status = status_of([*map(str, words), "--seed", str(SEED), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert status in {0, 3}, answer
    text = out.read_text()
    assert "4611686018427387904" not in text
    released = read_texts(out)
    if name in {"groups", "similar-length"}:
        people: dict[str, Counter[tuple[str, ...]]] = {}
        for who, *cells in released.filter(pl.col("who") != "").rows():
            people.setdefault(who, Counter())[tuple(cells)] += 1
        alike = Counter(frozenset(rows.items()) for rows in people.values() if not set(rows) <= {("*",) * 4})
        assert min(alike.values()) >= PARAMETERS[name]["k"]
    if name in {"groups", "pseudonymise"}:
        assert (released["number"] == "").sum() > 0


def test_a_history_with_missing_cells_passes_the_gate(trips: Path, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(
        f'shape = "history"\noriginal = {json.dumps(str(trips))}\nschema = {json.dumps(str(trips.with_suffix(".toml")))}\n'
        '[[methods]]\nname = "groups"\nk = 3\n' + "".join(f'[[adversaries]]\nname = "{name}"\n' for name in ADVERSARIES)
    )
    stage: Any = ReadRecipe.read(tmp_path / "recipe.toml").open().stage
    *_, last = run(stage, seed=Seed(SEED))
    assert 0 <= last.outcome.best.score.value <= 1
