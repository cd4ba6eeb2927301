"""Data and rules whose columns are called otherwise: whoever names a column of a contest stumbles over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import RULEBOOKS, read_record_rules
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable

HISTORY_NAMES = {"customer": "buyer", "date": "day", "item": "thing", "price": "cost", "quantity": "units"}
RECORD_NAMES = {
    "gen": "sex",
    "age": "years",
    "race": "origin",
    "edu": "school",
    "mar": "status",
    "bmi": "stature",
    "dep": "gloom",
    "pir": "poverty",
    "gh": "spare",
    "mets": "empty",
    "qm": "motion",
    "dia": "ill",
}


def renamed_schema(schema: Schema, names: Mapping[str, str]) -> Schema:
    return Schema(tuple(replace(column, name=names.get(column.name, column.name)) for column in schema))


def renamed_data(data: Dataset, names: Mapping[str, str]) -> Dataset:
    return Dataset(data.frame.rename(dict(names), strict=False), renamed_schema(data.schema, names))


def renamed_table(table: MaskedTable, names: Mapping[str, str]) -> MaskedTable:
    return MaskedTable(
        schema=renamed_schema(table.schema, names),
        columns={names.get(name, name): cells for name, cells in table.columns.items()},
        pseudonym=table.pseudonym,
    )


def renamed_text(text: str, names: Mapping[str, str]) -> str:
    """Return rules in TOML with columns called otherwise, as values and as keys of the cuts."""
    for old, new in names.items():
        text = re.sub(rf'"{old}"', f'"{new}"', text)
        text = re.sub(rf"\b{old} = \[", f"{new} = [", text)
    return text


def renamed_rules(folder: Path, names: Mapping[str, str]) -> RecordRules:
    """Return the rules of 2021 with columns called otherwise."""
    path = folder / "renamed.toml"
    path.write_text(renamed_text((RULEBOOKS / "pwscup2021.toml").read_text(), names))
    return read_record_rules(str(path))
