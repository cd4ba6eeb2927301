"""Whatever makes or judges a release, and through whichever door: a column that names people is named, and a person looks.

One file has an all-distinct number, name and telephone beside what is protected. Every registered method of every shape
meets it at every door: at best the answer is a review (status 3), the column stands in ``warnings`` and on stderr, and
no page is green. Whoever adds a method gets these tests with it; what it needs to be told stands in ``OPTIONS``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho import Dataset, Partition, Pseudonymise, Schema, Seed, Suppress, open_original, published_frame
from sekisho.cli import status_of
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.dataset import Column, Kind, Role
from sekisho.data.frame.release import exact_table
from sekisho.data.history.files import write_published, write_release
from sekisho.data.review import ReleaseReview, review_release
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, ReviewNeededError
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.candidate import write_and_count
from sekisho.journey.run import pass_gate
from sekisho.protect import METHODS
from sekisho.safety.terms import HistoryTerms, RecordTerms
from sekisho.utility.schema_terms import own_rules

NAMING = ("pid", "name", "phone")
KEYS = ("--keys", "age,sex,town")
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "borrow": ("--limit", "60"),
    "code": ("--top", "age=60"),
    "decoy": ("--limit", "60"),
    "delete": ("--limit", "60"),
    "delete-extremes": ("--top", "age=60"),
    "delete-small": KEYS,
    "lattice": (*KEYS, "--k", "2", "--suppress", "0.9"),
    "microaggregate": ("--k", "4"),
    "noise": ("--epsilon", "age=1"),
    "partition": (*KEYS, "--k", "3", "--effort", "0"),
    "pram": ("--retention", "0.9"),
    "recordswap": ("--geography", "town", "--similar", "sex"),
    "sample": ("--size", "45"),
    "suppress": (*KEYS, "--k", "2"),
    "swap": ("--limit", "60"),
}
OF_RECORDS = tuple(METHODS.find_names(Shape.RECORDS))
OF_HISTORIES = tuple(METHODS.find_names(Shape.HISTORY))
ENGINES = ("partition", "code", "pram", "sample")
SCHEMA = 'shape = "history"\n[[columns]]\nname = "driver"\nrole = "identifier"\n' + "".join(
    f'[[columns]]\nname = "{name}"\n' for name in (*NAMING, "day", "road")
)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, place = Seed(1).rng(), tmp_path_factory.mktemp("named") / "people.csv"
    rows = [
        f"P{n:05d},Name{n:04d},090-{n:04d}-{7 * n:04d},{rng.integers(30, 36)},{rng.choice(['f', 'm'])},"
        f"{rng.choice(['a', 'b'])},{rng.choice(['flu', 'none'])}"
        for n in range(60)
    ]
    place.write_text("pid,name,phone,age,sex,town,ill\n" + "\n".join(rows) + "\n")
    return place


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, place = Seed(2).rng(), tmp_path_factory.mktemp("named") / "trips.csv"
    rows = [
        f"d{n},P{n:05d},Name{n:04d},090-{n:04d}-{7 * n:04d},2024-01-{rng.integers(1, 29):02},road {rng.integers(4)}"
        for n in range(24)
        for _ in range(int(rng.integers(1, 5)))
    ]
    place.write_text("driver,pid,name,phone,day,road\n" + "\n".join(rows) + "\n")
    return place


def ask(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any], str]:
    status = status_of([*map(str, words), "--json"])
    answer, said = capsys.readouterr()
    return status, json.loads(answer), said


def check_review(status: int, answer: dict[str, Any], said: str) -> None:
    """At best a review, every column named in the answer and on stderr."""
    assert status in {1, 3}, answer.get("error")
    assert set(answer["identifying"]) == set(NAMING)
    for name in NAMING:
        assert any(warning.startswith(f"{name} names people") for warning in answer["warnings"])
        assert f"{name} names people" in said


def check_page(page: Path) -> None:
    """No box is green, and one says that a person must look."""
    html = page.read_text()
    assert 'class="verdict ' in html
    assert 'class="verdict good"' not in html
    assert "A person must look at this before it leaves." in html
    assert "公開の前に人による確認が必要です。" in html
    assert "pid names people" in html


@pytest.mark.parametrize("name", OF_RECORDS)
def test_every_method_of_records_asks_for_a_review(
    name: str, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    words = ("protect", name, people, *OPTIONS.get(name, ()), "--out", out, "--report", page, "--seed", 1)
    check_review(*ask(capsys, *words))
    assert "P000" in out.read_text()  # else there would be nothing to name
    check_page(page)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_every_method_beyond_memory_asks_for_a_review(
    name: str, engine: str, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    how = ("--out", out, "--report", page, "--engine", engine, "--seed", 1)
    check_review(*ask(capsys, "protect", name, people, *OPTIONS[name], *how))
    check_page(page)


@pytest.mark.parametrize("name", OF_HISTORIES)
def test_every_method_of_histories_asks_for_a_review(
    name: str, trips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "A.csv"
    how = ("--id", "driver", "--out", out, "--seed", 1)
    check_review(*ask(capsys, "protect", name, trips, *OPTIONS.get(name, ()), *how))


def test_judging_finished_releases_asks_for_a_review(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "R.csv"
    ask(capsys, "protect", "partition", people, *OPTIONS["partition"], "--out", out, "--seed", 1)
    for more in ((), ("--engine", "polars")):
        page = tmp_path / "C.html"
        status, answer, said = ask(
            capsys, "compare", people, out, *KEYS, *(more or ("--seed", 1)), *more, "--report", page
        )
        assert (status, set(answer["releases"][0]["identifying"])) == (3, set(NAMING))
        assert all(f"{name} names people" in said for name in NAMING)
        assert any("phone names people" in warning for warning in answer["warnings"])
        assert "pid names people" in page.read_text()
    how = ("--original", people, "--published", out, "--out", tmp_path / "F.csv", "--seed", 1)
    check_review(*ask(capsys, "attack", "prosecutor", *KEYS, *how))


@pytest.mark.parametrize("name", OF_RECORDS)
def test_every_method_of_records_is_for_review_at_best_at_the_gate(name: str, people: Path, tmp_path: Path) -> None:
    result = pass_gate(write_recipe(tmp_path, people, name), out=tmp_path / "gate")
    assert result.verdict is not Verdict.RELEASE
    details = [one.detail for one in result.reasons if one.rule == "identifying column"]
    assert [column for column in NAMING if not any(column in detail for detail in details)] == []
    assert list((tmp_path / "gate" / "public").iterdir()) == []


def test_a_history_that_names_people_is_for_review_at_best_at_the_gate(trips: Path, tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(SCHEMA)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        f'schema = "schema.toml"\noriginal = "{trips}"\nseed = 1\nclaim = "reported"\n'
        '[[methods]]\nname = "groups"\nk = 7\n[[adversaries]]\nname = "chance"\n'
    )
    result = pass_gate(recipe, out=tmp_path / "gate")
    assert result.verdict is not Verdict.RELEASE
    assert [one.rule for one in result.reasons if one.rule == "identifying column"]
    assert list((tmp_path / "gate" / "public").iterdir()) == []


def write_recipe(folder: Path, source: Path, name: str) -> Path:
    method = {"name": name, **read_options(OPTIONS.get(name, ()))}
    if name == "delete-extremes":
        method["top"] = {"age": 60}
    lines = [f"{key} = {json.dumps(value)}" for key, value in method.items() if not isinstance(value, dict)]
    lines += [
        f"{key} = {{ {', '.join(f'{column} = {json.dumps(each)}' for column, each in value.items())} }}"
        for key, value in method.items()
        if isinstance(value, dict)
    ]
    recipe = folder / "recipe.toml"
    recipe.write_text(
        f'shape = "records"\noriginal = "{source}"\nkeys = ["age", "sex", "town"]\nseed = 1\n[guarantees]\nk = 2\n'
        "[[methods]]\n" + "\n".join(lines) + "\n"
    )
    return recipe


def read_options(words: tuple[str, ...]) -> dict[str, Any]:
    """Return options of a command as a recipe's keys."""
    pairs = zip(words[::2], words[1::2], strict=True)
    return {option.removeprefix("--"): read_value(option.removeprefix("--"), text) for option, text in pairs}


def read_value(key: str, text: str) -> object:
    column, equals, value = text.partition("=")
    if equals:
        return {column: value if key == "top" else float(value)}
    if key in {"keys", "geography", "similar"}:
        return text.split(",")
    return text if key in {"suppress", "retention"} else int(text)


def test_an_allowed_column_leaves_with_its_reason_in_answer_and_page(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    words = ("protect", "partition", people, *OPTIONS["partition"], "--out", out, "--report", page, "--seed", 1)
    some = [word for name in ("pid", "name") for word in ("--allow-column", f"{name}=drawn anew each year, ask 12")]
    status, answer, said = ask(capsys, *words, *some)
    assert (status, answer["identifying"]) == (3, ["phone"])
    assert answer["allowed_columns"] == dict.fromkeys(("pid", "name"), "drawn anew each year, ask 12")
    assert "pid was allowed to leave: drawn anew each year, ask 12" in said
    status, answer, _ = ask(capsys, *words, *some, "--allow-column", "phone=they asked for it in writing")
    assert (status, answer["identifying"], answer["warnings"]) == (3, [], [])  # now nobody says what the others are
    assert [entry["column"] for entry in answer["account"] if entry["cover"] == "open"] != []
    assert "drawn anew each year, ask 12" in page.read_text()
    for bad in ("phone", "phone=", "fax=why"):
        assert ask(capsys, *words, "--allow-column", bad)[0] == 2


def test_cells_that_can_be_worked_out_are_for_review_through_every_door(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # nobody may lift it by a reason: nothing counts yet how many hidden cells are known
    bare = tmp_path / "bare.csv"
    pl.read_csv(people).drop(*NAMING).write_csv(bare)
    out, page = tmp_path / "R.csv", tmp_path / "R.html"
    how = (*KEYS, "--k", 4, "--out", out, "--report", page, "--seed", 1)
    status, answer, said = ask(capsys, "protect", "suppress", bare, *how)
    assert (status, answer["identifying"]) == (3, [])
    assert "whoever reads the release alone can often work out hidden cells" in said
    assert "whoever reads the release alone" in page.read_text()
    allowed = [
        word
        for name in answer["derivable"]
        for word in ("--allow-column", f"{name}=because they may be read by anybody")
    ]
    assert ask(capsys, "protect", "suppress", bare, *how, *allowed)[0] == 3
    status, answer, _ = ask(capsys, "protect", "suppress", bare, *how, "--matching", "alike")
    assert (status, answer["derivable"]) == (3, [])  # nobody says what the other columns are
    recipe = write_recipe(tmp_path, bare, "suppress")
    recipe.write_text(recipe.read_text() + '[policy]\n"guarantee broken" = "review"\n')
    result = pass_gate(recipe, out=tmp_path / "gate")
    assert "derivable cells" in [one.rule for one in result.reasons]
    assert (result.verdict, list((tmp_path / "gate" / "public").iterdir())) == (Verdict.REVIEW, [])
    data, _ = open_original(bare, records_of(bare))
    release = Suppress(keys=("age", "sex", "town"), k=4).apply(data.data, rng=Seed(1).rng())
    with pytest.raises(ReviewNeededError, match="work out hidden cells"):
        published_frame(release)


def records_of(source: Path) -> RecordTerms:
    rules = own_rules(schema_from_options(Shape.RECORDS), source.stem)
    assert isinstance(rules, RecordTerms)
    return rules


def test_whoever_writes_through_the_library_is_refused_and_the_columns_are_named(people: Path, trips: Path) -> None:
    original, rules = open_original(people, records_of(people))
    release = Partition(keys=("age", "sex", "town"), k=3, effort=0.0).apply(original.data, rng=Seed(1).rng())
    with pytest.raises(ReviewNeededError, match="pid names people") as refusal:
        published_frame(release)
    assert refusal.value.columns == NAMING
    with pytest.raises(ReviewNeededError, match="phone names people"):
        published_frame(
            release,
            allowed={"pid": "the people concerned agreed in writing", "name": "the people concerned agreed in writing"},
        )
    with pytest.raises(ParameterError):
        published_frame(release, allowed={"pid": " "})
    assert published_frame(release, allowed=dict.fromkeys(NAMING, "they agreed to it in writing")).height == 60
    with pytest.raises(ReviewNeededError):
        write_and_count(release, rules, Path("R.csv"))
    assert write_and_count(release, rules, Path("R.csv"), review=review_release(release)).content
    book = own_rules(schema_from_options(Shape.HISTORY, identifier="driver"), "trips")
    assert isinstance(book, HistoryTerms)
    history, settled = open_original(trips, book)
    shuffled = Pseudonymise().apply(history.data, rng=Seed(1).rng())
    for write in (write_release, write_published):
        with pytest.raises(ReviewNeededError, match="name names people"):
            write(shuffled, settled)


@given(
    rows=st.integers(20, 80),
    repeats=st.integers(1, 4),
    wide=st.booleans(),
)
def test_of_records_a_column_of_texts_is_named_exactly_if_nearly_every_value_differs(
    *, rows: int, repeats: int, wide: bool
) -> None:
    texts = [f"v{n // repeats}" for n in range(rows)]
    schema = Schema((Column(name="x", kind=Kind.CATEGORY, role=Role.QUASI),))
    data = Dataset(pl.DataFrame({"x": texts}), schema)
    release = Partition(keys=("x",), k=2 if wide else 1, effort=0.0).apply(data, rng=Seed(1).rng())
    review = review_release(release, data)
    assert bool(review.identifying) == (len(set(texts)) >= 0.9 * rows)
    # what is asked of the release alone says no less of whole texts
    assert review_release(exact_table(data)).names == review_release(exact_table(data), data).names


def test_what_people_did_does_not_name_them_and_what_is_theirs_alone_does() -> None:
    person = np.repeat(np.arange(30), 3)
    frame = pl.DataFrame(
        {
            "who": [f"c{n}" for n in person],
            "phone": [f"090-{n}" for n in person],
            "bought": [f"i{n % 80}" for n in range(90)],
            "receipt": [f"r{n}" for n in range(90)],
        }
    )
    columns = [Column(name=name, kind=Kind.CATEGORY, role=Role.QUASI) for name in frame.columns[1:]]
    holder = Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER)
    data = Dataset(frame, Schema((holder, *columns)))
    release = Pseudonymise().apply(data, rng=Seed(1).rng())
    assert review_release(release, data).names == ("phone", "receipt")
    assert review_release(release).names == ("phone", "receipt")


def test_an_empty_review_asks_for_nothing_and_each_part_alone_asks_for_a_look() -> None:
    assert not ReleaseReview().needed
    ReleaseReview(useful=False).refuse()  # of no use is no harm
    for review in (ReleaseReview(useful=False), ReleaseReview(noisy=("a",)), ReleaseReview(derivable=("a",))):
        assert review.needed
    with pytest.raises(ReviewNeededError):
        ReleaseReview(derivable=("a",)).refuse()
