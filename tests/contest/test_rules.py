"""The rules are data: a rulebook is read whole or refused with every error."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from sekisho.contest.recordrules import read_rulebook
from sekisho.contest.rules import RULEBOOKS, builtin_rules, read_rules
from sekisho.errors import InputError, MissingFileError, SettingsError, UnknownNameError
from sekisho.safety.rejection import Bound

TEXT = (RULEBOOKS / "pwscup2018.toml").read_text()


def written(folder: Path, text: str) -> str:
    (folder / "rules.toml").write_text(text)
    (folder / "pwscup2018-R.csv").write_text("0,1\n1,2\n7,5\n")
    return str(folder / "rules.toml")


def test_the_built_in_contest_has_the_contests_numbers() -> None:
    rules = read_rules("pwscup2018")
    assert (rules.verdict.p, rules.verdict.alpha) == (Fraction(1, 3), Fraction(1, 2000))
    assert rules.schema.names == ("customer", "date", "item", "price", "quantity")
    assert [rules.threshold(n, Bound.UNION) for n in (0, 7, 24, 999)] == [1, 7, 18, 612]
    assert rules.threshold(999, Bound.EXACT) == 392
    assert "pwscup2018" in builtin_rules()


def test_the_shipped_thresholds_are_the_formulas() -> None:
    rules = read_rules("pwscup2018")
    assert dict(rules.normative) == {n: rules.rejection(Bound.UNION).threshold(n) for n in range(1001)}


def test_where_file_and_formula_differ_the_file_wins_under_union_only(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, TEXT))
    assert rules.threshold(7, Bound.UNION) == 5
    assert rules.threshold(7, Bound.EXACT) == 7
    assert rules.threshold(24, Bound.UNION) == 18


def test_unknown_keys_and_impossible_values_are_refused_together(tmp_path: Path) -> None:
    text = TEXT.replace('p = "1/3"', 'p = "3/2"').replace("max_set = 100", 'max_set = 0\ncolour = "red"')
    text = text.replace('low = "0.01"', 'low = "cheap"').replace('forms = ["set", "suppressed"]', 'forms = ["range"]')
    text = text.replace('pattern = "[A-Z0-9]{1,9}"', 'pattern = "["')
    with pytest.raises(SettingsError) as caught:
        read_rules(written(tmp_path, text))
    places = {fault.column for fault in caught.value.faults}
    assert places == {"verdict.p", "grammar.colour", "grammar.max_set", "columns.3.pattern", "columns.4.low"}


def test_a_contest_needs_exactly_one_column_of_people(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="exactly one identifier"):
        read_rules(written(tmp_path, TEXT.replace('role = "identifier"', 'role = "quasi"')))


def test_unknown_names_missing_files_and_bad_thresholds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'pwscup2018'"):
        read_rules("pwscup218")
    with pytest.raises(MissingFileError):
        read_rules(str(tmp_path / "none.toml"))
    path = written(tmp_path, TEXT)
    (tmp_path / "pwscup2018-R.csv").write_text("0,1\n1;2\n")
    with pytest.raises(InputError, match="line 2 is not of the form"):
        read_rules(path)


@pytest.mark.parametrize("decimals", [-1, 10, 999_999_999])
def test_decimals_that_no_grid_has_are_refused_before_a_limit_is_read_with_them(tmp_path: Path, decimals: int) -> None:
    text = TEXT.replace("decimals = 2", f"decimals = {decimals}")
    assert text != TEXT
    with pytest.raises(SettingsError, match="decimals of price must lie between 0 and 9"):
        read_rules(written(tmp_path, text))


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 5000, "a = 1e"])
def test_a_text_that_is_no_toml_is_refused(tmp_path: Path, text: str) -> None:
    for read in (read_rules, read_rulebook):
        with pytest.raises(InputError, match="is not TOML"):
            read(written(tmp_path, text))


def test_an_empty_file_of_thresholds_says_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT)
    (tmp_path / "pwscup2018-R.csv").write_text("")
    assert read_rules(path).threshold(7, Bound.UNION) == 7


@pytest.mark.parametrize("pattern", ["{a;a}", "(", "a(?=b)", "(a)\\\\1"])
def test_a_pattern_that_cannot_be_matched_quickly_is_refused(tmp_path: Path, pattern: str) -> None:
    for old in ('pattern = "[A-Z0-9]{1,9}"', '[pseudonym]\npattern = "[1-9][0-9]{0,8}"'):
        text = TEXT.replace(old, old.rpartition("pattern")[0] + f'pattern = "{pattern}"')
        assert text != TEXT
        with pytest.raises(SettingsError, match="pattern must be a regular expression"):
            read_rules(written(tmp_path, text))


RECORDS = (RULEBOOKS / "pwscup2021.toml").read_text()


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("iloss = 4", "iloss = nan", "rounds.final.iloss must lie between 0"),
        ("iloss = 4", "iloss = " + "9" * 400, "rounds.final.iloss must be a number that a float can hold"),
        ("answers = 3", "answers = 1000000000", "test.answers must lie between 1 and 100"),
        ("members = 50", "members = 99999999999", "test.members must lie between 1 and 1,000,000"),
        ("[19, 44, 64, 80]", "[19, nan, 80]", "measures.cuts of age must be at least two ascending numbers"),
        ("[19, 44, 64, 80]", "[19, inf]", "measures.cuts of age must lie between"),
        ("[19, 44, 64, 80]", "[]", "measures.cuts of age must be at least two ascending numbers"),
    ],
)
def test_numbers_of_a_contest_over_records_are_numbers(tmp_path: Path, old: str, new: str, rule: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(RECORDS.replace(old, new))
    with pytest.raises(SettingsError, match=rule):
        read_rulebook(str(path))
