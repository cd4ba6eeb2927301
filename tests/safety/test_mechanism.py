"""A description of a mechanism is read whole or refused in one sentence that names the file."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from sekisho.errors import InputError
from sekisho.safety.mechanism import Mechanism, parse_mechanism
from sekisho.safety.sampling import MOST_RECORDS
from sekisho.safety.transition import Replacement

SEX: dict[str, Any] = {"values": ["f", "m"], "retention": "1/3"}
TOLD: dict[str, Any] = {
    "records": 10,
    "sample": 5,
    "stratum": "",
    "visible": True,
    "strata": [],
    "attributes": {"sex": SEX},
}


def test_what_is_told_is_read() -> None:
    made = parse_mechanism(json.dumps(TOLD), "m.json")
    assert made == Mechanism(
        records=10,
        sample=5,
        domains={"sex": ("f", "m")},
        transitions={"sex": Replacement(values=2, retention=Fraction(1, 3))},
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        *(
            ({"attributes": {"sex": SEX | {"retention": value}}}, "the retention of sex must hold numbers")
            for value in ("0/-1", "1/0", "1e999999999", "x")
        ),
        ({"attributes": {"sex": SEX | {"retention": []}}}, "the retention of sex must be a whole number"),
        ({"attributes": {"sex": SEX | {"retention": 2}}}, "retention must lie between 0 and 1"),
        ({"attributes": {"sex": SEX | {"values": ["f", "f"]}}}, "values of sex must be distinct"),
        ({"attributes": {"sex": SEX | {"values": ["f", 3]}}}, "a value of sex must be a text"),
        ({"attributes": {"sex": SEX | {"values": "fm"}}}, "the values of sex must be a list"),
        ({"attributes": {"sex": {"values": ["f", "m"], "matrix": [["1/0", 1], [0, 1]]}}}, "a row of the matrix of sex"),
        ({"attributes": {"sex": {"values": ["f", "m"], "matrix": 3}}}, "the matrix of sex must be a list"),
        ({"attributes": []}, "attributes must be an object"),
        ({"records": 10.5}, "records must be a whole number, not 10.5"),
        ({"records": True}, "records must be a whole number, not True"),
        ({"records": MOST_RECORDS + 1}, "records must lie between"),
        ({"visible": 1}, "visible must be true or false"),
        ({"strata": [3]}, "a stratum must be an object"),
        ({"strata": [{"records": 3, "sample": 1}]}, "it does not tell 'name'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_file_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_mechanism(json.dumps(TOLD | changed), "m.json")
    assert str(caught.value).startswith("m.json: is no description of a mechanism")


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"records": ' + "9" * 5000 + "}"])
def test_what_is_no_mechanism_at_all_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"m\.json: is no description of a mechanism"):
        parse_mechanism(text, "m.json")
