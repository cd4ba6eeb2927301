"""What names people is known in every form that a cell can have; wares, places, illnesses, dates and amounts are not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sekisho.data.frame.cells import RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Column, Kind, Meaning, Role, Schema
from sekisho.data.frame.release import MaskedTable
from sekisho.data.identity.content_judgement import judge_column
from sekisho.data.identity.forms import IdentityForm, find_form
from sekisho.data.identity.header_words import ColumnEvidence, Ground
from sekisho.data.identity.identifying import list_identifying

NAMES = ("Anna Weber", "Boris Klein", "Clara Roth", "David Stone", "Erik Lund", "Fatima Khan")


def sets(domain: tuple[str, ...], cells: list[list[int]]) -> SetCells:
    rows = np.repeat(np.arange(len(cells)), [len(cell) for cell in cells])
    return gather_sets(rows, np.array([code for cell in cells for code in cell], dtype=np.int32), len(cells), domain)


def table(name: str, cells: SetCells | RangeCells, kind: Kind = Kind.CATEGORY, **more: object) -> MaskedTable:
    decimals = int(str(more.get("decimals", 0)))
    return MaskedTable(schema=Schema((Column(name=name, kind=kind, decimals=decimals),)), columns={name: cells})


def judged(header: str, values: list[str], *, rows: int = 200, kind: Kind = Kind.CATEGORY) -> str:
    finding = judge_column(
        ColumnEvidence(header=header, kind=kind, values=pl.Series(values, dtype=pl.String), rows=rows)
    )
    return "" if finding is None else finding.ground.value


def test_names_in_generalised_sets_are_names_still() -> None:
    cells = sets(NAMES, [[0, 1, 2], [0, 1, 2], [3, 4, 5], [3, 4, 5]])
    for header in ("x", "full_name", "town"):  # six of six are whole names, whatever the header says
        (finding,) = list_identifying(table(header, cells))
        assert finding.column == header
    ((finding),) = list_identifying(table("full_name", cells))
    assert (finding.ground, finding.sign) == (Ground.HEADER, "fullname")


def test_what_is_suppressed_throughout_names_nobody() -> None:
    nothing = SetCells(
        offsets=np.zeros(4, dtype=np.int64), codes=np.zeros(0, np.int32), suppressed=np.ones(3, np.bool_), domain=NAMES
    )
    assert list_identifying(table("full_name", nothing)) == ()


def test_labels_are_looked_at_as_they_are_written() -> None:
    cells = sets(("a", "b", "c"), [[0, 1, 2]] * 6)
    labels = {"x": pl.Series([f"{name} and others" for name in NAMES])}
    assert list_identifying(table("x", cells)) == ()
    assert [each.column for each in list_identifying(table("x", cells), labels=labels)] == ["x"]


def test_numbers_exact_or_in_ranges() -> None:
    account = np.arange(1_000_000, 1_000_100, 5)
    exact = table("account_no", RangeCells.exact(account), Kind.INTEGER)
    ranges = table(
        "account_no",
        RangeCells(lower=account, upper=account + 5, suppressed=np.zeros(len(account), np.bool_)),
        Kind.INTEGER,
    )
    assert len(list_identifying(exact)) == len(list_identifying(ranges)) == 1
    degrees = RangeCells.exact(np.arange(3_512_345, 3_512_375))
    assert len(list_identifying(table("lat", degrees, Kind.DECIMAL, decimals=5))) == 1
    assert not list_identifying(table("lat", degrees, Kind.DECIMAL, decimals=2))  # a village, not a house


def test_two_decimals_beside_each_other_can_be_a_place() -> None:
    rng = np.random.default_rng(1)
    north, east = rng.integers(3_500_000, 3_600_000, 50), rng.integers(13_900_000, 14_000_000, 50)
    columns = tuple(Column(name=name, kind=Kind.DECIMAL, decimals=5) for name in ("v1", "v2"))
    both = MaskedTable(schema=Schema(columns), columns={"v1": RangeCells.exact(north), "v2": RangeCells.exact(east)})
    assert {each.sign for each in list_identifying(both)} == {IdentityForm.COORDINATES.value}


def test_a_ware_called_name_is_no_person_in_a_history() -> None:
    wares = ("Milk", "Bread", "Tea", "Rice")
    rows = [(person, ware) for person in range(8) for ware in range(4)]
    cells = SetCells.exact(np.array([ware for _, ware in rows], dtype=np.int32), wares)
    of_wares = MaskedTable(
        schema=Schema((Column(name="name", kind=Kind.CATEGORY),)),
        columns={"name": cells},
        pseudonym=np.array([1 + person for person, _ in rows], dtype=np.int64),
    )
    assert list_identifying(of_wares) == ()
    alone = MaskedTable(schema=of_wares.schema, columns=of_wares.columns)
    assert [each.column for each in list_identifying(alone)] == ["name"]  # in doubt


@pytest.mark.parametrize(
    ("header", "values", "kind"),
    [
        ("商品名", ["ジョンソン綿棒", "山田うどん", "伊藤ハム"], Kind.CATEGORY),
        ("product name", ["Rose Wine", "Jack Daniels", "Earl Grey"], Kind.CATEGORY),
        ("地区名", ["山口", "石川", "福島", "長野", "中村"], Kind.CATEGORY),
        ("town", ["Florence", "Austin", "Jackson", "Lincoln", "Victoria"], Kind.CATEGORY),
        ("店名", ["中村屋本店", "田中商店"], Kind.CATEGORY),
        ("病名", ["橋本病", "川崎病", "高血圧", "糖尿病"], Kind.CATEGORY),
        ("主病名コード", [f"E{n}" for n in range(10, 90)], Kind.CATEGORY),
        ("icd10", [f"I{n}.{n % 9}" for n in range(10, 90)], Kind.CATEGORY),
        ("JANコード", [f"49{n:010d}0" for n in range(90)], Kind.CATEGORY),
        ("郵便番号", [f"1{n:02d}-00{n:02d}" for n in range(90)], Kind.CATEGORY),
        ("price", [str(1000 + 37 * n) for n in range(199)], Kind.INTEGER),
        ("年収", [str(3_000_000 + 7919 * n) for n in range(200)], Kind.INTEGER),
        ("age", [str(n) for n in range(18, 90)], Kind.INTEGER),
        ("生年月日", [f"S{n}.1.{n % 28 + 1}" for n in range(20, 60)], Kind.CATEGORY),
        ("birth date", [f"{n % 28 + 1:02d}-0{n % 9 + 1}-19{n % 60 + 30}" for n in range(190)], Kind.CATEGORY),
        ("email opt-in", ["yes", "no"], Kind.CATEGORY),
        ("電話有無", ["有", "無"], Kind.CATEGORY),
        ("phone brand", ["Apple", "Nokia", "Sony"], Kind.CATEGORY),
        ("住所", ["東京都", "大阪府", "北海道"], Kind.CATEGORY),
        ("職業コード", ["01", "02", "03"], Kind.CATEGORY),
        ("marital-status", ["Never-married", "Divorced", "Widowed"], Kind.CATEGORY),
        ("comment", ["good", "bad", "fair"], Kind.CATEGORY),
        ("order status", ["open", "sent", "paid"], Kind.CATEGORY),
    ],
)
def test_what_names_nobody(header: str, values: list[str], kind: Kind) -> None:
    assert judged(header, values, kind=kind) == ""


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("氏名", ["伊藤　翔太", "佐藤　大翔"]),
        ("Nachname", ["Wolf", "Groß"]),
        ("カナ氏名", ["イトウ ショウタ"]),
        ("担当医", ["石川剛", "山口実"]),
        ("code", ["415-555-0113", "415-555-0167", "415-555-0142"]),
        ("age_group", ["https://example.com/u/a", "https://example.com/u/b"]),
        ("memo", ["請求書は 田中 太郎 様へ", "特になし", "要確認"]),
        ("place", ["12 High Street", "7 Mill Lane", "3 Park Road"]),
        ("x", ["Sato Kenji", "Suzuki Hanako", "Tanaka Yuki"]),
        ("x", ["김서연", "이지호", "박민준", "최예은"]),
        ("訂正メモ", ["連絡先は a.b@example.jp", "なし"]),
        ("tag", ["4f:35:38:d1:fe:cd", "6c:11:6b:0d:79:b4"]),
    ],
)
def test_what_names_people(header: str, values: list[str]) -> None:
    assert judged(header, values) in ("header", "content")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("GB82WEST12345698765432", IdentityForm.ACCOUNT),  # the example of ISO 13616
        ("4111 1111 1111 1111", IdentityForm.ACCOUNT),  # the usual test card: 30 by Luhn
        ("8700110005901", IdentityForm.OFFICIAL),  # 7*2+0+0*2+1+1*2+0+0+0+5*2+9+0+1 = 37, 9 - 37 mod 9 = 8
        ("12345678Z", IdentityForm.OFFICIAL),  # 12345678 mod 23 is 14, the letter Z
        ("490154203237518", IdentityForm.DEVICE),  # the usual example of an IMEI
        ("11010519491231002X", IdentityForm.OFFICIAL),  # the example of GB 11643
        ("2001:db8:0:1:1:1:1:1", IdentityForm.NET),
        ("4900004513833", None),
    ],
)
def test_check_digits(text: str, form: IdentityForm | None) -> None:
    seen = find_form(pl.Series([text]))
    assert (None if seen is None else seen[0]) is form


def test_a_ware_of_a_history_is_a_ware_though_its_codes_look_like_numbers_of_people() -> None:
    codes = pl.Series([f"{n:07d}" for n in range(100)])
    evidence = ColumnEvidence(header="", kind=Kind.CATEGORY, values=codes, rows=900)
    assert judge_column(evidence) is not None
    declared = ColumnEvidence(header="", kind=Kind.CATEGORY, values=codes, rows=900, meaning=Meaning.ITEM)
    assert judge_column(declared) is None


def test_an_identifier_of_the_schema_never_stands_in_a_release() -> None:
    schema = Schema((Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER), Column(name="x", kind=Kind.CATEGORY)))
    assert list_identifying(MaskedTable(schema=schema, columns={"x": sets(("a", "b"), [[0], [1]])})) == ()
