"""An error tells the parameter, the rule and the value, and can be caught as the built-in one would expect."""

from __future__ import annotations

import pytest

from sekisho import errors
from sekisho.errors import Fault, FaultsError, MissingFileError, ParameterError, SekishoError, UnknownNameError
from sekisho.words import quote_words


def test_a_parameter_error_names_parameter_rule_value_and_hint() -> None:
    error = ParameterError("k", quote_words("be at least 2"), 1, hint="a group of one hides nobody")
    assert str(error) == "k must be at least 2, not 1 (a group of one hides nobody)"
    assert isinstance(error, ValueError)


def test_a_missing_file_is_also_a_file_not_found_error() -> None:
    with pytest.raises(FileNotFoundError, match=r"T\.csv: no such file"):
        raise MissingFileError("T.csv")


def test_faults_are_carried_whole_and_shown_in_part() -> None:
    faults = [
        Fault(row=row, column="date", rule="grammar", value="x", message=quote_words("'x' is no date"))
        for row in range(1, 8)
    ]
    error = FaultsError("A.csv", faults)
    assert error.faults == tuple(faults)
    assert str(error).startswith("A.csv: row 1, date: 'x' is no date; row 2")
    assert str(error).endswith("and 2 more")
    assert faults[0].as_dict() == {
        "row": 1,
        "column": "date",
        "rule": "grammar",
        "value": "x",
        "message": "'x' is no date",
    }


@pytest.mark.parametrize(("count", "ending"), [(5, "wrong"), (6, "wrong; and 1 more"), (7, "wrong; and 2 more")])
def test_faults_that_are_not_shown_are_counted_and_none_where_all_are(count: int, ending: str) -> None:
    faults = [
        Fault(row=row, column="a", rule="r", value="", message=quote_words("wrong")) for row in range(1, 1 + count)
    ]
    text = str(FaultsError("A.csv", faults))
    assert text.endswith(f"row 5, a: {ending}")
    assert str(FaultsError("A.csv", faults[:1], count=count)).endswith(f"row 1, a: wrong; and {count - 1} more")


def test_a_fault_of_the_file_as_a_whole_has_row_zero() -> None:
    assert (
        str(Fault(row=0, column="", rule="rows", value="0", message=quote_words("the file is empty")))
        == "file: the file is empty"
    )


def test_an_unknown_name_is_answered_with_the_nearest_or_all_known() -> None:
    assert "did you mean 'groups'?" in str(UnknownNameError("method", "group", ["groups", "swap"]))
    assert len(str(UnknownNameError("method", "z" * 10_000, ["swap"]))) < 400
    assert "known: groups, swap" in str(UnknownNameError("method", "zzz", ["swap", "groups"]))


def test_every_error_of_the_tree_is_ours_and_drawn_in_the_docstring() -> None:
    ours = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, SekishoError)]
    assert len(ours) >= 9
    assert all(cls.__name__ in (errors.__doc__ or "") for cls in ours)
