"""What is published has one way of writing: a spelling of one's own would be a mark, whatever the claim says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.strategies import histories, lines_of, processed

from sekisho.cli import status_of
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import publish_file, read_original, read_release, write_published
from sekisho.errors import FaultsError

RULES = read_history_rules("pwscup2018")
DAY = re.compile(r"([0-9]{4})/0?([0-9]{1,2})/0?([0-9]{1,2})")


@st.composite
def respelled(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """Return the same values, each cell spelled anew."""
    return [draw(_respelled_row(line)) for line in lines]


@st.composite
def _respelled_row(draw: st.DrawFn, line: str) -> str:
    if line == "*,*,*,*,*":
        return line
    name, day, item, price, number = line.split(",")
    spelled = [draw(_spelled(day, _spell_day)), draw(_spelled_items(item)), draw(_spelled(price, _spell_price))]
    return ",".join([name, *spelled, draw(_spelled(number, _spell_number))])


@st.composite
def _spelled(draw: st.DrawFn, cell: str, spell: Callable[[str], list[str]]) -> str:
    if cell == "*":
        return cell
    ends = cell.strip("[]").split(";")
    if len(ends) == 1 and draw(st.booleans()):
        ends = [ends[0], ends[0]]
    written = [str(draw(st.sampled_from(spell(end)))) for end in ends]
    return written[0] if len(written) == 1 else f"[{written[0]};{written[1]}]"


@st.composite
def _spelled_items(draw: st.DrawFn, cell: str) -> str:
    if cell == "*":
        return cell
    items = draw(st.permutations(cell.strip("{}").split(";")))
    return items[0] if len(items) == 1 and draw(st.booleans()) else "{" + ";".join(items) + "}"


def _spell_day(day: str) -> list[str]:
    year, month, date = DAY.findall(day)[0]
    return [day, f"{year}/{month:>02}/{date:>02}", f"{year}/{int(month)}/{date:>02}"]


def _spell_price(price: str) -> list[str]:
    return [price, f"{float(price):.2f}", f"{float(price):g}", f"{float(price):.2f}".rjust(9, "0")[-8:]]


def _spell_number(number: str) -> list[str]:
    return [number, f"0{number}"[:6], number]


def publish(folder: Path, lines: list[str], *, alone: bool) -> bytes:
    (folder / "A.csv").write_text("".join(f"{line}\n" for line in lines))
    original = None if alone else read_original(folder / "T.csv", RULES)
    return publish_file(folder / "A.csv", RULES, original).data


@try_examples(60)
@given(drawn=st.data(), history=histories())
def test_equal_values_are_published_alike(drawn: st.DataObject, history: list[tuple[str, int, str, int, int]]) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "T.csv").write_text("".join(f"{line}\n" for line in lines_of(history)))
        lines = drawn.draw(processed(history))
        again = drawn.draw(respelled(lines))
        spellings = {publish(folder, each, alone=alone) for each in (lines, again) for alone in (False, True)}
        assert len(spellings) == 1
        data = read_original(folder / "T.csv", RULES)
        (folder / "A.csv").write_text("".join(f"{line}\n" for line in lines))
        assert spellings == {write_published(read_release(folder / "A.csv", RULES, data), RULES)}


@try_examples(80)
@given(drawn=st.data(), history=histories())
def test_what_a_check_refuses_is_not_published(
    drawn: st.DataObject, history: list[tuple[str, int, str, int, int]]
) -> None:
    """Random damage to a valid release: published if and only if it is valid, and never more than its own form allows."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "T.csv").write_text("".join(f"{line}\n" for line in lines_of(history)))
        lines = drawn.draw(processed(history))
        row = drawn.draw(st.integers(0, len(lines) - 1))
        cells = lines[row].split(",")
        damages = st.sampled_from(["", "*", "0", "1", "7", "ZZ", "[1;2]", "[2;1]", "{A}", "2010/2/30", "a b"])
        cells[drawn.draw(st.integers(0, 4))] = drawn.draw(damages)
        lines[row] = ",".join(cells)
        (folder / "A.csv").write_text("".join(f"{line}\n" for line in lines))
        call = ["pwscup2018", "--original", str(folder / "T.csv"), "--released", str(folder / "A.csv")]
        valid = status_of(["check", *call]) == 0
        published = status_of(["publish", *call, "--out", str(folder / "A1.csv")])
        assert published in ((0, 3) if valid else (2,))
        assert (folder / "A1.csv").exists() == valid


def test_eight_customers_alike_stay_alike(tmp_path: Path) -> None:
    """Each spells the same purchase in a way of his own: eight lines that differ only in the pseudonym."""
    spellings = ["1,1", "1.0,1", "01,1", "1.00,01", "[1;1],1", "1,[1;1]", "[1.0;1],[01;1]", "1,001"]
    (tmp_path / "T.csv").write_text("".join(f"{who},2010/1/1,A,1,1\n" for who in range(21, 29)))
    (tmp_path / "A.csv").write_text(
        "".join(
            f"{name},{'2010/01/01' if name % 2 else '2010/1/1'},{'{A}' if name % 3 else 'A'},{rest}\n"
            for name, rest in zip([3, 8, 1, 7, 2, 6, 4, 5], spellings, strict=True)
        )
    )
    call = ["publish", "pwscup2018", "--released", str(tmp_path / "A.csv"), "--out", str(tmp_path / "A1.csv")]
    for more in ([], ["--original", str(tmp_path / "T.csv")]):
        assert status_of([*call, *more]) == 0
        lines = (tmp_path / "A1.csv").read_text().splitlines()
        assert lines == [f"{name},2010/1/1,A,1,1" for name in range(1, 9)]


def test_names_that_leave_as_pseudonyms_are_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "T.csv").write_text("".join(f"{who},2010/1/1,A,1,1\n" for who in range(21, 29)))
    files = ["--original", str(tmp_path / "T.csv"), "--released", str(tmp_path / "T.csv")]
    assert status_of(["publish", "pwscup2018", *files, "--out", str(tmp_path / "A1.csv")]) == 3
    assert "8 of 8 pseudonyms are the people's own names" in capsys.readouterr().out
    assert status_of(["check", "pwscup2018", *files]) == 0
    assert "warning: 8 of 8 pseudonyms" in capsys.readouterr().out


def test_a_schema_that_leaves_columns_open_needs_the_original(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'shape = "history"\n[[columns]]\nname = "who"\nrole = "identifier"\n[[columns]]\nname = "sum"\n'
    )
    (tmp_path / "T.csv").write_text("who,sum\n" + "".join(f"c{who},{who}\n" for who in range(3)))
    (tmp_path / "A.csv").write_text("who,sum\n3,0.0\n1,[0;1]\n2,*\n")
    call = ["publish", str(tmp_path / "own.toml"), "--released", str(tmp_path / "A.csv"), "--out"]
    assert status_of([*call, str(tmp_path / "A1.csv")]) == 2
    assert status_of([*call, str(tmp_path / "A1.csv"), "--original", str(tmp_path / "T.csv")]) == 3  # three are alone
    assert (tmp_path / "A1.csv").read_text() == "who,sum\n1,[0;1]\n2,*\n3,0\n"


def test_the_original_under_shifted_numbers_is_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of one's own that is only written again is accounted for by nobody, or its account does not close."""
    (tmp_path / "own.toml").write_text(
        'shape = "history"\n[[columns]]\nname = "who"\nrole = "identifier"\nkind = "category"\n'
        '[[columns]]\nname = "sum"\nkind = "integer"\n'
    )
    (tmp_path / "T.csv").write_text("who,sum\n" + "".join(f"{who},{who * 3}\n" for who in range(1, 9)))
    (tmp_path / "A.csv").write_text("who,sum\n" + "".join(f"{who + 1000},{who * 3}\n" for who in range(1, 9)))
    call = ["publish", str(tmp_path / "own.toml"), "--released", str(tmp_path / "A.csv")]
    call += ["--out", str(tmp_path / "A1.csv")]
    assert status_of(call) == 3
    assert "without the original nobody can account for what leaves" in capsys.readouterr().out
    assert status_of([*call, "--original", str(tmp_path / "T.csv")]) == 3
    said = capsys.readouterr().out
    assert said.startswith("A PERSON MUST DECIDE")
    assert "tell the names" in said or "H0 is not proven" in said


def test_records_are_checked_beside_their_original(tmp_path: Path) -> None:
    """Row 1 of D has a value that the original does not have: shown by the original alone."""
    row = "Male,40,White,College,Married,25,0,0,0,0,Q1,0\n"
    (tmp_path / "B.csv").write_text(row * 4)
    (tmp_path / "D.csv").write_text(row.replace("Male", "Female") + row)
    (tmp_path / "X.csv").write_text("0\n3\n")
    call = ["publish", "pwscup2021", "--released", str(tmp_path / "D.csv"), "--out", str(tmp_path / "D1.csv")]
    assert status_of([*call, "--seed", "1"]) == 0
    beside = ["--original", str(tmp_path / "B.csv"), "--deleted", str(tmp_path / "X.csv")]
    assert status_of([*call, *beside]) == 2
    (tmp_path / "D.csv").write_text(row.replace(",40,", ",40.0,") + row)
    assert status_of([*call, *beside]) == 0
    assert (tmp_path / "D1.csv").read_text() == row * 2
    with pytest.raises(FaultsError):
        read_release(tmp_path / "D.csv", RULES, read_original(tmp_path / "D.csv", RULES))
