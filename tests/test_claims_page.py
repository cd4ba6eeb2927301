"""Every claim of the sources has a standing, a command and a comparison; what the page says is executed and compared."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from claims import BLOCK, PAGE, Check, ClaimsPage, Ran, Row, Workshop, compare, find_missing, find_test
from sekisho.cli.door import VERBS

ROOT = Path(__file__).parents[1]
TEXT = PAGE.read_text(encoding="utf-8")
CLAIMS = ClaimsPage.read(TEXT)
STANDINGS = ("holds", "refuted", "not reproduced", "open", "done")
QUICK = [check for check in CLAIMS.checks if not check.slow and check.kind != "pytest"]


def name_check(check: Check) -> str:
    return f"{check.claim} {check.says or check.get or check.prints or check.run}"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop.open(tmp_path_factory.mktemp("claims"))


@pytest.mark.parametrize("name", CLAIMS.rows)
def test_each_claim_has_a_standing_something_that_shows_it_and_a_comparison(name: str) -> None:
    row = CLAIMS.rows[name]
    assert row.claim
    assert row.standing.startswith(STANDINGS)
    assert row.shown
    assert any(check.claim == name for check in CLAIMS.checks)


@pytest.mark.parametrize("check", QUICK, ids=name_check)
def test_what_the_page_says_is_so(check: Check, workshop: Workshop) -> None:
    missing = find_missing(check)
    if missing:
        pytest.skip(f"needs the real data {', '.join(missing)} (in $SEKISHO_DATA, or in ../shared/data)")
    workshop.verify(check, CLAIMS.rows[check.claim])


@pytest.mark.parametrize("check", [check for check in CLAIMS.checks if check.kind == "pytest"], ids=name_check)
def test_the_tests_that_the_page_names_are_in_the_suite(check: Check) -> None:
    assert find_test(check), check.run


@pytest.mark.parametrize("check", [check for check in CLAIMS.checks if check.says], ids=name_check)
def test_slow_checks_too_say_what_the_page_says(check: Check) -> None:
    assert check.says in CLAIMS.rows[check.claim].standing


def test_no_figure_of_a_standing_goes_uncompared() -> None:
    assert CLAIMS.find_uncompared() == []


def test_every_row_of_the_tables_is_read() -> None:
    prose = BLOCK.sub("", TEXT)
    rows = [line for line in prose.splitlines() if line.startswith("|") and not line.startswith(("| | claim", "|---"))]
    assert len(rows) == len(CLAIMS.rows)
    assert len({check.claim for check in CLAIMS.checks}) == len(CLAIMS.rows)


def test_commands_campaigns_tests_and_pages_exist() -> None:
    for verb in re.findall(r"`sekisho ([a-z-]+)", TEXT):
        assert verb in VERBS
    for path in re.findall(r"`(?:python )?((?:verify|examples)/[\w/]+\.py)", TEXT) + re.findall(
        r"`pytest ([\w/]+\.py)", TEXT
    ):
        assert (ROOT / path).is_file(), path
    for path in re.findall(r"\]\(([\w/.-]+\.md)\)", TEXT):
        assert (ROOT / "docs" / path).is_file(), path


def test_a_command_that_a_row_shows_is_run_by_one_of_its_checks() -> None:
    """A bare ``sekisho claim`` names a verb; what has a file or an option is a command."""
    for name, row in CLAIMS.rows.items():
        own = [check for check in CLAIMS.checks if check.claim == name]
        ran = {command for check in own for command in (check.run, *check.first)}
        shown = [
            text for text in re.findall(r"`((?:sekisho|python) [^`]+)`", row.shown) if re.search(r" --|\.| \d", text)
        ]
        assert [text for text in shown if text not in ran] == [], name


def test_all_five_sources_are_there() -> None:
    assert len(re.findall(r"^## ", TEXT, flags=re.MULTILINE)) == 5


ROW = Row(claim="a source", standing="holds: 0.37 of 1,000, or 1/3", shown="a command")
CHECK = Check(claim="X1", run="sekisho threshold 24", get="threshold")


@pytest.mark.parametrize(
    ("says", "value"), [("0.37", 0.3733), ("1,000", 1000), ("1/3", 1 / 3), ("1/3", "1/3"), ("0.37", "0.3650001")]
)
def test_a_figure_stands_for_the_digits_that_are_printed(says: str, value: object) -> None:
    compare(replace(CHECK, says=says), value)


@pytest.mark.parametrize(("says", "value"), [("0.37", 0.3751), ("1,000", 1001), ("1/3", 0.3333), ("0.37", "0.3649")])
def test_another_figure_is_caught(says: str, value: object) -> None:
    with pytest.raises(AssertionError, match="X1: the page says"):
        compare(replace(CHECK, says=says), value)


def test_a_statement_that_is_not_so_is_caught(workshop: Workshop) -> None:
    with pytest.raises(AssertionError, match="the page does not say 18"):
        workshop.verify(replace(CHECK, says="18"), ROW)
    with pytest.raises(AssertionError, match=r"the page says 0\.37, it is 18"):
        workshop.verify(replace(CHECK, says="0.37"), ROW)
    with pytest.raises(AssertionError, match="ended with 0"):
        workshop.verify(replace(CHECK, status=1), ROW)
    with pytest.raises(AssertionError, match="is 18, not 17"):
        workshop.verify(replace(CHECK, equals=17), ROW)
    with pytest.raises(AssertionError, match="below 19"):
        workshop.verify(replace(CHECK, least=19), ROW)
    workshop.done["python x.py"] = Ran(status=0, text="r +0.654 significant")
    script = replace(CHECK, run="python x.py", get="", prints=r"r (\S+) signif")
    workshop.verify(replace(script, says="0.65"), replace(ROW, standing="holds: 0.65"))
    with pytest.raises(AssertionError, match="nothing printed matches"):
        workshop.verify(replace(script, prints="s (.)"), ROW)


def test_an_uncompared_figure_and_an_unknown_claim_are_caught() -> None:
    page = TEXT.replace("all 1,001 lines", "all 1,001 lines, 0.25 of them")
    assert ClaimsPage.read(page).find_uncompared() == ["S1: 0.25"]
    with pytest.raises(AssertionError, match="no claim S9"):
        ClaimsPage.read(TEXT.replace('claim = "S1"', 'claim = "S9"', 1))
    with pytest.raises(AssertionError, match="unknown keys"):
        ClaimsPage.read(TEXT.replace('says = "1,001"', 'say = "1,001"', 1))
