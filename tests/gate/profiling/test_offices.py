"""Small exports of made-up offices in eight languages: every column is found for what it is, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.data.files.settings_text import parse_settings

from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import Meaning
from sekisho.data.shape import Shape
from sekisho.gate.profiling.look import FileLook, look_at_file
from sekisho.report.pages.own_file.decisions import list_left_out, list_questions
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.words import Language, translate

Draw = Callable[[int, int, np.random.Generator], str]
ROWS, PEOPLE = 400, 60
ROLES = {"I": {None, "identifier"}, "Q": {"quasi"}, "S": {"sensitive"}, "O": {"other"}, "L": {None}}


def some(*values: str) -> Draw:
    return lambda _row, _person, rng: str(rng.choice(values))


def his(*values: str) -> Draw:
    """Return what is the same in all rows of a person."""
    return lambda _row, person, _rng: values[person * 7 % len(values)]


def code(form: str) -> Draw:
    return lambda _row, person, _rng: form.format(100_003 + 7 * person)


def number(low: int, high: int, form: str = "{}") -> Draw:
    return lambda _row, _person, rng: form.format(int(rng.integers(low, high)))


def day(form: str) -> Draw:
    return lambda _row, _person, rng: (
        str(np.datetime64("2022-01-01") + int(rng.integers(0, 900)))
        if form == "iso"
        else ((np.datetime64("2022-01-01") + int(rng.integers(0, 900))).astype(object).strftime(form))
    )


# By office: whether rows repeat, and by header what stands below it, the roles that are right, and what it means.
OFFICES: dict[str, tuple[bool, dict[str, tuple[Draw, str]]]] = {
    "farmacia": (
        True,
        {
            "Cod. cliente": (code("K{}"), "I"),
            "Data vendita": (day("%d/%m/%Y"), "Q time"),
            "Farmaco": (some("Aspirina", "Ventolin", "Augmentin"), "QS item"),
            "Pezzi": (number(1, 5), "QSO quantity"),
            "Prezzo unitario": (number(2, 40, "{},50"), "QSO"),
            "Importo totale": (number(2, 160, "{},25"), "QSO price"),
            "CAP": (his("20121", "00184", "50122"), "Q"),
        },
    ),
    "bibliotheek": (
        True,
        {
            "Pasnummer": (code("{}"), "I"),
            "Geboortejaar": (his(*map(str, range(1950, 2010))), "Q"),
            "Titel": (some("Oorlog", "De avonden", "Max Havelaar", "Turks fruit"), "Q item"),
            "Uitleendatum": (day("%d-%m-%Y"), "Q time"),
            "Boete": (number(0, 5, "{},50"), "QSO price"),
            "Filiaal": (some("Noord", "Zuid"), "QO"),
        },
    ),
    "図書館": (
        True,
        {
            "貸出券番号": (code("{}"), "I"),
            "貸出日": (day("%Y/%m/%d"), "Q time"),
            "書名": (some("山の本", "海の本", "川の本", "町の本"), "Q item"),
            "館名": (some("中央館", "東館"), "QO"),
            "利用者年齢": (his(*map(str, range(6, 90))), "Q"),
            "返却予定日": (day("%Y/%m/%d"), "Q"),
        },
    ),
    "銀行": (
        True,
        {
            "顧客番号": (code("{}"), "I"),
            "取引年月日": (day("%Y%m%d"), "Q time"),
            "取引種類": (some("入金", "出金", "振込"), "Q item"),
            "取引金額": (number(1000, 90_000, "{:,}"), "QSO price"),
            "取引後残高": (number(1000, 9_000_000, "{:,}"), "S"),
            "チャネル": (some("ATM", "窓口"), "QO"),
        },
    ),
    "Klinik": (
        False,
        {
            "Fallnr.": (code("7{}"), "I"),
            "Alter": (number(1, 95), "Q"),
            "Aufnahmedatum": (day("%d.%m.%Y"), "Q"),
            "Hauptdiagnose": (some("I10.0", "E11.9", "C50.9", "J45.0"), "S"),
            "Fachabteilung": (some("Innere", "Chirurgie"), "QS"),
            "Einweiser": (some("Dr. Kurz", "Dr. Lang", "Dr. Weit"), "I"),
        },
    ),
    "mairie": (
        False,
        {
            "N° allocataire": (code("1{}"), "I"),
            "Date de naissance": (day("%d/%m/%Y"), "Q"),
            "Nb enfants": (number(0, 5), "Q"),
            "Aide versée": (number(50, 800, "{},00 €"), "S"),
            "Quartier": (some("Centre", "Gare", "Port"), "Q"),
            "Tél.": (number(10, 99, "06 12 34 56 {}"), "I"),
        },
    ),
    "介護": (
        False,
        {
            "被保険者番号": (code("{:010d}"), "I"),
            "性別": (some("男", "女"), "Q"),
            "要介護度": (some("要介護1", "要介護3", "要支援2"), "QS"),
            "認知症自立度": (some("Ⅰ", "Ⅱa", "Ⅲ"), "S"),
            "担当ケアマネジャー": (some("佐藤 花子", "田中 一郎"), "I"),
            "体重(kg)": (some("48.5", "61.0", "55.2", "未測定", "70.1"), "QS"),
        },
    ),
    "学校": (
        False,
        {
            "学籍番号": (code("{}"), "I"),
            "組": (some("1組", "2組"), "Q"),
            "国語": (number(20, 100), "S"),
            "数学": (number(20, 100), "S"),
            "平均": (number(20, 100), "S"),
        },
    ),
    "HR": (
        False,
        {
            "Payroll No": (code("P{}"), "I"),
            "Date of Birth": (day("%d/%m/%Y"), "Q"),
            "Base Pay": (number(20_000, 90_000, "£{:,}"), "S"),
            "Sick Days": (number(0, 20), "S"),
            "Line Manager": (some("Helen Carter", "Tom Price"), "I"),
            "Disability": (some("Yes", "No", "Prefer not to say"), "S"),
            "Contact": (some(), "L"),
        },
    ),
}


def write_office(folder: Path, name: str) -> Path:
    rng = np.random.default_rng(7)
    repeats, columns = OFFICES[name]
    lines = [";".join(columns)]
    for row in range(ROWS):
        person = int(rng.integers(PEOPLE)) if repeats else row
        cells = ("" if expected == "L" else draw(row, person, rng) for draw, expected in columns.values())
        lines.append(";".join(cells))
    path = folder / "office.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def list_wrong(look: FileLook, name: str) -> Iterator[str]:
    for guess in look.roles:
        roles, _, meaning = OFFICES[name][1][guess.look.name][1].partition(" ")
        role = None if guess.role is None else guess.role.value
        if not any(role in ROLES[each] for each in roles):
            yield f"{guess.look.name}: {role}"
        if meaning and guess.means is not Meaning(meaning):
            yield f"{guess.look.name} means {guess.means}"


@pytest.mark.parametrize("name", OFFICES)
def test_every_column_is_found_for_what_it_is(tmp_path: Path, name: str) -> None:
    look = look_at_file(write_office(tmp_path, name))
    assert look.shape is (Shape.HISTORY if OFFICES[name][0] else Shape.RECORDS)
    assert list(list_wrong(look, name)) == []


@pytest.mark.parametrize("name", OFFICES)
def test_nothing_is_left_out_without_a_word_and_each_line_is_there(tmp_path: Path, name: str) -> None:
    look = look_at_file(write_office(tmp_path, name))
    lines = write_schema(look, Language.EN).decode().splitlines()
    gone = {guess.look.name for guess in look.roles if guess.role is None}
    left, questions = list_left_out(look), list_questions(look)
    assert {point.column for point in left} == gone
    for point in left:
        assert point.line is not None
        assert lines[point.line - 1].startswith("# role = ")
        assert translate(point.reason, Language.JA) != translate(point.reason, Language.EN)
    for point in questions:
        assert (point.line is None) == (not point.column)
        assert point.line is None or lines[point.line - 1].startswith(("role = ", "# role = "))


def test_a_column_that_was_left_out_is_read_once_its_marks_are_removed(tmp_path: Path) -> None:
    path = write_office(tmp_path, "Klinik")
    look = look_at_file(path)
    (point,) = (each for each in list_left_out(look) if each.column == "Einweiser")
    assert point.line is not None
    lines = write_schema(look, Language.EN).decode().splitlines()
    first = max(place for place in range(point.line) if lines[place] == "# [[columns]]")
    lines[first : point.line] = [line.removeprefix("# ") for line in lines[first : point.line]]
    schema = parse_settings("\n".join(lines), SchemaFile, source="office.schema.toml")
    assert "Einweiser" in read_own(path, schema).data.frame.columns


def test_of_a_code_and_a_name_the_name_is_the_item_and_the_code_is_left_out(tmp_path: Path) -> None:
    goods = [("4901234567894", "緑茶"), ("4909876543216", "牛乳"), ("4900000000016", "食パン")]
    rows = "".join(
        f"m{n % 30},2024-03-{1 + n % 28:02},{goods[n % 3][0]},{goods[n % 3][1]},{100 + n}\n" for n in range(300)
    )
    (tmp_path / "pos.csv").write_text(f"会員番号,購入日,JANコード,商品名,金額\n{rows}", encoding="cp932")
    look = look_at_file(tmp_path / "pos.csv")
    means = {guess.look.name: guess.means for guess in look.roles}
    assert (means["商品名"], means["金額"], means["購入日"]) == (Meaning.ITEM, Meaning.PRICE, Meaning.TIME)
    assert [point.column for point in list_left_out(look)] == ["JANコード"]
    asked = {point.column: translate(point.reason, Language.EN) for point in list_questions(look)}
    assert asked["商品名"] == "taken for the item of the event; JANコード could be, too: means says which"


def test_rows_that_stand_there_twice_are_told(tmp_path: Path) -> None:
    rows = [f"p{n},{20 + n % 40},{'fm'[n % 2]}" for n in range(60)]
    (tmp_path / "own.csv").write_text("\n".join(["patient_id,age,sex", *rows, *rows[:2]]) + "\n")
    look = look_at_file(tmp_path / "own.csv")
    assert (look.shape, look.repeated) == (Shape.RECORDS, 2)
    reasons = [translate(point.reason, Language.EN) for point in list_questions(look)]
    assert any(reason.startswith("2 rows stand there a second time") for reason in reasons)


def test_the_surest_is_told_last(tmp_path: Path) -> None:
    rows = "".join(f"p{n},x{n:04d}y,a{n}@x.jp,{'fm'[n % 2]},\n" for n in range(60))
    (tmp_path / "own.csv").write_text(f"patient_id,zzz,email,sex,void\n{rows}")
    left = [point.column for point in list_left_out(look_at_file(tmp_path / "own.csv"))]
    assert left == ["zzz", "email", "void"]


def test_what_is_the_same_in_all_rows_of_a_person_is_no_item_and_no_time_of_an_event(tmp_path: Path) -> None:
    rows = "".join(
        f"s{n % 40},19{70 + n % 40}-02-03,{('Law and Economics', 'Physics', 'Music')[n % 40 % 3]},2024-05-{1 + n // 40:02},"
        f"BIO{100 + n % 7}\n"
        for n in range(400)
    )
    (tmp_path / "own.csv").write_text(f"student_id,day,programme,exam_date,course\n{rows}")
    means = {guess.look.name: guess.means for guess in look_at_file(tmp_path / "own.csv").roles}
    assert (means["exam_date"], means["course"]) == (Meaning.TIME, Meaning.ITEM)
