"""The page of a table: 264 made-up firms, what is hidden and why, wishes of single cells, another run."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import httpx
import numpy as np
import pytest
from tests.server.desk.desk_client import DeskClient, open_desk

from sekisho.data.shape import Shape
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.edits import STATUS, DeskEdit, apply_edits, read_keys, set_key
from sekisho.server.desk.entry import FORM_FIELD
from sekisho.server.desk.originals import propose_files
from sekisho.server.desk.pages.table_controls import change_rule
from sekisho.server.desk.pages.table_edits import set_cell
from sekisho.server.desk.pages.table_view import TableCells
from sekisho.server.desk.plain_data import Plain, write_plain
from sekisho.server.desk.runs.jobs import RunState
from sekisho.server.desk.runs.orders import ORDER, RunOrder
from sekisho.server.desk.runs.run_process import run_order
from sekisho.server.desk.settings import Desk

INDUSTRIES = {"Retail": 9, "Food": 6, "Machinery": 5, "Transport": 4, "Textiles": 3, "Chemicals": 2}
REGIONS = {"East": 9, "West": 7, "South": 6, "North": 3, "Islands": 1}


def make_firms(seed: int = 2, *, sizes: bool = False) -> str:
    draw = np.random.default_rng(seed)
    lines = ["group,industry,region,turnover" + (",size" if sizes else "")]
    for number in range(264):
        industry, region = (
            draw.choice([*one], p=np.array([*one.values()]) / sum(one.values())) for one in (INDUSTRIES, REGIONS)
        )
        size = f",{('small', 'large')[number % 9 == 0]}" if sizes else ""
        lines.append(f"G{number:03},{industry},{region},{int(draw.lognormal(4, 0.8))}{size}")
    return "\n".join(lines) + "\n"


class Firms:
    """A desk with the case of the firms; runs are made in this process."""

    def __init__(self, folder: Path, *, sizes: bool = False, insiders: int = 1) -> None:
        path = folder / "firms.csv"
        path.write_text(make_firms(sizes=sizes))
        desk = DeskFolder(folder / "desk")
        proposal = propose_files(path, shape=Shape.TABLE)
        files = apply_edits(proposal.files, set_key("insiders", insiders))
        self.case: Case = desk.create(path, proposal=replace(proposal, files=files))
        self.client: DeskClient = open_desk(folder / "desk")

    def read(self, query: str = "", language: str = "en") -> str:
        asked = urlencode({"language": language})
        answer = self.client.send("GET", f"/cases/{self.case.name}/table?{query}&{asked}")
        assert answer.status_code == 200, answer.text
        return unescape(answer.text)

    def wish(self, wish: str, *codes: str) -> None:
        """Send the form of a cell, which has a field for each of its codes."""
        self.post("cell", wish=wish, code=list(codes))

    def post(self, what: str, **fields: str | list[str]) -> None:
        answer = self.client.post(f"/cases/{self.case.name}/table/{what}", {"v": str(self.head), **fields})
        assert answer.status_code == 303, answer.text

    def send_tree(self, content: bytes) -> httpx.Response:
        fields = {FORM_FIELD: self.client.entrance.token, "v": str(self.head), "dim": "region"}
        path = f"/cases/{self.case.name}/table/tree?language=en"
        return self.client.send("POST", path, data=fields, files={"file": ("tree.csv", content)})

    @property
    def head(self) -> int:
        return self.case.versions.head

    def run(self) -> None:
        order = RunOrder.of(
            case=self.case.name,
            recipe=self.case.versions.read().recipe,
            runs=self.case.runs,
            steps=self.case.steps,
            original=self.case.original.sha256,
        )
        desk: Desk = self.client.app.state.desk
        order.folder.mkdir(parents=True)
        write_plain({order.folder / ORDER: order.pack()})
        run_order(order)
        run = desk.runs.find(order.folder)
        assert run is not None
        assert run.state in {RunState.FINISHED, RunState.FAILED}


def list_links(page: str, letter: str) -> list[str]:
    """Return the cells of a letter, as the list of hidden cells links them."""
    return re.findall(rf'<a class="chip {letter}" href="\?[^"]*cell=([^"#&]*)#why"', page)


def list_names(page: str, letter: str) -> list[str]:
    """Return the cells of a letter, as the list of hidden cells names them."""
    return re.findall(rf'<a class="chip {letter}" href="[^"]*">\w <bdi>([^<]*)</bdi>', page)


@pytest.fixture(scope="module")
def firms(tmp_path_factory: pytest.TempPathFactory) -> Firms:
    """The firms after a first run, protected against outsiders alone."""
    firms = Firms(tmp_path_factory.mktemp("firms"), insiders=0)
    firms.run()
    return firms


def test_before_a_run_the_page_asks_and_offers_to_run(tmp_path: Path) -> None:
    page = Firms(tmp_path).read()
    assert "Make the table" in page
    assert re.search(r'<select name="rows".*<option selected>industry</option>', page)
    assert 'name="percent" min="0" max="1000" step="any" value="15"' in page
    assert "rules = [" in page
    assert "insiders = 1" in page


def test_cells_have_letters_intervals_and_reasons(firms: Firms) -> None:
    page = firms.read()
    assert "A PERSON MUST DECIDE" in page  # nobody considered single contributors
    assert "7 cells are unsafe, 5 more are hidden to protect them." in page
    assert len(list_links(page, "p")) == 7
    assert len(list_links(page, "s")) == 5
    assert "Machinery, Total" in list_names(page, "s")
    assert "12 of 42 cells are hidden." in page
    assert 'aria-label="Machinery, Total: hidden to protect others, 3,317 – 3,384"' in page
    why = firms.read(urlencode({"cell": "Machinery;Total"}))
    assert "Why is Machinery, Total hidden?" in why
    assert "It protects Machinery, Islands (contributors: 2)." in why
    assert "It protects Textiles, North (contributors: 1) by way of Textiles, Total." in why
    sums = [re.sub("<(?!/?b>)[^>]*>", "", one) for one in re.findall(r'<p class="sumline">(.*?)</p>', why)]
    assert sums == [
        "Machinery: <b>Total</b> = 901 + <b>Islands</b> + 521 + 808 + 1,087",
        "Total: 20,999 = 1,678 + 5,139 + <b>Machinery</b> + 7,333 + <b>Textiles</b> + 1,676",
        "Textiles: <b>Total</b> = 878 + 0 + <b>North</b> + 595 + 316",
    ]
    assert "If it were shown (3,370), everybody could subtract and would have Machinery, Islands = 53" in why
    unsafe = firms.read(urlencode({"cell": "Chemicals;North"}))
    assert "It is so by min:3, p%:15." in unsafe
    assert "between 0 – 195; it is 80" in unsafe
    assert 'value="show"' not in unsafe


def test_the_page_is_told_in_japanese(firms: Firms) -> None:
    page = firms.read(urlencode({"cell": "Machinery;Total"}), "ja")
    assert "Machinery, Total はなぜ秘匿されていますか" in page
    assert "contributors" not in page
    assert "審査が必要です" in page


def test_what_is_wished_of_a_cell_is_one_edit_and_the_next_run_shows_what_changed(firms: Firms) -> None:
    before = firms.head
    firms.wish("show", "Machinery", "Total")
    version = firms.case.versions.read()
    assert version.number == before + 1
    assert version.files["cells.hst"] == b"Machinery;Total;P\n"
    assert read_keys(version.files, "recipe")["apriori"] == "cells.hst"
    page = firms.read(urlencode({"cell": "Machinery;Total"}))
    assert "The cells below are those of version 1" in page
    assert "You wished:" in page
    assert "Run again" in page
    firms.run()
    page = firms.read()
    assert "changed since version 1" in page
    assert list_names(page, "s")
    assert "Machinery, Total" not in list_names(page, "s")
    compared = firms.client.send("GET", f"/cases/{firms.case.name}/versions?old=1&new={firms.head}").text
    hidden = re.search(r'hidden cells</th><td class="number">(\d+)</td><td class="number">(\d+)</td>', compared)
    assert hidden is not None
    assert (int(hidden[1]), int(hidden[2])) == (7 + 5, sum(len(list_names(page, letter)) for letter in "ps"))
    changed = re.search(r"<h2>What changed since version 1</h2><ul>(.*?)</ul>", page, re.DOTALL)
    assert changed is not None
    assert "Machinery, Total" in changed[1]
    firms.wish("back", "Machinery", "Total")
    assert "cells.hst" not in firms.case.versions.read().files
    assert "apriori" not in read_keys(firms.case.versions.read().files, "recipe")


def test_a_wish_against_the_rules_is_told_with_its_cell(firms: Firms) -> None:
    firms.case.versions.restore(1)
    firms.wish("cost", "Food", "North")
    firms.wish("show", "Chemicals", "North")
    assert firms.case.versions.read().files["cells.hst"] == b"Food;North;C;10\nChemicals;North;P\n"
    firms.run()
    page = firms.read()
    assert "It could not be run" in page
    assert "the cell Chemicals, North is primary and cannot become publish" in page
    assert re.search(r"cannot become publish.{,900}\(Chemicals, North\)</span></button>", page, re.DOTALL)


def test_wishes_that_leave_nothing_to_hide_are_told_with_the_cells_in_conflict(firms: Firms) -> None:
    firms.case.versions.restore(1)
    files = firms.case.versions.read().files
    regions = [one for one in (*REGIONS, "Total") if one != "North"]
    edits: list[DeskEdit] = []
    for region in regions:
        edits += set_cell(apply_edits(files, edits), ["Textiles", region], STATUS, "P")
    firms.case.versions.write(edits, based_on=firms.head)
    firms.run()
    page = firms.read()
    assert "THIS MUST NOT LEAVE" in page
    assert "industry=Textiles, region=North" in page
    assert "These wishes stand against it" in page
    assert page.count("must be shown <form") == len(regions)
    assert "No cells may be published as it stands." in page


def test_choices_are_edits_of_the_recipe(firms: Firms) -> None:
    firms.case.versions.restore(1)
    firms.wish("hide", "Retail", "East")
    assert firms.case.versions.read().files["cells.hst"] == b"Retail;East;M\n"
    chosen = {
        "rows": "region",
        "columns": "industry",
        "measure": "value:turnover",
        "micro": "1",
        "contributor": "group",
    }
    firms.post("choose", **chosen, fewest="4", percent="10", insiders="1")
    recipe = read_keys(firms.case.versions.read().files, "recipe")
    assert recipe["dims"] == ["region", "industry"]
    assert recipe["rules"] == ["min:4", "p%:10"]
    assert recipe["insiders"] == 1
    assert "apriori" not in recipe  # the wish was of a cell of other dimensions
    assert "cells.hst" not in firms.case.versions.read().files
    assert "The cells below" not in firms.read()
    firms.post("choose", **(chosen | {"measure": "records"}), fewest="3")
    recipe = read_keys(firms.case.versions.read().files, "recipe")
    assert "value" not in recipe
    assert recipe["min_count"] == 3
    assert recipe["insiders"] == 0


def test_other_ways_to_publish_are_chosen_and_cells_coloured_by_what_they_say(tmp_path: Path) -> None:
    firms = Firms(tmp_path, insiders=1)
    assert 'value="round"' not in firms.read()  # sums of turnover are no counts
    counted = {"rows": "industry", "columns": "region", "measure": "records", "micro": "1", "fewest": "5"}
    firms.post("choose", **counted)
    assert 'value="round"' in firms.read()
    firms.post("choose", **counted, ways_asked="1", ways=["round"], base="10")
    recipe = read_keys(firms.case.versions.read().files, "recipe")
    assert recipe["methods"] == [{"name": "round", "base": 10}]
    assert not recipe.get("insiders")
    firms.run()
    page = firms.read()
    assert "base = 10" in page
    assert '<td class="u' in page
    assert '<td class="r' in page
    assert "Hidden cells:" not in page
    cell = firms.read(urlencode({"cell": "Chemicals;Islands"}))
    assert "Why is Chemicals, Islands shown so?" in cell
    assert "a multiple of 10 near its count" in cell
    assert "10 の倍数" in firms.read(urlencode({"cell": "Chemicals;Islands"}), language="ja")
    assert 'name="wish"' not in cell
    firms.post("choose", **counted, ways_asked="1", ways=["intervals", "suppress"], base="10")
    recipe = read_keys(firms.case.versions.read().files, "recipe")
    assert [one["name"] for one in recipe["methods"]] == ["suppress", "intervals"]
    firms.post("choose", **counted, ways_asked="1", ways=["suppress"], base="10")
    assert "methods" not in read_keys(firms.case.versions.read().files, "recipe")


def test_columns_and_cells_that_are_not_there_are_refused(firms: Firms) -> None:
    head = firms.head
    for what, fields in (
        ("choose", {"rows": "shoe size", "columns": "", "measure": "records"}),
        ("choose", {"rows": "", "columns": "region", "measure": "records"}),
        ("cell", {"code": "Textiles", "wish": "show"}),
        ("tree", {"dim": "turnover"}),
    ):
        answer = firms.client.post(f"/cases/{firms.case.name}/table/{what}", {"v": str(head), **fields})
        assert answer.status_code == 422
    assert firms.head == head


def test_a_tree_of_ones_own_comes_and_goes(firms: Firms) -> None:
    firms.case.versions.restore(1)
    far = {"North", "Islands"}
    tree = "".join(f"{one};{'Far' if one in far else 'Mainland'};Total\n" for one in REGIONS).encode()
    assert firms.send_tree(tree).status_code == 303
    files = firms.case.versions.read().files
    assert read_keys(files, "recipe")["trees"] == {"region": "trees/region.csv"}
    assert b"East;Mainland" in files["trees/region.csv"]
    refused = firms.send_tree(b"East;Mainland;Total\nEast;Far;Total\n")
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    firms.post("tree", dim="region")
    assert not read_keys(firms.case.versions.read().files, "recipe").get("trees")
    assert "trees/region.csv" not in firms.case.versions.read().files


def test_a_run_is_told_while_it_lasts_and_can_be_cancelled(tmp_path: Path) -> None:
    firms = Firms(tmp_path)
    desk: Desk = firms.client.app.state.desk
    desk.runs.command = (sys.executable, "-c", "import time; time.sleep(60)")
    firms.post("run")
    page = firms.read()
    assert '<meta http-equiv="refresh" content="2">' in page
    assert "Cells are being judged" in page
    state = f"/cases/{firms.case.name}/table/state"
    assert "hx-refresh" not in firms.client.send("GET", state).headers
    firms.post("cancel")
    assert "Cancelled by you." in firms.read()
    assert firms.client.send("GET", state).headers["hx-refresh"] == "true"


def test_a_file_that_is_no_table_says_so(tmp_path: Path) -> None:
    path = tmp_path / "firms.csv"
    path.write_text(make_firms())
    case = DeskFolder(tmp_path / "desk").create(path)
    answer = open_desk(tmp_path / "desk").send("GET", f"/cases/{case.name}/table?language=en")
    assert answer.status_code == 200
    assert "not as cells of a table" in answer.text


def test_a_rule_changes_its_number_and_nothing_else() -> None:
    assert change_rule(["min:3,20", "p%:15@holdings"], "p%:", "12") == ["min:3,20", "p%:12@holdings"]
    assert change_rule(["min:3,20"], "min:", "4") == ["min:4,20"]
    assert change_rule(["min:3"], "min:", "") == []
    assert change_rule([], "p%:", "15") == ["p%:15"]


def lay_cells(rows: int, columns: int, layers: int) -> TableCells:
    names = [
        ["Total", *(f"{letter}{number}" for number in range(1, size))]
        for letter, size in zip("rlc", (rows, layers, columns), strict=True)
    ]
    cells = [
        {
            "key": [row, layer, column],
            "letter": "",
            "value": 1.0,
            "contributors": 3,
            "interval": None,
            "why": None,
            "shared": [],
        }
        for row in names[0]
        for layer in names[1]
        for column in names[2]
    ]
    parts = [{"Total": codes[1:]} for codes in names]
    plain: Plain = {
        "name": "",
        "dims": ["r", "l", "c"],
        "margins": ["Total"] * 3,
        "parts": parts,
        "total": len(cells),
        "cells": cells,
    }
    return TableCells(plain)


def test_a_large_table_is_shown_part_by_part() -> None:
    cells = lay_cells(150, 30, 4)
    grid = cells.lay_out([])
    assert [len(one.choices) for one in grid.choosers] == [3, 4, 2]
    assert (len(grid.rows), len(grid.columns)) == (60, 20)
    assert grid.choosers[0].choices[1].label == "Total 60 – 118"
    last = cells.lay_out(["2", "3", "1"])
    assert [row.code for row in last.rows[:2]] == ["Total", "r119"]
    assert last.rows[1].cells[1] is not None
    assert last.rows[1].cells[1].codes == ("r119", "l3", "c20")
    shown = {row.code for choice in "012" for row in cells.lay_out([choice]).rows}
    assert len(shown) == 150
    assert cells.lay_out(["99", "x", "-1"]).rows[0].code == "Total"
