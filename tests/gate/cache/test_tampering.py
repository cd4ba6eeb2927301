"""Whatever is done to kept steps, by somebody who does not have their secret, decides nothing: verdict and bytes stay."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from tests.gate.cache.tampering import TAMPERINGS, Tamper, falsify_and_digest, list_steps
from tests.gate.runs import read_outputs, write_history, write_keyed, write_table

from sekisho.cli import status_of
from sekisho.gate.cache.secret import StepSecret
from sekisho.gate.cache.store import StepStore, StoredStep, make_key
from sekisho.gate.outcome import Verdict
from sekisho.journey.run import pass_gate

RAW = """rules = "pwscup2018"
original = "T.csv"
seed = 7
[[methods]]
name = "pseudonymise"
[[adversaries]]
name = "containment"
"""


def write_raw(folder: Path) -> Path:
    """Write a recipe that is refused because an adversary names people."""
    write_history(folder)
    (folder / "recipe.toml").write_text(RAW)
    return folder / "recipe.toml"


SHAPES: dict[str, Callable[[Path], Path]] = {
    "raw history": write_raw,
    "history": write_history,
    "keyed": write_keyed,
    "table": write_table,
}


@pytest.fixture(scope="module", params=SHAPES)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    pass_gate(SHAPES[request.param](folder).rename(folder / "any.toml"), out=folder / "gate")
    return folder


def test_a_guess_changed_with_its_digest_does_not_open_the_gate(tmp_path: Path) -> None:
    recipe = write_raw(tmp_path)
    assert pass_gate(recipe, out=tmp_path / "gate").verdict is Verdict.REFUSE
    for place in list_steps(tmp_path / "gate" / "confidential" / "cache"):
        falsify_and_digest(place)
    assert pass_gate(recipe, out=tmp_path / "gate").verdict is Verdict.REFUSE


def read_decided(out: Path) -> dict[str, bytes]:
    """Return what a run wrote; of a table without what tells how many seconds its search took."""
    outputs = read_outputs(out)
    if "confidential/table-certificate.json" not in outputs:
        return outputs
    return {name: data for name, data in outputs.items() if name.endswith(".csv") or "table" in name}


@pytest.mark.parametrize("tamper", TAMPERINGS.values(), ids=TAMPERINGS)
def test_every_step_tampered_with_is_made_again_to_the_same_bytes(
    finished: Path, tamper: Tamper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start of a run alone cannot be made again: with its time, salt and seed given, everything is."""
    monkeypatch.setattr("sekisho.journey.run_start.draw_salt", lambda: "ab" * 32)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    out = finished / "gate"
    first = pass_gate(finished / "any.toml", out=out)
    expected, places = read_decided(out), list_steps(out / "confidential" / "cache")
    before = [place.read_bytes() for place in places]
    for place in places:
        tamper(place)
    changed = [
        not place.is_file() or place.is_symlink() or place.read_bytes() != data
        for place, data in zip(places, before, strict=True)
    ]
    assert any(changed)
    second = pass_gate(finished / "any.toml", out=out)
    assert second.verdict is first.verdict
    assert read_decided(out) == expected
    assert len(second.notices) == sum(changed)
    assert [place.is_file() and not place.is_symlink() for place in places] == [True] * len(places)
    assert pass_gate(finished / "any.toml", out=out).notices == ()


def test_a_folder_that_no_run_uses_is_no_fault_of_ours(tmp_path: Path) -> None:
    recipe, cache = write_keyed(tmp_path), tmp_path / "gate" / "confidential" / "cache"
    pass_gate(recipe, out=tmp_path / "gate")
    (cache / f"{'0' * 64}.step" / "below").mkdir(parents=True)
    (cache / ".part-1-x" / "below").mkdir(parents=True)
    assert status_of(["gate", str(recipe), "--out", str(tmp_path / "gate"), "--json"]) == 0
    assert {place.suffix for place in cache.iterdir()} == {".step"}
    rmtree(cache)
    cache.write_text("a file where the folder should be")
    assert status_of(["gate", str(recipe), "--out", str(tmp_path / "gate"), "--json"]) == 0


def test_the_secret_is_made_once_beside_the_confidential_folder_for_its_owner_alone(tmp_path: Path) -> None:
    recipe, secret = write_keyed(tmp_path), tmp_path / "gate" / ".cache.key"
    pass_gate(recipe, out=tmp_path / "gate")
    assert secret.stat().st_mode & 0o777 == 0o600
    first = secret.read_bytes()
    assert pass_gate(recipe, out=tmp_path / "gate").notices == ()
    assert secret.read_bytes() == first
    public = b"".join(path.read_bytes() for path in (tmp_path / "gate").rglob("*") if path.is_file() and path != secret)
    assert first.split()[-1] not in public
    pass_gate(recipe, cache=tmp_path / "kept")
    assert (tmp_path / ".kept.key").stat().st_mode & 0o777 == 0o600


def keep_one(folder: Path) -> tuple[StepStore, str]:
    store, key = StepStore(folder / "cache", StepSecret(folder / "secret")), make_key("one")
    store.keep(key, StoredStep(plain={"a": 1}))
    assert store.find(key) is not None
    return store, key


def test_a_secret_that_others_may_read_or_that_is_none_is_made_anew(tmp_path: Path) -> None:
    spoils: tuple[Callable[[Path], object], ...] = (
        lambda path: path.chmod(0o640),
        lambda path: path.write_bytes(b"0" * 95),
    )
    for number, spoil in enumerate(spoils):
        folder = tmp_path / str(number)
        store, key = keep_one(folder)
        spoil(folder / "secret")
        assert store.find(key) is None
        store.keep(key, StoredStep(plain={"a": 2}))
        assert (folder / "secret").stat().st_mode & 0o777 == 0o600
        kept = store.find(key)
        assert kept is not None
        assert kept.plain == {"a": 2}


def test_where_the_secret_cannot_be_had_nothing_is_kept_and_nothing_used(tmp_path: Path) -> None:
    def make_link(place: Path) -> None:
        place.rename(tmp_path / "elsewhere")
        place.symlink_to(tmp_path / "elsewhere")

    def make_folder(place: Path) -> None:
        place.unlink()
        place.mkdir()

    for number, spoil in enumerate((make_link, make_folder)):
        folder = tmp_path / str(number)
        store, key = keep_one(folder)
        spoil(folder / "secret")
        assert store.find(key) is None
        store.keep(key, StoredStep(plain={"a": 2}))
        assert store.find(key) is None
        assert list((folder / "cache").iterdir()) == []


def test_somebody_elses_secret_is_not_believed_nor_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, key = keep_one(tmp_path)
    before = (tmp_path / "secret").read_bytes()
    other = os.geteuid() + 1
    monkeypatch.setattr("os.geteuid", lambda: other)
    assert store.find(key) is None
    store.keep(key, StoredStep(plain={"a": 2}))
    assert store.find(key) is None
    assert (tmp_path / "secret").read_bytes() == before


def test_steps_copied_from_another_place_are_foreign(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    first = pass_gate(recipe, out=tmp_path / "one")
    copytree(tmp_path / "one" / "confidential" / "cache", tmp_path / "two" / "confidential" / "cache")
    second = pass_gate(recipe, out=tmp_path / "two")
    assert len(second.notices) == len(list_steps(tmp_path / "two" / "confidential" / "cache")) == 3
    assert second.public["release.csv"] == first.public["release.csv"]
    assert json.loads(second.public["certificate.json"])["verdict"] == first.verdict
