"""Records of firms that are too many for memory: the page of the table offers the disk, and the table stays the same."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from html import unescape
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.people_desk import lack_memory
from tests.server.desk.test_table_page import make_firms

from sekisho.data.engines.need import AT_LEAST, BYTES_A_TABULATED_CELL, MemoryNeed
from sekisho.data.shape import Shape
from sekisho.gate.recipe import read_recipe
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.edits import DeskEdit, apply_edits, set_key
from sekisho.server.desk.originals import propose_files
from sekisho.server.desk.pages.disk import list_table_edits
from sekisho.server.desk.runs.jobs import RunState
from sekisho.server.desk.runs.memory import limit_memory
from sekisho.server.desk.shown import find_run_folder

GIGABYTE = 1_000_000_000
SECONDS = 900.0
PERTURB = [{"name": "perturb", "noise_file": "n.csv", "key_file": "k.json"}, {"name": "round", "base": 5}]


def make_case(folder: Path, *edits: DeskEdit, content: str = "") -> Case:
    path = folder / "firms.csv"
    path.write_text(content or make_firms())
    proposal = propose_files(path, shape=Shape.TABLE)
    files = apply_edits(proposal.files, edits)
    return DeskFolder(folder / "desk").create(path, proposal=replace(proposal, files=files))


def show(client: DeskClient, case: Case, query: str = "") -> str:
    return unescape(client.send("GET", f"/cases/{case.name}/table{query}").text)


def read_keys(case: Case) -> dict[str, object]:
    return tomllib.loads(case.versions.read().files["recipe.toml"].decode())


def run(client: DeskClient, case: Case) -> Path:
    """Run the current version to its end; return its folder."""
    sent = {"v": str(case.versions.head)}
    assert client.post(f"/cases/{case.name}/table/run", sent).status_code == 303
    folder, end = find_run_folder(case, case.versions.read()), monotonic() + SECONDS
    while monotonic() < end:
        found = client.app.state.desk.runs.find(folder)
        if found is not None and found.state.is_over:
            assert found.state is RunState.FINISHED, found.failure
            return folder
        sleep(0.2)
    raise TimeoutError


def test_the_offer_is_made_where_the_records_would_pass_the_memory(tmp_path: Path) -> None:
    case = make_case(tmp_path)
    assert "Use the disk?" not in show(open_desk(tmp_path / "desk", memory=64 * GIGABYTE), case)
    little = open_desk(tmp_path / "desk", memory=GIGABYTE // 2)
    page = show(little, case)
    assert "Use the disk?" in page
    assert "rows by 4 columns" in page
    assert "Cells, rules and attacks are those of memory" in page
    assert "From the recipe goes" not in page
    assert "セル・規則・攻撃はメモリー上と同じ" in show(little, case, "?language=ja")


def test_finished_cells_are_not_offered_the_disk(tmp_path: Path) -> None:
    counts = {"east": (9, 8, 17), "west": (7, 30, 37), "Total": (16, 38, 54)}
    rows = [f"{region},{trade},{n}" for region, each in counts.items() for trade, n in zip("uw", each, strict=False)]
    cells = "\n".join(["region,trade,n", *rows, *(f"{region},Total,{each[2]}" for region, each in counts.items())])
    case = make_case(tmp_path, content=cells)
    assert not read_keys(case).get("microdata")
    assert "Use the disk?" not in show(open_desk(tmp_path / "desk", memory=GIGABYTE // 2), case)


def test_the_offer_is_made_after_a_lack_of_memory(tmp_path: Path) -> None:
    case = make_case(tmp_path)
    client = open_desk(tmp_path / "desk", memory=64 * GIGABYTE)
    lack_memory(case)
    page = show(client, case)
    assert "It needs more memory than it may take." in page
    assert "Use the disk?" in page
    assert "sekisho table tabulate" not in page


def test_on_disk_the_table_is_that_of_memory_and_the_page_goes_on_showing_it(tmp_path: Path) -> None:
    case = make_case(tmp_path)
    before, client = read_keys(case), open_desk(tmp_path / "desk", memory=3 * GIGABYTE)
    here = run(client, case)
    for _ in range(2):  # a double click
        sent = {"v": "1", "key": "once", "to": "disk"}
        assert client.post(f"/cases/{case.name}/run/disk", sent).headers["location"].endswith("/table")
    assert case.versions.head == 2
    assert read_keys(case) == {**before, "memory": "1500MB"}
    page = show(client, case)
    assert "The records stay on disk" in page
    assert 'memory = "1500MB"' in page
    assert "The cells below are those of version 1" in page  # the same question: where rows lie changes no cell
    there = run(client, case)
    names = sorted(path.name for path in (here / "public").iterdir())
    assert "release.csv" in names
    for name in ("public/release.csv", "confidential/pattern.csv"):
        assert (there / name).read_bytes() == (here / name).read_bytes()
    assert client.post(f"/cases/{case.name}/run/disk", {"v": "2", "to": "memory"}).status_code == 303
    assert read_keys(case) == before
    client.app.state.desk.close()


def test_what_needs_every_record_is_named_and_goes(tmp_path: Path) -> None:
    case = make_case(tmp_path, *set_key("methods", PERTURB))
    assert "From the recipe goes: " in show(open_desk(tmp_path / "desk", memory=GIGABYTE // 2), case)
    files = case.versions.read().files
    kept = apply_edits(files, list_table_edits(files, case.folder, "2GB"))
    place = case.versions.read().recipe.parent / "tried.toml"
    place.write_bytes(kept["recipe.toml"])
    assert tomllib.loads(kept["recipe.toml"].decode())["methods"] == PERTURB[1:]
    read_recipe(place)
    alone = apply_edits(files, set_key("methods", PERTURB[:1]))
    changed = apply_edits(alone, list_table_edits(alone, case.folder, "2GB"))
    assert tomllib.loads(changed["recipe.toml"].decode())["methods"] == [{"name": "suppress"}]


def test_what_is_tabulated_takes_less_than_what_is_attacked(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 99)
    need = MemoryNeed.estimate(path, 2, each=BYTES_A_TABULATED_CELL)
    assert need.bytes == AT_LEAST + 100 * 2 * BYTES_A_TABULATED_CELL
    assert need.bytes < MemoryNeed.estimate(path, 2).bytes


def test_what_an_engine_reserves_is_no_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine reserves addresses of several times what it holds; a limit of these would end every run on disk."""
    ended = list[int]()
    monkeypatch.setattr("sekisho.server.desk.runs.memory.os._exit", ended.append)
    monkeypatch.setattr("sekisho.server.desk.runs.memory.WATCHED_SECONDS", 0.01)
    with limit_memory(200 * 1000**2, held=True):
        bytearray(0)
        sleep(0.1)
        assert not ended
        held = bytearray(b"x") * (400 * 1000**2)
        sleep(0.3)
    assert held[0]
    assert ended
