"""The planning commands answer as promised, literally."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of


def answer(capsys: pytest.CaptureFixture[str], line: str, status: int = 0) -> dict[str, Any]:
    assert status_of([*line.split(), "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_the_risk_of_a_sample_and_the_sample_for_a_risk(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "plan sampling --records 1000 --known 100 --sample 500")
    assert round(found["risk"], 6) == 0.199601
    assert found["risk_exact"] == "100/501"
    assert answer(capsys, "plan sampling --records 1000 --known 100 --risk 0.2")["sample"] == 501


def test_a_plan_of_a_sample_says_what_its_risk_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "plan sampling --records 1000 --known 100 --risk 0.2")
    assert found["guaranteed"] is False
    assert found["promise"] == f"promised only if {found['assumes']}"
    assert "follow the distribution of the known ones" in found["assumes"]
    none = answer(capsys, "plan sampling --records 1000 --known 100 --sample 5 --scheme bernoulli", status=1)
    assert (none["guaranteed"], none["promise"].startswith("nothing is promised")) == (False, True)


def test_the_k_of_the_worked_case(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "plan pram --records 4 --domains 2 --retention 0.5 --sample 2")
    assert found["k"] == pytest.approx(16 / 9)
    assert found["k_exact"] == "16/9"
    assert (found["retention"], found["sample"]) == (0.5, 2)


def test_a_wanted_k_gives_the_frontier_and_its_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "plan.html"
    found = answer(capsys, f"plan pram --records 30000 --domains sex=2,race=5 --k 5 --out {out}")
    assert found["k"] >= 5
    assert all(point["k"] >= 5 for point in found["frontier"])
    assert set(found["errors"]) == {"sex", "race"}
    assert out.read_text().count("<svg") == 4
    fixed = answer(capsys, "plan pram --records 30000 --domains sex=2,race=5 --k 5 --sample 1000")
    assert fixed["sample"] == 1000
    largest = answer(capsys, "plan pram --records 30000 --domains sex=2,race=5 --k 5 --retention 1/2")
    assert (largest["retention"], largest["k"] >= 5) == (0.5, True)
    alone = answer(capsys, "plan pram --records 10 --domains 2 --retention 0.5")
    assert (alone["sample"], alone["k"]) == (10, 2.0)


def test_words_without_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["plan", "pram", "--records", "30000", "--domains", "sex=2", "--k", "5"]) == 0
    assert "nobody is found with a chance above" in capsys.readouterr().out
    assert status_of(["plan", "sampling", "--records", "1000", "--known", "100", "--sample", "500"]) == 0
    assert "0.199601 (100/501)" in capsys.readouterr().out


def test_strata_come_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "strata.csv"
    path.write_text("stratum,records,known\nnorth,600,50\nsouth,400,20\n")
    risk = answer(capsys, f"plan sampling --strata {path} --risk 1/4")
    # 600 + 1 - 200 and 400 + 1 - 80.
    assert risk["strata"] == {"north": 401, "south": 321}
    assert answer(capsys, f"plan sampling --strata {path} --sample 100")["risk_exact"] == "50/541"
    found = answer(capsys, f"plan pram --strata {path} --domains 3 --k 5 --sample 100")
    assert (found["records"], found["k"] >= 5) == (1000, True)
    path.write_text("stratum,records\nnorth,six\nsouth,0\n")
    assert status_of(["plan", "pram", "--strata", str(path), "--domains", "3", "--k", "5"]) == 2
    said = capsys.readouterr().err
    assert "row 1" in said
    assert "row 2, records: records of stratum south must lie between 1 and" in said
    path.write_text("name,records\nnorth,600\n")
    assert status_of(["plan", "pram", "--strata", str(path), "--domains", "3", "--k", "5"]) == 2


def test_samples_of_a_file_of_strata_are_the_design(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "strata.csv"
    path.write_text("stratum,records,sample\na,60,2\nb,40,38\n")
    pram = f"plan pram --strata {path} --domains 2,3"
    # 1 + (40 - 38)/12 + 37/144, see the test of the frontier
    found = answer(capsys, f"{pram} --retention 0.5")
    assert (found["k_exact"], found["sample"]) == ("205/144", 40)
    assert answer(capsys, f"{pram} --retention 0.5 --sample 40")["k_exact"] == "205/144"
    assert answer(capsys, f"{pram} --k 2")["sample"] == 40
    wrong = [
        f"{pram} --retention 0.5 --sample 41",
        f"{pram} --retention 0.5 --sample 0",
        f"{pram} --retention 0.5 --k 2",
        f"plan sampling --strata {path} --sample 41",
        f"plan sampling --strata {path} --risk 0.5",
        f"plan sampling --strata {path} --records 100",
    ]
    for line in wrong:
        assert status_of(line.split()) == 2, line
    path.write_text("stratum,records,known\na,60,5\nb,40,5\n")
    assert status_of(["plan", "sampling", "--strata", str(path)]) == 2


def test_strata_that_make_no_sense_are_named_by_row_and_column(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "strata.csv"
    path.write_text("stratum,records,sample,known\na,60,61,0\nb,40,,0\nc,1_0,3,0\na,60,1,70\nd,9,0,1\n")
    assert status_of(["plan", "pram", "--strata", str(path), "--domains", "3", "--k", "5", "--json"]) == 2
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert [(error["row"], error["column"]) for error in errors] == [
        (1, "sample"),
        (2, "sample"),
        (3, "records"),
        (4, "stratum"),
        (4, "known"),
    ]


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("plan sampling --records 10 --known 6 --sample 6", 1, "nothing is promised: no unknown record is left"),
        ("plan sampling --records 100 --known 6 --sample 6 --scheme bernoulli", 1, "the sample's size is not fixed"),
        ("plan sampling --records 10 --known 6 --risk 0.1", 1, "no sample keeps the risk"),
        ("plan sampling --records 10 --known 6", 2, "risk must be given, or --sample"),
        ("plan sampling --records 10 --sample 6", 2, "known must be given, or --strata"),
        ("plan sampling --records 10 --known 1 --sample 11", 2, "sample must lie between"),
        (
            "plan sampling --records 10 --known 1 --sample 2 --risk 0.5",
            2,
            "risk must not be given together with --sample",
        ),
        ("plan pram --records 10 --domains 2", 2, "k must be given, or --retention"),
        ("plan pram --domains 2 --k 2", 2, "records must be given, or --strata"),
        ("plan pram --records 10 --domains two --k 2", 2, "domains must be whole numbers"),
        ("plan pram --records 10 --domains 0 --k 2", 2, "domains must lie between 1 and 1,000,000 each"),
        ("plan pram --records 10 --domains , --k 2", 2, "domains must name at least one attribute, or --matrix"),
        ("plan pram --records 10 --domains 2 --k 11", 1, "nobody can hide among 11"),
        ("plan pram --records 10 --domains 2 --k x", 2, "k must be a fraction"),
        ("plan pram --records 10 --domains 2 --retention 1", 1, "no guarantee"),
        (
            "plan pram --records 10 --domains 2 --k 2 --retention 0.1 --sample 3",
            2,
            "retention must not be given together",
        ),
        (
            "plan pram --records 10 --domains 2 --retention 0.1 --out x.html",
            2,
            "out must be asked for together with --k",
        ),
    ],
)
def test_a_no_and_a_mistake_are_told_apart(
    capsys: pytest.CaptureFixture[str], line: str, status: int, words: str
) -> None:
    assert status_of(line.split()) == status
    said = capsys.readouterr()
    assert words in said.out + said.err


def test_more_records_or_values_than_can_be_counted_with_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    most = "99999999999999999999"
    for line, named in (
        (f"plan pram --records {most} --domains 2 --k 5", "records must lie between"),
        (f"plan pram --records 9 --domains {most} --k 5", "domains must lie between"),
        (f"plan pram --records 9 --domains 2,{'9' * 5000} --k 5", "domains must be whole numbers"),
        ("plan pram --records 9 --domains 2 --k 1e999999999", "k must be a fraction"),
    ):
        assert status_of(line.split()) == 2
        assert named in capsys.readouterr().err


def test_mixtures_of_raw_people_and_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "r.html"
    call = ["plan", "survival", "--people", "1000", "--raw", "0-1,6", "--k", "2,7", "--report", str(report), "--json"]
    assert status_of(call) == 0
    answer = json.loads(capsys.readouterr().out)
    by_place = {(each["k"], each["raw"]): each for each in answer["mixtures"]}
    assert len(by_place) == 6
    assert by_place[2, 0]["union"]["chance"] == 299 / 4096
    # Six raw and one of seven: 1/7; survived 13 times with (6/7)^13.
    assert by_place[7, 6]["exact"]["survival"] == pytest.approx((6 / 7) ** 13)
    assert (by_place[7, 0]["claim"], by_place[7, 1]["claim"]) == ("holds", "refuted")
    assert answer["frontier"] == {"union": {"2": None, "7": 1}, "exact": {"2": None, "7": 1}}
    assert "無加工" in report.read_text()


@pytest.mark.parametrize("raw", ["3-1", "a", "0-999999", ""])
def test_numbers_that_are_none_are_refused(raw: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["plan", "survival", "--raw", raw]) == 2
    assert "raw must" in capsys.readouterr().err


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "M.csv"
    path.write_text("sex,f,m\nf,3/4,1/4\nm,1/4,3/4\n")
    return path


def test_matrices_of_ones_own_are_planned_with(
    capsys: pytest.CaptureFixture[str], matrix: Path, tmp_path: Path
) -> None:
    # the matrix is retention 1/2 of two values: 16/9 as in the worked case
    own = f"plan pram --records 4 --matrix sex={matrix}"
    found = answer(capsys, f"{own} --sample 2")
    assert (found["k_exact"], found["retention"], found["domains"]) == ("16/9", None, {"sex": 2})
    assert answer(capsys, f"{own} --k 16/9")["sample"] == 2
    both = answer(capsys, f"{own} --domains town=3 --retention 1/2 --sample 2")
    same = answer(capsys, "plan pram --records 4 --domains sex=2,town=3 --retention 1/2 --sample 2")
    assert both["k_exact"] == same["k_exact"]
    page = tmp_path / "plan.html"
    answer(capsys, f"{own} --k 16/9 --out {page}")
    assert "with the given matrices" in page.read_text()
    assert status_of(f"{own} --k 16/9".split()) == 0
    assert "with these matrices and 2 of 4 records" in capsys.readouterr().out


def test_single_coins_gain_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = "plan pram --records 10 --domains 2 --retention 1/2 --sample 4"
    found, fixed = answer(capsys, f"{line} --scheme bernoulli"), answer(capsys, line)
    # 1 + 9/9, and 1 + 6/3 + 3/9
    assert (found["k_exact"], fixed["k_exact"]) == ("2", "10/3")
    assert found["scheme"] == "bernoulli"
    assert "sampling promises nothing" in found["gap"]
    assert fixed["gap"] is None
    page = tmp_path / "plan.html"
    answer(capsys, f"plan pram --records 100 --domains 2 --k 2 --scheme bernoulli --out {page}")
    assert "k is that of PRAM alone" in page.read_text()
    assert status_of([*line.split(), "--scheme", "bernoulli"]) == 0
    assert "sampling adds nothing to it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("--matrix sex={} --retention 1/2", "retention must not be given where every attribute has a matrix"),
        (
            "--matrix sex={} --domains sex=2 --retention 1/2",
            "matrix must be of attributes that are not among --domains",
        ),
        ("--matrix {} --sample 2", "matrix must be name=FILE.csv"),
        ("--matrix a={0} --matrix a={0} --sample 2", "matrix must be name=FILE.csv, each name once"),
        ("--matrix a=nowhere.csv --sample 2", "nowhere.csv"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(
    capsys: pytest.CaptureFixture[str], matrix: Path, more: str, words: str
) -> None:
    assert status_of(["plan", "pram", "--records", "4", *more.format(matrix).split()]) == 2
    assert words in capsys.readouterr().err


def test_a_plan_of_hardly_any_use_goes_to_a_person_and_names_the_identifier(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "plan.html"
    line = f"plan pram --records 1000 --domains number=1000,sex=2 --k 5 --sample 1000 --out {page}"
    found = answer(capsys, line, status=3)
    assert found["retention"] < 0.05
    assert (found["useful"], found["noisy"], found["identifying"]) == (False, ["number", "sex"], ["number"])
    assert "Of hardly any use" in page.read_text()
    assert "number は個人を名指しする列です：ほぼすべての値が異なります" in page.read_text()
    assert status_of(line.split()) == 3
    assert "number names people: almost every value is distinct" in capsys.readouterr().out
    good = answer(capsys, "plan pram --records 1000 --domains sex=2 --k 5")
    assert (good["useful"], good["warnings"]) == (True, [])


def test_epsilon_stands_beside_k(capsys: pytest.CaptureFixture[str]) -> None:
    # 1 + (1/2) 2/(1/2) = 3 for one column of two values; half of four drawn: 1 + (1/2)(3 - 1) = 2.
    found = answer(capsys, "plan pram --records 4 --domains 2 --retention 0.5 --sample 2")
    assert (found["epsilon_exact"], found["delta"]) == ("2", 0.0)
    assert found["epsilon"] == pytest.approx(0.6931471805599453)
    assert found["epsilon_per_column"] == {"attribute 1": pytest.approx(1.0986122886681098)}
    assert found["given"] == ["how many records there are, and which values each column can have"]
    coins = answer(capsys, "plan pram --records 4 --domains 2 --retention 0.5 --sample 2 --scheme bernoulli")
    assert coins["epsilon_exact"] == "3"
    alone = answer(capsys, "plan sampling --records 1000 --known 100 --sample 500")
    assert (alone["epsilon"], alone["delta"]) == ("infinite", 0.5)
    for line in ("plan pram --records 4 --domains 2 --retention 0.5", "plan sampling --records 9 --known 2 --sample 3"):
        refused = answer(capsys, f"{line} --scheme replacement", status=2)
        assert "worse than no sampling" in refused["error"]
