"""``sekisho risk`` counts what the columns tell, names everything that is wrong, and shows no identifier."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

# f 30 twice (ill, well), m 40 twice (well both), m 41 alone
PEOPLE = """id,sex,age,health,pay,w
p1,f,30,ill,1,10
p2,f,30,well,2,10
p3,m,40,well,3,5
p4,m,40,well,4,5
p5,m,41,ill,9,20
"""
KEYS = "age,education,marital-status,occupation,race,sex,native-country,workclass"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


Ask = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def ask(people: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def run(*words: str, file: Path | None = None) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        status = status_of(["risk", str(file or people), *words, "--json"])
        return status, json.loads(capsys.readouterr().out)

    return run


def test_a_small_file_by_hand(ask: Ask) -> None:
    status, answer = ask("--keys", "sex,age", "--sensitive", "health,pay")
    assert status == 0
    assert (answer["k"], answer["classes"], answer["uniques"], answer["l"]) == (1, 3, 1, 1)
    assert answer["sizes"] == [{"size": 1, "rows": 1, "classes": 1}, {"size": 2, "rows": 4, "classes": 2}]
    health, pay = answer["sensitive"]
    # health: 2/5 ill; m 41 all ill: 3/5 away. pay: 1, 2, 3, 4, 9, one each; m 41 has the last: cumulated differences
    # 1/5 + 2/5 + 3/5 + 4/5 = 2, over 4 steps: 1/2
    assert (health["t"], health["distance"]) == (pytest.approx(0.6), "equal")
    assert (pay["t"], pay["distance"], pay["distinct"]) == (pytest.approx(0.5), "ordered", 1)
    assert answer["t"] == pytest.approx(0.6)
    assert answer["reidentification"]["prosecutor"] == pytest.approx({"at_risk": 1.0, "highest": 1.0, "average": 0.6})
    assert "suda" not in answer
    assert "population" not in answer


def test_the_census_records_that_everybody_uses(ask: Ask, shared: Callable[[str], Path]) -> None:
    status, answer = ask("--keys", KEYS, file=shared("adult/adult.csv"))
    assert (status, answer["k"], answer["classes"], answer["uniques"]) == (0, 1, 18_109, 14_021)


def test_a_wanted_guarantee_that_is_not_kept_is_a_no(ask: Ask) -> None:
    assert ask("--keys", "sex", "--k", "2")[0] == 0
    status, answer = ask("--keys", "sex", "--sensitive", "health", "--k", "3", "--l", "2", "--t", "0.1")
    assert (status, answer["kept"]) == (1, {"k": False, "l": True, "t": True})  # women: 1/2 ill against 2/5
    # l = 1 for men if they are taken alone by age
    assert ask("--keys", "age", "--sensitive", "health", "--l", "2")[1]["kept"] == {"l": False}
    assert ask("--keys", "sex", "--l", "2")[0] == 2


def test_weights_and_populations_give_estimates(ask: Ask, tmp_path: Path) -> None:
    _, answer = ask("--keys", "sex,age", "--weights", "w")
    assert answer["population"]["people"] == 50
    assert answer["individual"]["highest"] == pytest.approx(0.15767, abs=1e-5)  # (1/19) ln 20
    assert [each["estimator"] for each in answer["population"]["estimates"]] == ["zayatz", "pitman", "poisson-gamma"]
    assert all(each["assumes"] for each in answer["population"]["estimates"])
    assert ask("--keys", "sex", "--population", "0.1")[1]["population"]["people"] == 50
    assert ask("--keys", "sex", "--population", "1/10")[1]["population"]["people"] == 50
    assert ask("--keys", "sex", "--population", "500")[1]["population"]["fraction"] == 0.01
    register = tmp_path / "register.csv"
    register.write_text("sex,age\n" + "f,30\n" * 4 + "m,40\n" * 3 + "m,41\nm,42\n")
    _, answer = ask("--keys", "sex,age", "--population", str(register))
    assert (answer["k_map"], answer["presence"]) == (1, {"low": 0.0, "high": 1.0})
    assert answer["population"]["people"] == 9
    status, answer = ask("--keys", "sex,health", "--population", str(register))
    assert (status, answer["errors"][0]["column"]) == (2, "health")


def test_special_uniques_are_told_by_row_and_value(ask: Ask) -> None:
    _, answer = ask("--keys", "sex,age", "--suda", "--id", "id")
    assert answer["sets"] == [
        {"keys": ["sex"], "uniques": 0},
        {"keys": ["age"], "uniques": 1},
        {"keys": ["sex", "age"], "uniques": 1},
    ]
    assert answer["stand_out"] == [{"row": 5, "score": 1.0, "minimal_uniques": 1, "because": {"age": "41"}}]
    assert answer["suda"]["contributions"] == {"sex": 0.0, "age": 1.0}
    assert answer["suda"]["dis_fraction_assumed"] is True
    assert ask("--keys", "sex,age", "--suda", "--sets", "1")[1]["suda"]["largest_set"] == 1
    assert ask("--keys", "sex,age", "--sets", "1")[0] == 2


def test_missing_cells_have_a_stated_meaning(ask: Ask, tmp_path: Path) -> None:
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("sex,age\nf,30\nf,\nm,40\nm,?\n")
    _, apart = ask("--keys", "sex,age", file=gaps)
    assert (apart["k"], apart["uniques"], apart["missing"]) == (1, 4, {"sex": 0, "age": 1})
    _, both = ask("--keys", "sex,age", "--missing", "?", "--missing-matches", file=gaps)
    assert (both["k"], both["uniques"], both["missing"]) == (2, 0, {"sex": 0, "age": 2})
    assert both["sizes"] == [{"size": 2, "rows": 4, "classes": None}]
    _, dropped = ask("--keys", "sex,age", "--missing", "drop", "--suda", file=gaps)
    assert dropped["rows"] == 3
    assert sorted(each["row"] for each in dropped["stand_out"]) == [1, 3, 4]  # as the file counts them
    status, answer = ask("--keys", "sex,age", "--missing", "refuse", file=gaps)
    assert (status, answer["errors"][0]["row"], answer["errors"][0]["column"]) == (2, 2, "age")
    status, answer = ask("--keys", "sex", "--sensitive", "age", "--missing-matches", file=gaps)
    assert (status, "beside sensitive columns" in answer["error"]) == (2, True)


def test_a_schema_says_keys_sensitive_columns_and_names(ask: Ask, tmp_path: Path) -> None:
    schema = tmp_path / "people.toml"
    schema.write_text(
        'shape = "records"\n[[columns]]\nname = "id"\nrole = "identifier"\n[[columns]]\nname = "gender"\nsource = "sex"\n'
        '[[columns]]\nname = "age"\nkind = "integer"\n[[columns]]\nname = "health"\nrole = "sensitive"\n'
        '[[columns]]\nname = "w"\nrole = "other"\n'
    )
    _, answer = ask("--schema", str(schema), "--weights", "w")
    assert (answer["keys"], answer["classes"], answer["sensitive"][0]["column"]) == (["gender", "age"], 3, "health")
    status, answer = ask("--schema", str(schema), "--keys", "gender,id")
    assert (status, "'id' is the identifier" in answer["error"]) == (2, True)
    status, answer = ask("--schema", str(schema), "--missing", "drop")
    assert (status, "--missing must not be given beside --schema" in answer["error"]) == (2, True)
    assert ask("--schema", "pwscup2021")[0] == 2


def test_a_tree_measures_the_sensitive_values(ask: Ask, tmp_path: Path) -> None:
    tree = tmp_path / "pay.csv"
    tree.write_text("1;low;all\n2;low;all\n3;low;all\n4;high;all\n9;high;all\n")
    _, answer = ask("--keys", "sex", "--sensitive", "pay", "--tree", f"pay={tree}")
    assert answer["sensitive"][0]["distance"] == "hierarchical"
    for wrong in (str(tree), f"age={tree}", f"pay={tmp_path / 'no.csv'}"):
        assert ask("--keys", "sex", "--sensitive", "pay", "--tree", wrong)[0] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--keys", "sx,age,twn"), "there is no column 'sx'; there are id, sex, age, health, pay, w; file, twn:"),
        ((), "no key is named"),
        (("--keys", "sex,health", "--sensitive", "health"), "'health' is sensitive and cannot be a key as well"),
        (("--keys", "sex", "--weights", "health"), "row 1, health: the weight 'ill' is no positive number"),
        (("--keys", "sex", "--population", "nowhere.csv"), "population must be a number of people"),
        (("--keys", "sex", "--population", "-3"), "population must be whole, or a sampling fraction"),
        (("--keys", "sex", "--population", "1.5"), "population must be whole, or a sampling fraction"),
        (("--keys", "sex", "--population", "3"), "population must be at least the 5 records of the sample"),
        (("--keys", "sex", "--sensitive", "health", "--distance", "ordered"), "distance must be equal for health"),
        (("--keys", "sex", "--encoding", "a\x00b"), "encoding must be known, such as utf-8 or cp932"),
        (("--keys", "sex,age", "--suda", "--sets", "3"), "largest set must have 1 to 2 keys"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(ask: Ask, words: tuple[str, ...], said: str) -> None:
    status, answer = ask(*words)
    assert status == 2
    assert said in answer["error"]


def test_odd_keys_are_warned_of(tmp_path: Path, ask: Ask) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text("nr,land,gone,sex\n" + "".join(f"{row},jp,,{'fm'[row % 2]}\n" for row in range(40)))
    status, answer = ask("--keys", "nr,land,gone,sex", file=odd)
    assert status == 0
    assert [sentence.split(" ")[1] for sentence in answer["warnings"]] == ["nr", "land", "gone"]
    assert "looks like an identifier" in answer["warnings"][0]
    assert "one value only" in answer["warnings"][1]
    assert "missing in every record" in answer["warnings"][2]


def test_the_page_has_both_languages_and_no_identifier(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "risk.html"
    words = ["risk", str(people), "--keys", "sex,age", "--sensitive", "health", "--id", "id", "--report", str(page)]
    assert status_of(words) == 0
    told = capsys.readouterr().out
    assert "1 of 5 records (20%) stands alone" in told
    html = page.read_text()
    assert "age = 41" in html
    assert "一意なレコード" in html
    assert html.count("<svg") == 6  # three pictures, each in two languages
    assert html.count("1 set of columns singles out a record") == 1  # one set has nothing to compare: told in words
    for name in ("p1", "p2", "p3", "p4", "p5"):
        assert f">{name}<" not in html
        assert name not in told
    assert status_of([*words[:-1], str(people)]) == 2  # never over the input


def test_a_page_without_anybody_special(people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "risk.html"
    assert status_of(["risk", str(people), "--keys", "sex", "--report", str(page)]) == 0
    assert "Nobody stands alone" in capsys.readouterr().out
    assert "keep it inside" not in page.read_text()


def test_households_count_beside_persons(ask: Ask, tmp_path: Path) -> None:
    """The couple 1 is class m 40 to itself: found for sure, where the product says 3/4; 2 and 3 are alike."""
    homes = tmp_path / "homes.csv"
    homes.write_text("home,sex,age\n1,m,40\n1,m,40\n2,f,30\n2,m,20\n3,f,30\n3,m,20\n")
    status, answer = ask("--keys", "sex,age", "--household", "home", "--k", "2", file=homes)
    household = answer["household"]
    assert (status, answer["k"], answer["kept"]) == (1, 2, {"k": True, "household": False})
    told = (household["k"], household["found"], household["best_claim"], household["independent"])
    assert (*told, household["patterns"]) == (1, 1.0, 1.0, 0.75, 2)
    assert len(answer["warnings"]) == 1
    assert ask("--keys", "home", "--household", "home", file=homes)[0] == 2
    assert ask("--keys", "sex", "--household", "home", "--engine", "polars", file=homes)[0] == 2
