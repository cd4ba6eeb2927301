"""The page of a table: 264 made-up firms, what is hidden and why, wishes of single cells, another run."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.server.desk.desk_client import DeskClient, open_desk

from sekisho.data.shape import Shape
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.changes import SentForm
from sekisho.server.desk.edits import apply_edits, read_keys
from sekisho.server.desk.jobs import RunState
from sekisho.server.desk.orders import RunOrder
from sekisho.server.desk.originals import propose_files
from sekisho.server.desk.pages.table_controls import change_rule, find_wishes, read_choices
from sekisho.server.desk.pages.table_view import TableCells, list_chains
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.run_process import run_order
from sekisho.server.desk.settings import Desk

INDUSTRIES = {"Retail": 9, "Food": 6, "Machinery": 5, "Transport": 4, "Textiles": 3, "Chemicals": 2}
REGIONS = {"East": 9, "West": 7, "South": 6, "North": 3, "Islands": 1}


def make_firms() -> str:
    draw = random.Random(3)
    lines = ["group,industry,region,turnover"]
    for number in range(264):
        industry, region = (draw.choices(list(one), list(one.values()))[0] for one in (INDUSTRIES, REGIONS))
        lines.append(f"G{number:03},{industry},{region},{int(draw.lognormvariate(4, 0.8))}")
    return "\n".join(lines) + "\n"


class Firms:
    """A desk with the case of the firms; runs are made in this process."""

    def __init__(self, folder: Path) -> None:
        path = folder / "firms.csv"
        path.write_text(make_firms())
        desk = DeskFolder(folder / "desk")
        self.case: Case = desk.create(path, proposal=propose_files(path, shape=Shape.TABLE))
        self.client: DeskClient = open_desk(folder / "desk")

    def read(self, query: str = "", language: str = "en") -> str:
        asked = urlencode({"lang": language})
        answer = self.client.send("GET", f"/cases/{self.case.name}/table?{query}&{asked}")
        assert answer.status_code == 200, answer.text
        return unescape(answer.text)

    def post(self, what: str, **fields: str) -> None:
        answer = self.client.post(f"/cases/{self.case.name}/table/{what}", {"v": str(self.head), **fields})
        assert answer.status_code == 303, answer.text

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
        (order.folder / "order.json").write_text(__import__("json").dumps(order.pack()))
        run_order(order)
        run = desk.runs.find(order.folder)
        assert run is not None
        assert run.state in {RunState.FINISHED, RunState.FAILED}


def list_links(page: str, letter: str) -> list[str]:
    """Return the cells of a letter, as the list of hidden cells links them."""
    return re.findall(rf'<a class="chip {letter}" href="\?[^"]*cell=([^"#&]*)#why"', page)


@pytest.fixture(scope="module")
def firms(tmp_path_factory: pytest.TempPathFactory) -> Firms:
    """The firms after a first run."""
    firms = Firms(tmp_path_factory.mktemp("firms"))
    firms.run()
    return firms


def test_before_a_run_the_page_asks_and_offers_to_run(tmp_path: Path) -> None:
    page = Firms(tmp_path).read()
    assert "Make the table" in page
    assert re.search(r'<select name="rows".*<option selected>industry</option>', page)
    assert 'name="closest" min="0" max="1000" step="any" value="15"' in page
    assert "rules = [" in page


def test_cells_have_letters_intervals_and_reasons(firms: Firms) -> None:
    page = firms.read()
    assert "THIS MAY LEAVE" in page
    assert "5 cells are unsafe, 4 more are hidden to protect them." in page
    assert len(list_links(page, "p")) == 5
    assert len(list_links(page, "s")) == 4
    assert "9 of 42 cells are hidden." in page
    why = firms.read(urlencode({"cell": "Chemicals;South"}))
    assert "Why is Chemicals, South hidden?" in why
    assert "It protects Chemicals, North, where 1 stand behind the sum." in why
    line = re.search(r'<p class="sumline">(.*?)</p>', why)
    assert line is not None
    assert re.sub("<[^>]*>", "", line[1]) == "Chemicals: 849 = 112 + 0 + North + South + 459"
    assert "<b><bdi>North</bdi></b>" in line[1]
    assert "If it were shown (240), everybody could subtract and would have Chemicals, North = 38" in why
    unsafe = firms.read(urlencode({"cell": "Chemicals;North"}))
    assert "It is so by min:3, p%:15." in unsafe
    assert "between 0 – 73; it is 38" in unsafe
    assert 'value="show"' not in unsafe


def test_the_page_is_told_in_japanese(firms: Firms) -> None:
    page = firms.read(urlencode({"cell": "Chemicals;South"}), "ja")
    assert "Chemicals, South はなぜ秘匿されていますか" in page
    assert "stand behind" not in page
    assert "持ち出せます" in page


def test_what_is_wished_of_a_cell_is_one_edit_and_the_next_run_shows_what_changed(
    firms: Firms,
) -> None:
    before = firms.head
    firms.client.post(
        f"/cases/{firms.case.name}/table/cell", {"v": str(before), "code": "Textiles", "wish": "show"}
    )  # half a cell: the run would refuse it
    firms.case.versions.undo()
    wish_show(firms, "Chemicals", "South")
    version = firms.case.versions.read()
    assert version.files["cells.hst"] == b"Chemicals;South;P\n"
    assert read_keys(version.files, "recipe")["apriori"] == "cells.hst"
    page = firms.read(urlencode({"cell": "Chemicals;South"}))
    assert "The cells below are those of version 1" in page
    assert "You wished:" in page
    firms.run()
    page = firms.read()
    assert "changed since version 1" in page
    assert 'Chemicals;South' not in list_links(page, "s")
    changed = re.search(r"<h2>What changed since version 1</h2><ul>(.*?)</ul>", page, re.DOTALL)
    assert changed is not None
    assert "Chemicals, South" in changed[1]
    firms.post("cell", code="Chemicals", wish="back") if False else None


def wish_show(firms: Firms, *codes: str, wish: str = "show") -> None:
    fields = [("v", str(firms.head)), *(("code", one) for one in codes), ("wish", wish)]
    firms.client.send_fields(f"/cases/{firms.case.name}/table/cell", fields)
