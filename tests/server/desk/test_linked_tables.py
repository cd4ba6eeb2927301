"""Several tables at the desk: added, looked at tab by tab, wished of, removed; and what leaves is what the command makes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode
from zipfile import ZipFile

import pytest
from tests.server.desk.test_table_page import Firms, list_links

from sekisho.server.desk.edits import apply_edits, read_keys
from sekisho.server.desk.exports import export_recipe
from sekisho.server.desk.pages.table_edits import add_table, change_table, list_tables, name_table, remove_table

RECIPE = b"""shape = "table"
original = "firms.csv"
microdata = true
dims = ["industry", "region"]
value = "turnover"
rules = ["p%:15"]
apriori = "cells.hst"

[trees]
region = "trees/region.csv"
"""
FILES = {"recipe.toml": RECIPE, "cells.hst": b"Food;East;P\n", "trees/region.csv": b"a;b;*\n"}


def read(files: Mapping[str, bytes]) -> dict[str, object]:
    return read_keys(files, "recipe")


def test_adding_moves_the_first_table_down_and_removing_the_second_moves_it_back() -> None:
    two = apply_edits(FILES, add_table(FILES, {"dims": ["industry", "size"], "count": None, "value": "turnover"}))
    assert read(two)["tables"] == [
        {"name": "industry-region", "dims": ["industry", "region"], "value": "turnover", "apriori": "cells.hst"},
        {"name": "industry-size", "dims": ["industry", "size"], "value": "turnover"},
    ]
    assert not {"dims", "value", "apriori"} & read(two).keys()
    three = apply_edits(two, add_table(two, {"dims": ["Industry", "Size"], "count": None, "value": None}))
    assert list_tables(three) == ["industry-region", "industry-size", "Industry-Size-2"]
    assert read(apply_edits(three, remove_table(three, "Industry-Size-2"))) == read(two)
    assert read(apply_edits(two, remove_table(two, "industry-size"))) == read(FILES)


def test_a_removed_table_takes_its_cells_and_trees_along() -> None:
    two = apply_edits(FILES, add_table(FILES, {"dims": ["industry", "size"], "count": None, "value": "turnover"}))
    left = apply_edits(two, remove_table(two, "industry-region"))
    assert read(left) == {
        "shape": "table",
        "original": "firms.csv",
        "microdata": True,
        "rules": ["p%:15"],
        "dims": ["industry", "size"],
        "value": "turnover",
    } | {key: value for key, value in read(left).items() if key == "trees"}
    assert not read(left).get("trees")
    assert {"cells.hst", "trees/region.csv"}.isdisjoint(left)


def test_a_name_follows_the_dimensions_that_it_was_made_of() -> None:
    two = apply_edits(FILES, add_table(FILES, {"dims": ["industry", "size"], "count": None, "value": "turnover"}))
    name, edits = change_table(two, "industry-size", {"dims": ["size"], "value": "turnover", "count": None})
    assert name == "size"
    assert list_tables(apply_edits(two, edits)) == ["industry-region", "size"]
    name, edits = change_table(two, "industry-region", {"dims": ["region"], "value": "turnover", "count": None})
    assert "cells.hst" not in apply_edits(two, edits)
    assert "trees/region.csv" in apply_edits(two, edits)
    assert name_table(["売上/額"], ["売上_額"]) == "売上_額-2"


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Firms:
    """The firms with a second table, run."""
    firms = Firms(tmp_path_factory.mktemp("linked"), sizes=True)
    firms.post("add", rows="region", columns="size", measure="value:turnover", micro="1")
    firms.run()
    return firms


def test_a_table_is_added_by_a_form_and_shown_in_a_tab_of_its_own(linked: Firms) -> None:
    page = linked.read()
    assert re.findall(r'aria-current="page"><bdi>(.*?)</bdi>', page) == ["industry × region"]
    assert "THIS MAY LEAVE" in page
    assert "[[tables]]" in page
    second = linked.read("table=region-size")
    assert re.findall(r'aria-current="page"><bdi>(.*?)</bdi>', second) == ["region × size"]
    assert "turnover, region × size" in second
    assert "⇄" in second
    assert re.search(r'aria-label="Islands, Total: [^"]*; stands in another table, too"', second)
    japanese = linked.read("table=region-size", language="ja")
    assert "表を追加" in japanese
    assert "一緒に公開する表" in japanese


def test_the_panel_tells_why_in_every_tab_across_tables_too(linked: Firms) -> None:
    first = linked.read()
    tabs = re.findall(r'href="[^"]*\?(table=[^"]*)"', first)
    second = linked.read(tabs[1])
    assert [page.count('aria-current="page"') for page in (first, second, linked.read(tabs[0]))] == [1, 1, 1]
    chips = [(page, list_links(page, letter)) for page in (first, second) for letter in ("p", "s")]
    assert not any(f"table={name}" in page for page in (first, second) for name in ("industry-region", "region-size"))
    assert any(links for _, links in chips)
    hidden = re.findall(r'<a class="chip s" href="(\?[^"]*)#why"', first + second)
    told = [linked.read(one.removeprefix("?")) for one in hidden]
    assert all("Why is " in page for page in told)
    assert any(re.search(r"It protects [^<]* \((industry-region|region-size)\)", page) for page in told)
    shared = linked.read(urlencode({"table": "region-size", "cell": "Islands;Total"}))
    assert "It is the same cell in industry-region" in shared


def test_wishes_go_to_the_file_of_their_table_and_can_be_undone(linked: Firms) -> None:
    head = linked.head
    linked.post("cell", wish="hide", code=["East", "Total"], table="region-size")
    files = linked.case.versions.read().files
    assert files["cells-region-size.hst"] == b"East;Total;M\n"
    assert read_keys(files, "recipe")["tables"][1]["apriori"] == "cells-region-size.hst"
    page = linked.read("table=region-size")
    assert "cells-region-size.hst" in page
    linked.post("cell", wish="back", code=["East", "Total"], table="region-size")
    assert dict(linked.case.versions.read().files) == dict(linked.case.versions.read(head).files)
    linked.case.versions.undo()
    linked.case.versions.undo()
    assert linked.head == head


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("choose", {"rows": "industry", "measure": "records", "table": "none"}),
        ("cell", {"wish": "hide", "code": "East", "table": ""}),
        ("remove", {"table": "none"}),
        ("add", {"rows": "none"}),
    ],
)
def test_a_table_that_is_not_there_is_refused(linked: Firms, what: str, fields: dict[str, str]) -> None:
    answer = linked.client.post(f"/cases/{linked.case.name}/table/{what}", {"v": str(linked.head), **fields})
    assert answer.status_code == 422


def test_all_tables_leave_together(linked: Firms) -> None:
    case = linked.case
    assert "one of the tables" in linked.client.send("GET", f"/cases/{case.name}/decide?language=en").text
    answer = linked.client.post(f"/cases/{case.name}/decide/release", {"v": str(linked.head)})
    assert answer.status_code == 303
    assert sorted(path.name for path in case.public.glob("release*")) == [
        "release-industry-region.csv",
        "release-region-size.csv",
    ]


def test_a_further_table_may_count_and_its_unsafe_cells_say_by_which_rule(tmp_path: Path) -> None:
    firms = Firms(tmp_path, sizes=True)
    firms.post("add", rows="industry", columns="region", measure="records", micro="1")
    firms.run()
    page = firms.read("table=industry-region-2")
    assert "how many records, industry × region" in page
    assert "⇄</i>" not in page  # no cell of a count is one of a sum
    cell = list_links(page, "p")[0]
    assert "It is so by min:" in firms.read(f"table=industry-region-2&cell={cell}")


def test_the_release_of_the_desk_is_that_of_the_command(linked: Firms, tmp_path: Path) -> None:
    version = linked.case.versions.read()
    (run,) = (one for one in linked.case.runs.iterdir() if (one / "public/certificate.json").is_file())
    with ZipFile(BytesIO(export_recipe(linked.case, version))) as archive:
        archive.extractall(tmp_path)
    (tmp_path / linked.case.data).write_bytes(linked.case.file.read_bytes())
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "sekisho", "gate", "recipe.toml", "--out", "out"]
    subprocess.run(command, cwd=tmp_path, env=environ, check=True, capture_output=True)
    names = sorted(path.name for path in (run / "public").glob("release*"))
    assert names == ["release-industry-region.csv", "release-region-size.csv"]
    for name in names:
        assert (tmp_path / "out/public" / name).read_bytes() == (run / "public" / name).read_bytes()


def test_a_removed_table_leaves_the_page_of_one(tmp_path: Path) -> None:
    firms = Firms(tmp_path, sizes=True)
    before = dict(firms.case.versions.read().files)
    firms.post("add", rows="region", columns="size", measure="records", micro="1")
    assert 'class="tables"' in firms.read()
    firms.post("remove", table="region-size")
    assert 'class="tables"' not in firms.read()
    assert read_keys(firms.case.versions.read().files, "recipe") == read_keys(before, "recipe")
