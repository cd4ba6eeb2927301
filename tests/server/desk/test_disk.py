"""A file that is too large for memory: the page offers the disk, one click writes the key, and the run goes through."""

from __future__ import annotations

import tomllib
from html import unescape
from io import BytesIO
from pathlib import Path
from time import monotonic, sleep
from zipfile import ZipFile

import polars as pl
import pytest
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.people_desk import lack_memory, make_people, write_rows

from sekisho.data.engines.need import BYTES_A_CELL, MemoryNeed
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.journey.run import pass_gate
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.edits import apply_edits, set_key, set_methods
from sekisho.server.desk.pages.disk import choose_memory, list_disk_edits
from sekisho.server.desk.runs.jobs import RunState
from sekisho.server.desk.shown import find_run_folder

GIGABYTE = 1_000_000_000
SECONDS = 900.0


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return DeskFolder(tmp_path / "desk").create(write_rows(tmp_path / "people.csv", make_people()))


def show(client: DeskClient, case: Case, query: str = "") -> str:
    return unescape(client.send("GET", f"/cases/{case.name}/run{query}").text)


def wait(client: DeskClient, case: Case) -> RunState:
    """Return how the run of the current version ended."""
    end = monotonic() + SECONDS
    while monotonic() < end:
        run = client.app.state.desk.runs.find(find_run_folder(case, case.versions.read()))
        if run is not None and run.state.is_over:
            return run.state
        sleep(0.2)
    raise TimeoutError


def take_and_compare(client: DeskClient, case: Case, folder: Path, name: str) -> None:
    """Check that the recipe that is taken away makes the release of the desk, byte by byte."""
    with ZipFile(BytesIO(client.send("GET", f"/cases/{case.name}/take/recipe").content)) as archive:
        archive.extractall(folder / "taken")
    (recipe,) = (folder / "taken").rglob("recipe.toml")
    (recipe.parent / name).write_bytes((folder / name).read_bytes())
    made = pass_gate(recipe)
    run = find_run_folder(case, case.versions.read())
    place = run / "public" if (run / "public" / "release.csv").exists() else run / "confidential" / "proposed"
    files = made.public or made.proposed
    assert (place / "release.csv").read_bytes() == files["release.csv"]
    client.app.state.desk.close()


def read_keys(case: Case) -> dict[str, object]:
    return tomllib.loads(case.versions.read().files["recipe.toml"].decode())


def test_the_offer_is_made_where_the_file_would_pass_the_memory(case: Case, tmp_path: Path) -> None:
    plenty = open_desk(tmp_path / "desk", memory=64 * GIGABYTE)
    assert "Use the disk?" not in show(plenty, case)
    little = open_desk(tmp_path / "desk", memory=GIGABYTE // 2)
    page = show(little, case)
    assert "Use the disk?" in page
    assert "rows by 6 columns" in page
    assert "From the recipe goes: who attacks." in page
    assert "ディスクを使いますか" in show(little, case, "?language=ja")


def test_a_history_goes_from_the_offer_to_the_same_bytes(tmp_path: Path) -> None:
    rows = [{"customer": f"C{number // 4:02}", "date": f"2024-01-{1 + number % 28:02}"} for number in range(160)]
    case = DeskFolder(tmp_path / "desk").create(write_rows(tmp_path / "log.csv", rows))
    assert "Use the disk?" not in show(open_desk(tmp_path / "desk", memory=64 * GIGABYTE), case)
    client = open_desk(tmp_path / "desk", memory=3 * GIGABYTE // 4)
    assert "who publishes the same rows is counted instead" in show(client, case)
    assert "ディスクを使いますか" in show(client, case, "?language=ja")
    client = open_desk(tmp_path / "desk", memory=3 * GIGABYTE)
    assert client.post(f"/cases/{case.name}/run/disk", {"v": "1", "key": "once", "to": "disk"}).status_code == 303
    keys = read_keys(case)
    assert keys["memory"] == "1500MB"
    assert "adversaries" not in keys
    assert client.post(f"/cases/{case.name}/run/start", {"v": "2"}).status_code == 303
    assert wait(client, case) is RunState.FINISHED
    page = show(client, case)
    assert "By counting, whoever knows everybody's rows names" in page
    assert "The strongest attack" not in page
    take_and_compare(client, case, tmp_path, "log.csv")


def test_the_offer_is_made_after_a_lack_of_memory(case: Case, tmp_path: Path) -> None:
    client = open_desk(tmp_path / "desk", memory=64 * GIGABYTE)
    lack_memory(case)
    page = show(client, case)
    assert "It needs more memory than it may take." in page
    assert "Use the disk?" in page


def test_on_disk_a_run_goes_through_and_its_recipe_makes_the_same(case: Case, tmp_path: Path) -> None:
    client = open_desk(tmp_path / "desk", memory=3 * GIGABYTE)
    case.versions.write(
        set_methods([{"name": "partition", "k": 5, "effort": 0}, {"name": "lattice", "k": 5}]), based_on=1
    )
    for _ in range(2):  # a double click
        sent = {"v": "2", "key": "once", "to": "disk"}
        assert client.post(f"/cases/{case.name}/run/disk", sent).status_code == 303
    assert case.versions.head == 3
    keys = read_keys(case)
    assert keys["memory"] == "1500MB"
    assert "adversaries" not in keys
    assert keys["methods"] == [{"name": "partition", "k": 5, "effort": 0}]
    page = show(client, case)
    assert "The rows stay on disk" in page
    assert 'memory = "1500MB"' in page
    assert client.post(f"/cases/{case.name}/run/start", {"v": "3"}).status_code == 303
    assert wait(client, case) is RunState.FINISHED
    page = show(client, case)
    assert "By counting, whoever knows the keys finds" in page
    assert "The strongest attack" not in page
    take_and_compare(client, case, tmp_path, "people.csv")


def test_methods_by_chance_stay_on_disk(case: Case, tmp_path: Path) -> None:
    methods = [{"name": "pram", "k": 3}, {"name": "sample", "size": "50%"}, {"name": "lattice", "k": 5}]
    case.versions.write(set_methods(methods), based_on=1)
    page = show(open_desk(tmp_path / "desk", memory=GIGABYTE // 2), case)
    assert "From the recipe goes: who attacks, " in page
    client = open_desk(tmp_path / "desk", memory=3 * GIGABYTE)
    assert client.post(f"/cases/{case.name}/run/disk", {"v": "2", "to": "disk"}).status_code == 303
    assert read_keys(case)["methods"] == methods[:2]
    assert client.post(f"/cases/{case.name}/run/start", {"v": "3"}).status_code == 303
    assert wait(client, case) is RunState.FINISHED
    page = show(client, case, "?candidate=0")
    assert "As the method promises, nobody finds more than 33.3% of the people." in page or "By counting" in page
    assert "The strongest attack" not in page
    client.app.state.desk.close()


def test_one_click_leads_back_into_memory(case: Case, tmp_path: Path) -> None:
    client = open_desk(tmp_path / "desk", memory=3 * GIGABYTE)
    before = read_keys(case)
    assert client.post(f"/cases/{case.name}/run/disk", {"v": "1", "to": "disk"}).status_code == 303
    assert client.post(f"/cases/{case.name}/run/disk", {"v": "2", "to": "memory"}).status_code == 303
    keys = read_keys(case)
    assert not {"memory", "engine"} & keys.keys()
    assert keys == {name: value for name, value in before.items() if name != "adversaries"}
    case.versions.undo()
    case.versions.undo()
    assert read_keys(case) == before


def test_what_is_written_can_be_read_whatever_the_recipe_said(case: Case) -> None:
    files = case.versions.read().files
    full = apply_edits(
        files,
        (
            *set_key("keep", ["sex"]),
            *set_key("utility", "entropy"),
            *set_key("limits", {"ncp": 0.5, "pair-tables": 0.5}),
            *set_key("preset", "japan-anonymously-processed"),
            *set_methods([{"name": "lattice", "k": 5}]),
            *set_key("guarantees", {"k": 5, "leave_out": 0.2}),
        ),
    )
    there = apply_edits(full, list_disk_edits(full, case.folder, "2GB"))
    place = case.versions.read().recipe.parent / "tried.toml"
    place.write_bytes(there["recipe.toml"])
    recipe, _ = read_recipe(place)
    assert isinstance(recipe, RecordsRecipe)
    assert recipe.choice is not None
    assert [*recipe.limits] == ["ncp"]


@pytest.mark.parametrize(
    ("allowed", "memory"), [(4 * GIGABYTE, "2GB"), (3 * GIGABYTE, "1500MB"), (10, "600MB"), (1_300_000_000, "600MB")]
)
def test_the_engine_takes_half_of_what_a_run_may(allowed: int, memory: str) -> None:
    assert choose_memory(allowed) == memory


def test_rows_are_told_without_reading_the_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": range(1000), "b": ["x"] * 1000})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    whole, about = (MemoryNeed.estimate(tmp_path / name, 2) for name in ("t.parquet", "t.csv"))
    assert whole.rows == 1000
    assert about.rows == 1001  # the line of names is one of them
    assert about.bytes - whole.bytes == 2 * BYTES_A_CELL
    assert MemoryNeed.estimate(tmp_path / "none.csv", 2).rows == 0
