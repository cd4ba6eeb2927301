"""What a file is, is found out from its cells and names; each guess has its reason, and a bad file one clear answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.data.files.settings_text import parse_settings

from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.identity.forms import IdentityForm, find_form
from sekisho.data.identity.header_words import Topic, find_topics
from sekisho.data.shape import Shape
from sekisho.errors import EncodingError, FaultsError, InputError, MissingFileError
from sekisho.gate.profiling.hints import Sign
from sekisho.gate.profiling.look import FileLook, look_at_file
from sekisho.report.pages.own_file.advice import list_advice
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.words import Language


def write(folder: Path, text: str, *, name: str = "own.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def roles_of(look: FileLook) -> dict[str, str]:
    return {guess.look.name: guess.role.value if guess.role else "left out" for guess in look.roles}


def signs_of(look: FileLook, name: str) -> set[Sign]:
    return {hint.sign for guess in look.roles if guess.look.name == name for hint in guess.hints}


def make_register(rows: int = 40) -> str:
    """Return a register of a Japanese office: an id, a name, a phone, sex, age, town, income, an illness, a remark."""
    lines = ["会員番号;氏名;電話番号;性別;年齢;市町村;所得;病名;備考"]
    for number in range(rows):
        age = "" if number == 3 else str(20 + number % 9)
        lines.append(
            f"M{number:03d};氏名{number}太郎;090-1234-{number:04d};{'男女'[number % 2]};{age};{'あいう'[number % 3]}市;"
            f"{200 + 10 * number},5;{('風邪', '', '糖尿病', '喘息')[number % 4]};"
            f"{number}番の方からのとても長い感想文がここにそのまま書かれておりますのでご覧ください"
        )
    return "\n".join(lines) + "\n"


def test_a_register_in_cp932_with_semicolons_and_decimal_commas(tmp_path: Path) -> None:
    look = look_at_file(write(tmp_path, make_register(), encoding="cp932"))
    rules = look.file.rules
    assert (look.shape, rules.separator, rules.encoding, rules.header) == (Shape.RECORDS, ";", "cp932", True)
    assert rules.decimal == ","
    assert roles_of(look) == {
        "会員番号": "identifier",
        "氏名": "left out",
        "電話番号": "left out",
        "性別": "quasi",
        "年齢": "quasi",
        "市町村": "quasi",
        "所得": "sensitive",
        "病名": "sensitive",
        "備考": "left out",
    }
    assert {Sign.NAMED, Sign.NAMES_PEOPLE} <= signs_of(look, "電話番号")
    assert {Sign.NAMED, Sign.NAMES_PEOPLE} <= signs_of(look, "備考")
    assert look.schema is not None
    columns = {each.output_name: each for each in look.schema.schema.columns}
    assert columns["所得"].kind is Kind.DECIMAL
    # an age and ten illnesses of 40 are missing: they are carried, and no row is lost
    assert (columns["年齢"].kind, columns["年齢"].missing) == (Kind.INTEGER, None)
    assert (columns["病名"].kind, columns["病名"].missing) == (Kind.CATEGORY, None)
    assert {Sign.MISSING_CARRIED} <= signs_of(look, "年齢") & signs_of(look, "病名")
    assert int(look.schema.kept.sum()) == 40


def test_a_shop_with_german_dates_and_a_byte_order_mark(tmp_path: Path) -> None:
    lines = ["Kunde;Datum;Artikel;Preis;Menge;Bon"]
    for number in range(30):
        day, item, price = 1 + number % 28, f"A{number % 4}", f"{1 + number % 5},50"
        lines.append(f"K{number % 6};{day:02d}.01.2024;{item};{price};{1 + number % 3};B{number // 2}")
    look = look_at_file(write(tmp_path, "\n".join(lines), encoding="utf-8-sig"))
    assert (look.shape, look.file.rules.date_format, look.file.rules.decimal) == (Shape.HISTORY, "%d.%m.%Y", ",")
    assert look.guess.person is not None
    assert look.guess.person.name == "Kunde"
    assert {guess.look.name: guess.means for guess in look.roles if guess.means} == {
        "Datum": Meaning.TIME,
        "Artikel": Meaning.ITEM,
        "Preis": Meaning.PRICE,
        "Menge": Meaning.QUANTITY,
    }
    assert Sign.TRANSACTION in signs_of(look, "Bon")


def test_cells_with_margins_are_a_table(tmp_path: Path) -> None:
    text = "地域,産業,事業所数\n" + "".join(
        f"{region},{trade},{count}\n"
        for region, counts in (("北", (3, 9)), ("南", (5, 7)), ("総数", (8, 16)))
        for trade, count in zip(("農業", "漁業"), counts, strict=True)
    )
    look = look_at_file(write(tmp_path, text))
    table = look.guess.table
    assert table is not None
    assert ([each.name for each in table.dims], table.counts, look.schema) == (["地域", "産業"], True, None)
    assert {hint.sign for hint in look.guess.hints} == {Sign.DISTINCT_CELLS, Sign.MARGIN}


def make_firms(rows: int = 60) -> str:
    lines = [
        f"F{number},{'NSEW'[number * 7 % 4]},{('Food', 'Care', 'Steel')[number % 3]},{100 + number**2}"
        for number in range(rows)
    ]
    return "\n".join(["firm id,region,industry,turnover", *lines])


def test_microdata_of_firms_look_like_records_unless_a_table_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, make_firms())
    assert look_at_file(path).shape is Shape.RECORDS
    table = look_at_file(path, shape=Shape.TABLE).guess.table
    assert table is not None
    assert table.is_microdata
    assert [each.name for each in table.dims] == ["region", "industry"]
    assert table.value is not None
    assert table.contributor is None  # each firm has one row, so a row is a firm
    twice = look_at_file(write(tmp_path, make_firms() + "\n" + make_firms().partition("\n")[2]), shape=Shape.TABLE)
    assert twice.guess.table is not None
    assert twice.guess.table.contributor is not None
    assert twice.guess.table.contributor.name == "firm id"
    assert table.value.name == "turnover"


def test_a_second_dimension_is_taken_though_its_name_says_nothing(tmp_path: Path) -> None:
    rows = "".join(f"{'ab'[n % 2]},{('x', 'y', 'z')[n % 3]},{n * n}\n" for n in range(30))
    table = look_at_file(write(tmp_path, f"industry,size,turnover\n{rows}"), shape=Shape.TABLE).guess.table
    assert table is not None
    assert [each.name for each in table.dims] == ["industry", "size"]


def test_sums_need_their_contributors(tmp_path: Path) -> None:
    sums = "region,industry,turnover\nN,A,1.5\nN,B,2.5\nS,A,3.5\nS,B,4.5\n"
    with pytest.raises(InputError, match="nothing says who stands behind them"):
        look_at_file(write(tmp_path, sums))
    whole = "region,industry,turnover,frequency,x1\nN,A,1.5,3,1\nN,B,2.5,4,1\nS,A,3.5,3,2\nS,B,4.5,2,3\n"
    table = look_at_file(write(tmp_path, whole)).guess.table
    assert table is not None
    assert [each.name for each in table.contributors] == ["frequency", "x1"]


def test_uniques_and_the_columns_that_make_them(tmp_path: Path) -> None:
    # without age the keys are (f,a) and (m,a), five people each: age alone makes all ten unique; sex makes none so
    rows = "\n".join(f"{'fm'[number % 2]},{30 + number},a" for number in range(10))
    look = look_at_file(write(tmp_path, f"sex,age,town\n{rows}\n"))
    assert look.uniques is not None
    assert (look.uniques.unique, look.uniques.blamed) == (10, (("age", 10),))


def test_far_out_values_are_told_by_a_rounded_limit(tmp_path: Path) -> None:
    incomes = [300 + number for number in range(200)] + [987_654_321]
    text = "age,income\n" + "".join(f"{20 + number % 50},{income}\n" for number, income in enumerate(incomes))
    look = look_at_file(write(tmp_path, text))
    (tail,) = look.columns[1].tails
    # 5 of 201 rows are 2.5 %; the quantile 0.975 lies at 300 + 195.1, so two digits of it are 490
    assert (tail.side, tail.limit, tail.rows) == ("top", "490", 11)


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["a@b.jp", "c.d@e.org"], IdentityForm.EMAIL),
        (["090-1234-5678", "03-1234-5678", "+81 90-1234-5678", "09012345678"], IdentityForm.PHONE),
        (["100-0001", "〒530-0001"], None),
        # 123456789018: 6*1+5*2+4*3+3*4+2*5+7*6+6*7+5*8+4*9+3*0+2*1 = 212 = 3 mod 11, so the check digit is 8
        (["123456789018"], IdentityForm.MY_NUMBER),
        (["123456789012"], None),
        (["2024-01-03", "2024-01-04"], None),
        (["3-4", "12"], None),
    ],
)
def test_formats_of_values(texts: list[str], form: IdentityForm | None) -> None:
    seen = find_form(pl.Series(texts))
    assert (seen[0] if seen else None) is form


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("CustomerID", Topic.PERSON),
        ("e-mail", Topic.CONTACT),
        ("顧客ＩＤ", Topic.PERSON),
        ("郵便番号", Topic.PLACE),
        ("生年月日", Topic.QUASI),
        ("marital-status", Topic.QUASI),
        ("salary_class", Topic.SENSITIVE),
        ("購入日", Topic.TIME),
        ("InvoiceNo", Topic.TRANSACTION),
    ],
)
def test_topics_of_names(name: str, topic: Topic) -> None:
    assert topic in find_topics(name)


def test_what_a_patient_is_like_is_not_the_patient(tmp_path: Path) -> None:
    rows = "".join(f"p{n},{20 + n % 30},{'fm'[n % 2]},2024-01-{1 + n % 28:02}\n" for n in range(60))
    look = look_at_file(write(tmp_path, f"patient_id,patient_age,patient_sex,visit date\n{rows}"))
    assert look.shape is Shape.RECORDS
    assert list(roles_of(look).values()) == ["identifier", "quasi", "quasi", "quasi"]


@pytest.mark.parametrize("first", ["Female Male", "35 48 52", "Tokyo Osaka"])
def test_without_names_a_sex_an_age_or_a_town_is_no_person(tmp_path: Path, first: str) -> None:
    words = first.split()
    rows = "".join(f"{words[n % len(words)]},19{50 + n % 40}-01-{1 + n % 28:02},{n % 7}\n" for n in range(80))
    look = look_at_file(write(tmp_path, rows))
    assert (look.shape, look.file.rules.header) == (Shape.RECORDS, False)


def test_a_first_line_of_values_is_no_header_and_doubts_are_told(tmp_path: Path) -> None:
    people = "".join(f"taro{n},t{n}@x.jp,{'abc'[n % 3]}\n" for n in range(12))
    assert look_at_file(write(tmp_path, people)).file.rules.header is False
    doubtful = look_at_file(write(tmp_path, "山田,東京\n佐藤,大阪\n鈴木,大阪\n"), shape=Shape.RECORDS)
    assert (doubtful.file.rules.header, doubtful.doubts_names) == (True, True)
    assert not look_at_file(write(tmp_path, make_register())).doubts_names


def test_a_first_line_is_doubted_though_one_of_its_words_could_name_a_column(tmp_path: Path) -> None:
    pets = "school,Centre,newt\n" + "".join(f"{'ab'[n % 2]},{'NSE'[n % 3]},{'cd'[n % 2]}\n" for n in range(60))
    doubtful = look_at_file(write(tmp_path, pets), shape=Shape.RECORDS)
    assert (doubtful.file.rules.header, doubtful.doubts_names) == (True, True)
    named = pets.replace("school,Centre,newt", "school,city,newt")  # two of three words name columns
    assert not look_at_file(write(tmp_path, named), shape=Shape.RECORDS).doubts_names


@pytest.mark.parametrize(
    ("texts", "doubted"),
    [
        (("called back later", "no answer", "wants a refund"), True),
        (("折り返し電話した。", "留守、再訪", "解約を希望。"), True),
        (("called back later", "no answer", "moved house"), False),  # one of three: most are not of three words
        (("never married", "married", "United States"), False),
        (("男", "女", "その他"), False),
    ],
)
def test_short_remarks_of_few_values_are_doubted_and_what_is_assumed_is_told(
    tmp_path: Path, texts: tuple[str, ...], *, doubted: bool
) -> None:
    rows = "".join(f"{20 + n % 30},{texts[n % len(texts)]},{n % 7}\n" for n in range(90))
    look = look_at_file(write(tmp_path, "age,entry,visits\n" + rows))
    assert roles_of(look) == {"age": "quasi", "entry": "quasi", "visits": "quasi"}
    assert (Sign.REMARKS in signs_of(look, "entry")) is doubted
    assert look.assumed == ("entry", "visits")  # the age is named
    advice = list_advice(look, Language.EN)
    assert any(line.startswith("entry: texts of several words") for line in advice) is doubted
    assumed = [line for line in advice if "nothing says what it is" in line]
    assert [line.split(":")[0] for line in assumed] == ["entry", "visits"]
    assert all('if that is wrong, say role = "sensitive"' in line for line in assumed)


def test_what_the_advice_says_of_remarks_is_so(tmp_path: Path) -> None:
    rows = "".join(
        f"{20 + n % 30},{('wants a refund', 'moved house', 'called back later')[n % 3]}\n" for n in range(90)
    )
    look = look_at_file(write(tmp_path, "age,entry\n" + rows))
    columns = write_schema(look, Language.EN).decode().split("[[columns]]")
    kept = "[[columns]]".join(part for part in columns if 'name = "entry"' not in part)
    schema = parse_settings(kept, SchemaFile, source="own.schema.toml")
    assert read_own(tmp_path / "own.csv", schema).data.frame.columns == ["age"]


def test_words_within_words_say_nothing() -> None:
    assert find_topics("sewage") == {}
    assert find_topics("nation") == {}


def test_dates_that_read_two_ways_are_said(tmp_path: Path) -> None:
    both = "date,sex,age\n" + "".join(f"0{1 + number % 9}/02/2024,f,{20 + number}\n" for number in range(9))
    look = look_at_file(write(tmp_path, both))
    assert look.columns[0].reading.twin == "%m/%d/%Y"
    assert "date: every date also reads as %m/%d/%Y: check it" in list_advice(look, Language.EN)
    one = both + "13/02/2024,f,30\n"
    assert look_at_file(write(tmp_path, one)).columns[0].reading.twin == ""


def test_question_marks_among_numbers_are_missing(tmp_path: Path) -> None:
    text = "age,sex\n" + "".join(f"{'?' if number == 5 else 20 + number},f\n" for number in range(20))
    look = look_at_file(write(tmp_path, text))
    assert look.schema is not None
    assert look.schema.schema.columns[0].missing_texts == ("?",)
    assert any(line.startswith("age: these are taken for missing: ?") for line in list_advice(look, Language.EN))
    assert (look.columns[0].kind, look.columns[0].missing) == (Kind.INTEGER, 1)


def test_many_missing_numbers_stay_numbers(tmp_path: Path) -> None:
    many = "size,sex\n" + "".join(f"{'' if number % 2 else number},{'fm'[number % 3 % 2]}\n" for number in range(400))
    look = look_at_file(write(tmp_path, many))
    assert Sign.MISSING_CARRIED in signs_of(look, "size")
    assert look.schema is not None
    own = read_own(tmp_path / "own.csv", look.schema.schema)
    assert (own.data.schema["size"].kind, len(own.data)) == (Kind.INTEGER, 400)


def test_rows_of_a_history_without_a_person_or_a_time_are_dropped_and_another_date_is_kept(tmp_path: Path) -> None:
    rows = "".join(
        f"{'' if n == 7 else f'c{n % 9}'},{'' if n == 5 else f'2024-01-{1 + n % 28:02}'},{'' if n % 2 else '2024-05-01'},"
        f"{'abcd'[n % 4]}\n"
        for n in range(90)
    )
    look = look_at_file(write(tmp_path, f"customer,order date,returned,product\n{rows}"))
    assert look.schema is not None
    columns = {each.output_name: each for each in look.schema.schema.columns}
    assert (columns["customer"].missing, columns["order date"].missing) == (Missing.DROP, Missing.DROP)
    assert (columns["returned"].kind, columns["returned"].missing) == (Kind.DATE, None)
    assert len(read_own(tmp_path / "own.csv", look.schema.schema).data) == int(look.schema.kept.sum()) == 88


@pytest.mark.parametrize(
    ("content", "error", "match"),
    [
        (b"", InputError, "is empty"),
        (b"a,b\n", InputError, "has no rows"),
        (b"a\n1\n2\n", InputError, "has one column only"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", EncodingError, "NUL byte"),
        (b"a,b\nx,1\nx,1\nx,1\n", InputError, "has one value in every column"),
        (b"a,b\n1,2\n3\n", FaultsError, "the line has 1 cell"),
        (b"id,email\n" + b"".join(b"p%d,p%d@x.jp\n" % (n, n) for n in range(20)), InputError, "nothing to release"),
    ],
)
def test_a_bad_file_has_one_clear_answer(tmp_path: Path, content: bytes, error: type[Exception], match: str) -> None:
    path = tmp_path / "own.csv"
    path.write_bytes(content)
    with pytest.raises(error, match=match):
        look_at_file(path)


def test_a_missing_file_and_shapes_that_a_file_cannot_have(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="no such file"):
        look_at_file(tmp_path / "none.csv")
    path = write(tmp_path, "a,b\n" + "".join(f"{n}.5,{n}.25\n" for n in range(9)))
    with pytest.raises(InputError, match="is no history"):
        look_at_file(path, shape=Shape.HISTORY)
    with pytest.raises(InputError, match="is no table"):
        look_at_file(path, shape=Shape.TABLE)
    with pytest.raises(InputError, match="has no header"):
        look_at_file(write(tmp_path, "N,A,3\nN,B,5\nS,A,4\nS,B,9\n"), shape=Shape.TABLE)


def test_real_files(shared: Callable[[str], Path]) -> None:
    adult = look_at_file(shared("adult/adult.csv"))
    assert (adult.shape, adult.file.rules.separator) == (Shape.RECORDS, ";")
    assert adult.list_role(Role.SENSITIVE) == ("salary-class",)
    assert len(adult.list_role(Role.QUASI)) == 8
    assert adult.uniques is not None
    keys = pl.read_csv(shared("adult/adult.csv"), separator=";").select(adult.list_role(Role.QUASI))
    assert adult.uniques.unique == int(keys.is_unique().sum())
    health = look_at_file(shared("health/B00.csv"))
    assert (health.shape, health.file.rules.header) == (Shape.RECORDS, False)
    assert health.list_role(Role.SENSITIVE) == ("column_12",)
    purchases = look_at_file(shared("pwscup2018/T_round1.csv"))
    assert purchases.shape is Shape.HISTORY
    assert [each.means for each in purchases.roles] == [
        None,
        Meaning.TIME,
        Meaning.ITEM,
        Meaning.PRICE,
        Meaning.QUANTITY,
    ]
    assert look_at_file(shared("tables/t20x20x20.csv")).shape is Shape.TABLE


def test_a_purchase_log_of_a_shop_by_other_names(shared: Callable[[str], Path], tmp_path: Path) -> None:
    retail = pl.read_parquet(shared("retail/online-retail.parquet")).head(20_000)
    log = retail.select(
        pl.col("CustomerID").alias("member"),
        pl.col("InvoiceDate").dt.strftime("%Y-%m-%d").alias("bought on"),
        pl.col("StockCode").alias("product"),
        pl.col("UnitPrice").alias("unit price"),
        pl.col("Quantity").alias("qty"),
        pl.col("InvoiceNo").alias("receipt"),
        pl.col("Description").alias("what it is"),
    )
    log.write_csv(tmp_path / "log.csv")
    log.write_parquet(tmp_path / "log.parquet")
    for name in ("log.csv", "log.parquet"):
        look = look_at_file(tmp_path / name)
        assert look.schema is not None
        assert [each.output_name for each in look.schema.schema.columns] == [
            *("member", "bought on", "product", "unit price", "qty"),
        ]
        assert {each.means for each in look.schema.schema.columns} == {None, *Meaning}
        # rows that belong to nobody are dropped
        own = read_own(tmp_path / name, look.schema.schema)
        assert len(own.data) == log["member"].count()


def test_numbers_of_households_say_who_lives_together(tmp_path: Path) -> None:
    for name in ("世帯番号", "household_id", "hh_id", "HHID", "世帯ID", "home_id", "家族番号"):
        rows = [f"{number // 2},{20 + number % 7},{'mf'[number % 2]}" for number in range(40)]
        look = look_at_file(write(tmp_path, "\n".join([f"{name},age,sex", *rows]) + "\n"))
        assert (look.shape, roles_of(look)[name]) == (Shape.RECORDS, "household"), name
        assert Sign.NAMED in signs_of(look, name)
    # How many live together is no number of theirs.
    rows = [f"{1 + number % 4},{20 + number % 7}" for number in range(40)]
    look = look_at_file(write(tmp_path, "\n".join(["世帯人数,age", *rows]) + "\n"))
    assert roles_of(look)["世帯人数"] == "quasi"
