"""Finished steps are taken up again, verified and never trusted: the same bytes, whatever was kept, lost or damaged."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import time

import numpy as np
import polars as pl
import pytest
from tests.gate.runs import read_outputs, write_history, write_keyed, write_table

from sekisho.attack.guess import Guess
from sekisho.attack.history.containment import Containment
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MarkedNumbers, Release
from sekisho.errors import InputError
from sekisho.gate.cache.content import UnwritableError, describe_content
from sekisho.gate.cache.secret import StepSecret
from sekisho.gate.cache.steps import Steps, decode_guess, decode_release, encode_guess, encode_release, encode_scores
from sekisho.gate.cache.store import StepStore, StoredStep, make_key
from sekisho.gate.records.comparison import Comparison
from sekisho.gate.tables.search import TableSearch
from sekisho.journey.folders import OutputFolders
from sekisho.journey.run import pass_gate
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.utility.score import Direction, Score
from sekisho.words import quote_words


def open_store(folder: Path) -> StepStore:
    """Open a store whose secret lies beside its folder."""
    return StepStore(folder, StepSecret(folder.with_name(".cache.key")))


SHAPES: list[Callable[[Path], Path]] = [write_history, write_keyed, write_table]


@pytest.mark.parametrize("write", SHAPES, ids=["history", "keyed", "table"])
def test_the_second_run_is_the_first_one_to_the_byte_and_makes_nothing_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], Path]
) -> None:
    recipe = write(tmp_path)
    pass_gate(recipe, out=tmp_path / "gate")
    first = read_outputs(tmp_path / "gate")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("made anew")

    for place in ("SimilarLength.apply", "pseudonymise.Pseudonymise.apply"):
        module = "similar_length." if place.startswith("Similar") else ""
        monkeypatch.setattr(f"sekisho.protect.history.{module}{place}", refuse)
    monkeypatch.setattr("sekisho.protect.records.partition.Partition.apply", refuse)
    monkeypatch.setattr(Comparison, "measure", refuse)
    monkeypatch.setattr(Containment, "guess", refuse)
    monkeypatch.setattr(TableSearch, "certify", refuse)
    pass_gate(recipe, out=tmp_path / "gate")
    assert read_outputs(tmp_path / "gate") == first


def test_a_seed_that_was_drawn_is_drawn_once(tmp_path: Path) -> None:
    recipe = write_history(tmp_path, seed="")
    first = pass_gate(recipe, out=tmp_path / "gate")
    second = pass_gate(recipe, out=tmp_path / "gate")
    assert first.seed == second.seed
    assert first.public == second.public
    assert pass_gate(recipe, out=tmp_path / "other").seed != first.seed


CHANGES: list[tuple[str, str, tuple[int, int]]] = [
    ("seed", "[limits]\n'cell-error' = 0.001\n", (0, 0)),
    ("seed", 'claim = "reported"\n', (0, 0)),
    ("seed", "# a remark\n", (0, 0)),
    ("seed", "[[adversaries]]\nname = 'unique-rows'\n", (0, 2)),
    ("other seed", "[[methods]]\nname = 'similar-length'\nk = 4\n", (3, 6)),
]
"""By a line more in a recipe with two methods and two adversaries: whether the seed stays; how many releases and guesses
are made anew."""


@pytest.mark.parametrize(("seed", "line", "work"), CHANGES, ids=[line.split("\n")[0] for _, line, _ in CHANGES])
def test_one_changed_line_makes_anew_only_what_depends_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: str, line: str, work: tuple[int, int]
) -> None:
    recipe = write_history(tmp_path, seed="")
    first = pass_gate(recipe, out=tmp_path / "gate")
    text = recipe.read_text()
    recipe.write_text(text + line if line.startswith("[") else line + text)
    made: dict[str, int] = {"release": 0, "guess": 0}
    keep = StepStore.keep

    def count(store: StepStore, key: str, step: StoredStep) -> None:
        kind = "release" if "deleted" in step.arrays else "guess" if "chance" in step.arrays else ""
        made.update({kind: made[kind] + 1} if kind else {})
        keep(store, key, step)

    monkeypatch.setattr(StepStore, "keep", count)
    second = pass_gate(recipe, out=tmp_path / "gate")
    assert (second.seed == first.seed) is (seed == "seed")
    assert tuple(made.values()) == work
    assert second.public.get("release.csv") == pass_gate(recipe, seed=second.seed).public.get("release.csv")


def test_a_damaged_step_is_dropped_said_and_made_again(tmp_path: Path) -> None:
    recipe = write_history(tmp_path)
    pass_gate(recipe, out=tmp_path / "gate")
    first = read_outputs(tmp_path / "gate")
    places = sorted((tmp_path / "gate" / "confidential" / "cache").glob("*.step"))
    assert len(places) == 7  # the run, two releases, two guesses on each
    largest = max(places, key=lambda place: place.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 1
    largest.write_bytes(data)
    result = pass_gate(recipe, out=tmp_path / "gate")
    (notice,) = result.notices
    assert notice == f"the kept step {largest.name[:12]}… is made again: it is damaged, or was not made here"
    assert read_outputs(tmp_path / "gate") == first


def test_a_changed_input_is_another_run(tmp_path: Path) -> None:
    recipe = write_history(tmp_path)
    first = pass_gate(recipe, out=tmp_path / "gate")
    lines = (tmp_path / "T.csv").read_text().splitlines()
    (tmp_path / "T.csv").write_text("\n".join(lines[:-1]) + "\n")
    second = pass_gate(recipe, out=tmp_path / "gate")
    assert first.public["release.csv"] != second.public["release.csv"]
    fresh = pass_gate(recipe, out=tmp_path / "fresh")
    assert second.public["release.csv"] == fresh.public["release.csv"]


def test_a_kept_guess_is_judged_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = write_history(tmp_path)
    pass_gate(recipe, out=tmp_path / "gate")

    def judge(*_: object) -> None:
        raise ArithmeticError("asked anew")

    monkeypatch.setattr("sekisho.gate.history.stage.judge", judge)
    with pytest.raises(ArithmeticError, match="asked anew"):
        pass_gate(recipe, out=tmp_path / "gate")


@pytest.mark.parametrize("anew", ["keys_judge.Comparison.assess_classes", "cell_attacks.link_people"])
def test_how_safe_a_kept_release_is_is_found_out_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anew: str
) -> None:
    recipe = write_keyed(tmp_path)
    pass_gate(recipe, out=tmp_path / "gate")

    def ask(*_: object, **__: object) -> None:
        raise ArithmeticError("asked anew")

    monkeypatch.setattr(f"sekisho.gate.records.{anew}", ask)
    with pytest.raises(ArithmeticError, match="asked anew"):
        pass_gate(recipe, out=tmp_path / "gate")


def test_measures_of_another_release_original_or_question_are_measured_themselves(tmp_path: Path) -> None:
    result = pass_gate(write_keyed(tmp_path))
    assert result.best is not None
    release, steps = result.best.release, Steps(store=open_store(tmp_path / "cache"))
    assert isinstance(release, Release)
    data = Dataset(pl.DataFrame({"age": [1, 2]}), Schema((Column(name="age", kind=Kind.INTEGER, role=Role.QUASI),)))
    deleted = release.deleted.copy()
    deleted[0] = ~deleted[0]
    texts = pl.Series("town", ["x"] * len(deleted))
    cases: list[tuple[Release, Dataset, tuple[object, ...]]] = [
        (release, data, ("a",)),
        (replace(release, deleted=deleted), data, ("a",)),
        (replace(release, labels={"town": texts}), data, ("a",)),
        (release, Dataset(data.frame[::-1], data.schema), ("a",)),
        (release, data, ("b",)),
    ]
    for _ in range(2):  # the second time all are kept, each with its own number
        for number, (shown, original, about) in enumerate(cases):
            fresh = {"ncp": Score(value=number / 3, direction=Direction.MORE, detail={"b": 0.1, "a": float(number)})}
            kept = steps.measure_release(shown, original, lambda fresh=fresh: fresh, about=about)
            assert kept == fresh
            assert list(kept["ncp"].detail) == ["b", "a"]
    again = Steps(store=open_store(tmp_path / "cache")).measure_release(release, data, dict, about=("a",))
    assert again["ncp"].value == 0


def test_a_score_that_is_no_number_is_not_kept() -> None:
    with pytest.raises(UnwritableError):
        encode_scores({"ncp": Score(value=float("nan"))})


def test_a_step_is_read_as_it_was_written_or_not_at_all(tmp_path: Path) -> None:
    store, key = open_store(tmp_path / "cache"), make_key("one")
    assert store.find(key) is None
    store.keep(key, StoredStep(plain={"b": 1, "a": [None, "関所"]}, arrays={"x": np.arange(3)}))
    kept = store.find(key)
    assert kept is not None
    assert list(kept.plain) == ["b", "a"]
    assert kept.plain["a"] == [None, "関所"]
    assert kept.arrays["x"].tolist() == [0, 1, 2]
    (place,) = (tmp_path / "cache").iterdir()
    whole = place.read_bytes()
    for data in (b"", whole[:10], whole[:-1], whole + b"x", b"0" * 64 + whole[64:]):
        place.write_bytes(data)
        assert store.find(key) is None
        assert not place.exists()
    assert len(store.dropped) == 5
    (tmp_path / "cache" / ".part-1-x").write_bytes(b"half")
    store.remove_parts()
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_cannot_be_told_whole_is_not_kept() -> None:
    with pytest.raises(UnwritableError):
        describe_content(object())
    assert describe_content(SimilarLength(k=3)) != describe_content(SimilarLength(k=4))
    long = np.zeros(5000)
    assert describe_content(long) != describe_content(np.append(long[:-1], 1.0))
    guess = Guess(published=np.array([1]), person=("a",), chance=np.array([0.5]), detail={"x": float("nan")})
    with pytest.raises(UnwritableError):
        encode_guess(guess)


def test_a_guess_and_a_release_come_back_as_they_were(tmp_path: Path) -> None:
    guess = Guess(published=np.array([3, 1]), person=("p", "q"), chance=np.array([0.5, np.nan]), predicted=0.1)
    back = decode_guess(encode_guess(guess))
    assert (back.published.tolist(), back.person, back.predicted) == ([3, 1], ("p", "q"), 0.1)
    assert np.array_equal(back.chance, guess.chance, equal_nan=True)
    result = pass_gate(write_keyed(tmp_path))
    assert result.best is not None
    release = result.best.release
    assert isinstance(release, Release)
    rows = len(release.deleted)
    marks = MarkedNumbers(mark=np.full(rows, -1, dtype=np.int8), value=np.arange(rows))
    texts = pl.Series("town", [None, *["x"] * (rows - 1)])
    marked = Release(
        table=release.table,
        deleted=release.deleted,
        provenance=release.provenance,
        labels={"age": marks, "town": texts},
        detail={"a": 1},
    )
    schema = release.table.schema
    again = decode_release(encode_release(marked, schema), schema)
    assert (again.provenance, again.detail) == (release.provenance, {"a": 1})
    town, age = again.labels["town"], again.labels["age"]
    assert isinstance(town, pl.Series)
    assert isinstance(age, MarkedNumbers)
    assert town.to_list() == texts.to_list()
    assert age.value.tolist() == list(range(rows))
    for name, cells in release.table.columns.items():
        assert np.array_equal(again.table.columns[name].suppressed, cells.suppressed)
        assert again.table.columns[name].is_exact().tolist() == cells.is_exact().tolist()


def list_steps(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.step")}


def test_a_finished_run_keeps_only_the_steps_that_it_used_or_made(tmp_path: Path) -> None:
    recipe, cache = write_keyed(tmp_path), tmp_path / "gate" / "confidential" / "cache"
    pass_gate(recipe, out=tmp_path / "gate")
    first = list_steps(cache)
    (cache / "mine.step").write_text("not a step of ours")
    pass_gate(recipe, out=tmp_path / "gate", seed=5)
    second = list_steps(cache) - {"mine.step"}
    assert len(first) == len(second) == 3  # how the run started, its one release, and what measures say of that
    assert len(first & second) == 1  # the release is the same with either seed, and so are its measures
    assert (cache / "mine.step").is_file()
    pass_gate(recipe, out=tmp_path / "gate", seed=5)  # what is used again stays
    assert list_steps(cache) - {"mine.step"} == second


def test_a_run_that_fails_or_is_interrupted_removes_no_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, cache = write_keyed(tmp_path), tmp_path / "gate" / "confidential" / "cache"
    pass_gate(recipe, out=tmp_path / "gate")
    first = list_steps(cache)
    for error in (
        KeyboardInterrupt,
        InputError("release.csv", quote_words("cannot be written: no space left on device")),
    ):

        def fail(*_: object, error: BaseException | type[BaseException] = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(OutputFolders, "deliver", fail)
        with pytest.raises((KeyboardInterrupt, InputError)):
            pass_gate(recipe, out=tmp_path / "gate", seed=5)
        assert first < list_steps(cache)


@pytest.mark.parametrize("out", ["gate", None])
def test_in_a_folder_that_was_named_steps_go_after_thirty_days_without_use(tmp_path: Path, out: str | None) -> None:
    recipe, cache = write_keyed(tmp_path), tmp_path / "cache"
    place = None if out is None else tmp_path / out
    pass_gate(recipe, cache=cache, seed=1)
    pass_gate(recipe, cache=cache, seed=2)
    steps = list_steps(cache)
    assert len(steps) == 5  # two starts, two releases that are the same, and what measures say of them
    young, old = time() - 29.9 * 24 * 3600, time() - 30.1 * 24 * 3600
    for name in steps:
        os.utime(cache / name, (young, young))
    pass_gate(recipe, out=place, cache=cache, seed=3)
    assert len(list_steps(cache)) == 7
    for name in steps:
        os.utime(cache / name, (old, old))
    pass_gate(recipe, out=place, cache=cache, seed=1)  # uses three of them, which are young again
    assert len(list_steps(cache)) == 5
    pass_gate(recipe, out=place, cache=cache, seed=3)
    assert len(list_steps(cache)) == 5
