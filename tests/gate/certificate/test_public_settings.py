"""A public recipe tells neither where files lie nor what they are called, however deep the setting that names one."""

from __future__ import annotations

from datetime import date

import pytest

from sekisho.data.shape import Shape
from sekisho.gate.certificate.public_settings import are_public_settings, list_public_settings, list_settings


@pytest.mark.parametrize(
    ("value", "public"),
    [
        ("/data/anna-weber.csv", "anna-weber.csv"),
        ("../anna-weber.csv", "anna-weber.csv"),
        ("wards/../anna-weber.csv", "anna-weber.csv"),
        ("wards/north", "wards/north"),  # no folder above the recipe's own
        ("a..b", "a..b"),
        (["/data/one", "two"], ["one", "two"]),
        ({"inner": {"deep": "/data/one"}}, {"inner": {"deep": "one"}}),
        ([{"inner": ["../one"]}], [{"inner": ["one"]}]),
        (3, 3),
        (True, True),
    ],
)
def test_no_folder_above_the_recipe_is_public(value: object, public: object) -> None:
    settings = {"remark": value}
    assert list_public_settings(settings, Shape.RECORDS) == {"remark": public}
    assert are_public_settings({"remark": public}, settings, Shape.RECORDS)
    assert are_public_settings({"remark": value}, settings, Shape.RECORDS) == (value == public)


@pytest.mark.parametrize(
    ("settings", "public", "older"),
    [
        (
            {"original": "/data/anna-weber.csv"},
            {"original": "original.csv"},
            {"original": "anna-weber.csv"},
        ),
        (
            {"trees": {"job": "/data/jobs-of-weber.csv"}},
            {"trees": {"job": "trees.csv"}},
            {"trees": {"job": "jobs-of-weber.csv"}},
        ),
        (
            {"methods": [{"name": "lattice", "tree": {"job": "../jobs-of-weber.csv"}}]},
            {"methods": [{"name": "lattice", "tree": {"job": "tree.csv"}}]},
            {"methods": [{"name": "lattice", "tree": {"job": "jobs-of-weber.csv"}}]},
        ),
        (
            {"adversaries": [{"name": "known", "file": ["/data/weber.csv", "x"]}]},
            {"adversaries": [{"name": "known", "file": ["file.csv", "x"]}]},
            {"adversaries": [{"name": "known", "file": ["weber.csv", "x"]}]},
        ),
        ({"preset": "pwscup2018"}, {"preset": "pwscup2018"}, {"preset": "pwscup2018"}),  # no file: no ending
    ],
)
def test_a_file_is_called_by_what_it_is_and_by_its_name_in_older_certificates(
    settings: dict[str, object], public: dict[str, object], older: dict[str, object]
) -> None:
    assert list_public_settings(settings, Shape.RECORDS) == public
    assert are_public_settings(public, settings, Shape.RECORDS)
    assert are_public_settings(older, settings, Shape.RECORDS)
    assert are_public_settings(settings, settings, Shape.RECORDS) == (settings == older)


def test_neither_the_seed_nor_the_register_is_public_and_a_date_is_its_text() -> None:
    settings = {"seed": 3, "register": "r", "day": date(2026, 1, 2), "k": 3}
    assert list_public_settings(settings, Shape.HISTORY) == {"day": "2026-01-02", "k": 3}
    assert list_settings(settings) == {"seed": 3, "register": "r", "day": "2026-01-02", "k": 3}


def test_of_tables_no_rules_levels_or_costs_are_public() -> None:
    tables = [{"name": "one", "dims": ["a"], "min_count": 5, "count": "n", "cost": "c"}]
    settings: dict[str, object] = {"shape": "table", "min_count": 5, "dims": ["a"], "tables": tables}
    public = {"shape": "table", "dims": ["a"], "tables": [{"name": "one", "dims": ["a"], "count": "n"}]}
    assert list_public_settings(settings, Shape.TABLE) == public
    assert list_public_settings(settings, Shape.RECORDS) == settings
