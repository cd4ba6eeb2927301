"""The page of a file: what was understood, one edit a click, another form, masked identifiers, both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.data.files.workbook_files import make_xlsx
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.hospital import make_hospital, write_hospital

from sekisho.data.shape import Shape
from sekisho.server.desk.cases import Case
from sekisho.server.desk.edits import read_keys
from sekisho.server.desk.pages.file_view import draw_bars
from sekisho.server.desk.settings import Desk

SCRIPT = {"hx-request": "true"}


@dataclass
class OpenFile:
    """A desk with one case."""

    desk: DeskClient
    case: Case

    def show(self, query: str = "", language: str = "en") -> str:
        for _ in range(60):
            answer = self.desk.send("GET", f"/cases/{self.case.name}/file?language={language}{query}")
            assert answer.status_code == 200
            if "load delay" not in answer.text:
                return answer.text
        pytest.fail("the file is never counted")

    def post(self, control: str, **fields: str) -> int:
        sent = {"v": str(self.case.versions.head), **fields}
        return self.desk.post(f"/cases/{self.case.name}/file/{control}", sent).status_code


def open_file(folder: Path, path: Path) -> OpenFile:
    desk = open_desk(folder / "desk")
    shared: Desk = desk.app.state.desk
    return OpenFile(desk=desk, case=shared.cases.create(path))


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenFile]:
    folder = tmp_path_factory.mktemp("page")
    opened = open_file(folder, write_hospital(folder))
    yield opened
    opened.desk.app.state.desk.counters.close()


def list_columns(page: str) -> list[str]:
    return re.findall(r"<h3><bdi>(.*?)</bdi>", page)


def find_role(page: str, place: int) -> str:
    chosen = re.findall(rf'name="role-{place}" value="(\w+)" id="[^"]*" checked', page)
    assert len(chosen) == 1
    return chosen[0]


def test_asked_columns_stand_first_with_their_reason(hospital: OpenFile) -> None:
    page = hospital.show()
    assert list_columns(page)[0] == "氏名"
    assert page.count('<li class="ask">') == 1
    assert "1 column waits for your answer." in page
    assert find_role(page, 1) == "out"
    assert find_role(page, 0) == "who"
    assert "300 rows, 8 columns." in page
    japanese = hospital.show(language="ja")
    assert "1 列が確認待ちです。" in japanese
    assert "欠測" in japanese
    assert "未測定" in japanese
    assert not re.search(r"style=|<script>|onclick", page)
    assert '<span class="muted">欠測</span>' in japanese  # and not an empty cell


def test_who_it_is_is_masked_until_a_box_is_ticked_and_that_is_not_remembered(hospital: OpenFile) -> None:
    names = [line.split(",")[1] for line in make_hospital().split("\r\n")[1:9]]
    assert not any(name in hospital.show() for name in names)
    shown = hospital.show("&shown=1")
    assert all(name in shown for name in names)
    assert not any(name in hospital.show() for name in names)
    assert "1963-05-30" in shown  # 昭和38年5月30日


def test_a_click_is_one_edit_and_a_double_click_the_same(hospital: OpenFile) -> None:
    before = hospital.case.versions.head
    assert hospital.post("roles", key="one", v=str(before), **{"role-4": "free"}) == 303
    assert hospital.post("roles", key="one", v=str(before), **{"role-4": "free"}) == 303
    version = hospital.case.versions.read()
    assert version.number == before + 1
    assert [(edit.place, edit.value) for edit in version.edits] == [(("columns", "住所", "role"), "other")]
    page = hospital.show()
    assert find_role(page, 4) == "free"
    assert "you said so" in page
    assert "<s>住所  role = &#34;quasi&#34;</s>" in page
    assert hospital.post("roles", v=str(before), **{"role-4": "secret"}) == 409


def test_script_gets_the_page_as_it_is_now(hospital: OpenFile) -> None:
    sent = {"v": str(hospital.case.versions.head), "token": hospital.desk.entrance.token, "role-3": "secret"}
    answer = hospital.desk.send("POST", f"/cases/{hospital.case.name}/file/roles", data=sent, headers=SCRIPT)
    assert answer.status_code == 200
    assert find_role(answer.text, 3) == "secret"
    assert "autofocus" not in answer.text


def test_a_second_column_that_says_who_it_is_is_not_read(hospital: OpenFile) -> None:
    assert hospital.post("roles", **{"role-1": "who"}) == 303
    names = [one["name"] for one in read_keys(hospital.case.versions.read().files, "schema")["columns"]]
    assert "氏名" not in names
    page = hospital.show()
    assert find_role(page, 1) == "who"
    assert "Nothing waits for your answer." in page


def test_another_kind_is_counted_anew_and_missing_texts_are_said(hospital: OpenFile) -> None:
    assert hospital.post("column", column="収縮期血圧", kind="category", missing="") == 303
    columns = read_keys(hospital.case.versions.read().files, "schema")["columns"]
    said = next(one for one in columns if one["name"] == "収縮期血圧")
    assert said["kind"] == "category"
    assert "missing_texts" not in said
    page = hospital.show()
    assert "66 different" in page  # 未測定 is a value now
    hospital.case.versions.undo()
    assert "65 different · 30 missing" in hospital.show()


def test_a_wrong_kind_shows_faults_with_row_column_and_value(hospital: OpenFile) -> None:
    assert hospital.post("column", column="診断名", kind="integer", missing="") == 303
    page = hospital.show()
    assert 'role="alert"' in page
    assert "診断名" in page
    hospital.case.versions.undo()


def test_a_separator_that_is_none_changes_nothing_and_says_why(hospital: OpenFile) -> None:
    before = hospital.case.versions.head
    assert hospital.post("form", separator=";", encoding="cp932", header="1", decimal=".") == 422
    assert hospital.case.versions.head == before


def test_no_header_and_another_shape_are_proposed_anew(hospital: OpenFile) -> None:
    assert hospital.post("form", separator=",", encoding="cp932", header="no", decimal=".", date_format="") == 303
    assert read_keys(hospital.case.versions.read().files, "schema")["file"]["header"] is False
    assert "column_1" in hospital.show()
    hospital.case.versions.undo()
    assert hospital.post("form", separator=",", encoding="cp932", header="1", decimal=",", date_format="") == 303
    assert hospital.case.versions.read().edits[0].place == ("file", "decimal")
    hospital.case.versions.undo()
    assert hospital.post("shape", shape="table") == 303
    assert hospital.case.shape is Shape.TABLE
    page = hospital.show()
    assert find_role(page, 3) == "dims"
    assert hospital.post("roles", **{"role-5": "value"}) == 303
    assert read_keys(hospital.case.versions.read().files, "recipe")["value"] == "収縮期血圧"
    hospital.case.versions.undo()
    hospital.case.versions.undo()


def test_another_sheet_and_another_line_of_names_are_a_choice(tmp_path: Path) -> None:
    people = [["members of 2026"], [], ["number", "sex", "town"]]
    people += [[f"{row:04}", "fm"[row % 2], "abc"[row % 3]] for row in range(40)]
    visits = [["visitor", "ward", "day"], *([f"V{row}", "xy"[row % 2], str(row % 7)] for row in range(30))]
    path = tmp_path / "club.xlsx"
    path.write_bytes(make_xlsx({"People": people, "Visits": visits}))
    opened = open_file(tmp_path, path)
    page = opened.show()
    assert set(list_columns(page)) == {"number", "sex", "town"}
    assert '<option value="Visits">Visits</option>' in page
    assert 'name="encoding"' not in page  # a workbook has none
    assert '<option value="3" selected>in line 3</option>' in page
    assert "lines left out above the table: 1 (members of 2026)" in page
    assert opened.post("form", sheet="People", header="3", decimal=".", date_format="") == 303
    assert opened.case.versions.head == 1  # as it was
    assert opened.post("form", sheet="Visits", header="3", decimal=".", date_format="") == 303
    assert set(list_columns(opened.show())) == {"visitor", "ward", "day"}
    assert read_keys(opened.case.versions.read().files, "schema")["file"]["sheet"] == "Visits"
    assert opened.post("form", sheet="Visits", header="2", decimal=".", date_format="") == 303
    assert "V0" in list_columns(opened.show())
    opened.desk.app.state.desk.counters.close()


def test_a_title_and_a_row_of_totals_are_told(tmp_path: Path) -> None:
    lines = ["令和6年度 一覧,,", "番号,性別,金額", *(f"{row:04},{'男女'[row % 2]},{row % 7}000" for row in range(60))]
    path = tmp_path / "一覧.csv"
    path.write_bytes("\r\n".join([*lines, "合計,,177000", ""]).encode("cp932"))
    opened = open_file(tmp_path, path)
    page = opened.show(language="ja")
    assert "60 行" in page
    assert "表の上の行を除きました：1 (令和6年度 一覧)" in page
    assert "表の下の行を除きました：63 (合計 177000)" in page
    opened.desk.app.state.desk.counters.close()


def test_confirming_goes_on_to_the_risk(tmp_path: Path) -> None:
    opened = open_file(tmp_path, write_hospital(tmp_path, 60))
    assert "1 column waits" in opened.show()
    assert opened.post("confirm") == 303
    assert opened.case.versions.head == 1
    page = opened.show()
    assert "Nothing waits for your answer." in page
    assert "you said so" in page
    opened.desk.app.state.desk.counters.close()


@pytest.mark.parametrize("sent", [{"v": "x"}, {}, {"v": "1", "shape": "round"}])
def test_forms_that_are_none_are_refused(hospital: OpenFile, sent: dict[str, str]) -> None:
    assert hospital.desk.post(f"/cases/{hospital.case.name}/file/shape", sent).status_code == 422


def test_bars_of_a_picture_stay_in_it() -> None:
    bars = draw_bars([0, 3, 6])
    assert [(bar.x, bar.y, bar.height) for bar in bars] == [("40.6", "21.0", "19.0"), ("80.6", "2.0", "38.0")]
    assert not draw_bars([])
    assert not draw_bars([0, 0])
