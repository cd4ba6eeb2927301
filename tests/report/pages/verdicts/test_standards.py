"""Rules of law and handbooks stand on the page in both languages, with what they do not see, and promise nothing in law."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekisho.gate.recipe import read_recipe
from sekisho.report.kit.html import render_page
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.words import bilingual


@pytest.mark.parametrize(
    ("preset", "data", "english", "japanese"),
    [
        (
            "japan-anonymously-processed",
            'keys = ["a"]\n',
            "APPI Enforcement Rules, article 34, item 4",
            "個人情報保護法施行規則 第34条 第4号",
        ),
        (
            "official-statistics-tables",
            'dims = ["a"]\ncount = "n"\n',
            "ESSnet SDC Handbook 1.2, chapter 4",
            "ESSnet SDC ハンドブック 1.2 版 第 4 章",
        ),
    ],
)
def test_every_standard_is_told_with_its_source(
    tmp_path: Path, preset: str, data: str, english: str, japanese: str
) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(f'preset = "{preset}"\noriginal = "x.csv"\n{data}')
    recipe, _ = read_recipe(path)
    shown = render_page(bilingual("t", "t"), standard_blocks(recipe.standards))
    assert english in shown
    assert japanese in shown
    assert "say that the release suffices in law, which no program can" in shown


def test_a_recipe_without_standards_has_no_such_part() -> None:
    assert standard_blocks(()) == ()
