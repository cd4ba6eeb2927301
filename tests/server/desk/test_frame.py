"""What stands around every page: the file, the steps, what is written, in both languages, with nothing inline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response
from tests.server.desk.desk_client import DeskClient, open_desk

from sekisho.data.shape import Shape
from sekisho.server.desk.frame import ASSETS, RecipeLine, StepMark, write_desk_page
from sekisho.server.desk.plain_data import Plain


@dataclass(frozen=True, kw_only=True)
class MadeUpCase:
    """A case as the frame sees it."""

    name: str = "20261116-people-7f3a"
    file_name: str = "people<b>.csv"
    shape: Shape = Shape.RECORDS
    version: int = 11
    newest: int = 12
    saved: str = "10:42"
    can_undo: bool = True
    can_redo: bool = False
    settled: str = ""
    part: Plain | None = None
    marks: Mapping[str, StepMark] = field(default_factory=lambda: {"file": StepMark.DONE, "risk": StepMark.LOOK})


def show_case(folder: Path, case: MadeUpCase, query: str = "") -> str:
    desk = open_desk(folder)
    lines = (RecipeLine(text="k = 3", kind="old"), RecipeLine(text="k = 5", kind="new", key="k"))

    def show(request: Request) -> Response:
        shown: dict[str, Any] = {"sentence": "", "errors": (), "count": 0, "form": ""}
        return write_desk_page(
            request, "desk/refusal.html", case, step="risk", lines=lines, command="sekisho gate r.toml", **shown
        )

    desk.app.add_api_route("/made-up/risk", show, response_model=None)
    answer = desk.send("GET", f"/made-up/risk{query}")
    assert answer.status_code == 200
    return answer.text


def test_the_frame_shows_file_steps_lines_and_command(tmp_path: Path) -> None:
    page = show_case(tmp_path, MadeUpCase())
    assert "people&lt;b&gt;.csv" in page
    assert "<b>.csv" not in page
    assert re.findall(r'class="mark" aria-hidden="true">(.)<', page) == ["✓", "!", "3", "4", "5"]
    assert page.count('aria-current="step"') == 1
    assert len(re.findall(r'<form[^>]*><input type="hidden" name="token" value="[0-9a-f]{64}">', page)) == 3
    assert "<s>k = 3</s>" in page
    assert '<li class="new" data-line="k">k = 5</li>' in page
    assert "sekisho gate r.toml" in page
    assert "version 11 · saved 10:42" in page
    assert "the newest is 12" in page
    assert re.search(r'data-undo="redo">.*?<button class="quiet" disabled>', page)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|hx-on|javascript:", page)
    assert len(set(re.findall(r'\sid="([^"]+)"', page))) == len(re.findall(r'\sid="([^"]+)"', page))


def test_a_table_has_three_steps_and_the_page_speaks_japanese(tmp_path: Path) -> None:
    page = show_case(tmp_path, MadeUpCase(shape=Shape.TABLE, newest=11), "?language=ja")
    assert '<html lang="ja">' in page
    assert "データはこのパソコンから出ません" in page
    assert len(re.findall(r'class="mark"', page)) == 3
    assert "最新は" not in page


def test_pages_load_only_what_is_theirs(tmp_path: Path) -> None:
    desk = open_desk(tmp_path)
    page = desk.send("GET", "/").text
    addresses = re.findall(r'(?:src|href)="([^"#]+static/[^"]+)"', page)
    assert len(addresses) == 4
    for address in addresses:
        assert address.startswith(desk.entrance.prefix + "/static/")
        assert desk.send("GET", address, prefix="").status_code == 200
    assert len(ASSETS["desk.js"].content) <= 6144
    assert b"eval(" not in ASSETS["desk.js"].content


def test_a_refusal_is_a_page_and_closing_ends_the_program(tmp_path: Path) -> None:
    ended: list[bool] = []
    desk: DeskClient = open_desk(tmp_path, close=lambda: ended.append(True))
    missing = desk.send("GET", "/nothing")
    assert missing.status_code == 404
    assert "There is nothing here." in missing.text
    assert desk.post("/close").status_code == 200
    assert ended == [True]
