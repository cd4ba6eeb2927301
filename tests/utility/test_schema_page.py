"""What the page on schemas shows can be used as it stands there."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import read_rulebook
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, SchemaFile
from sekisho.errors import SettingsError

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "schema.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_schema_on_the_page_is_one(tmp_path: Path, block: str) -> None:
    (tmp_path / "own.toml").write_text(block, encoding="utf-8")
    rules = read_rulebook(str(tmp_path / "own.toml"))
    assert isinstance(rules, HistoryRules | RecordRules)
    assert not rules.layout.strict
    assert rules.name == "own"


def test_the_shop_s_export_is_read_as_the_page_says(tmp_path: Path) -> None:
    export = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
    (tmp_path / "sales.csv").write_bytes(export.encode("cp932"))
    (tmp_path / "sales.toml").write_text(BLOCKS[0], encoding="utf-8")
    rules = read_rulebook(str(tmp_path / "sales.toml"))
    assert isinstance(rules, HistoryRules)
    original, _ = open_original(tmp_path / "sales.csv", rules)
    assert original.data.frame["customer"].to_list() == ["c17"]
    assert [notice.count for notice in original.notices if notice.what == "rows dropped"] == [1, 1]
    assert str(original.notices[0]) == "columns left out: 備考"


@pytest.mark.parametrize("settings", [SchemaFile, FileRules, ColumnRules])
def test_every_key_stands_on_the_page(settings: type) -> None:
    keys = {item.name for item in fields(settings) if not item.metadata.get("derived")} - {"file", "columns"}
    assert {key for key in keys if f"`{key}`" not in PAGE} == set()


def test_what_an_option_says_of_columns_is_no_key_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('shape = "records"\nsaid = []\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="said must not be given"):
        read_rulebook(str(tmp_path / "own.toml"))
