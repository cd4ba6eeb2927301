"""What a recipe would do is told before it is done, for every shape, and nothing is read or written for it."""

from __future__ import annotations

from pathlib import Path

from sekisho.data.shape import Shape
from sekisho.gate.explanation import explain_recipe
from sekisho.gate.outcome import Verdict
from sekisho.report.kit.text import render_text
from sekisho.report.pages.verdicts.explanation import EXPLANATION_TITLE, explanation_blocks
from sekisho.words import Language


def written(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def test_records_with_a_preset(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'preset = "japan-anonymously-processed"\ntitle = "People"\noriginal = "people.csv"\nkeys = ["age", "sex", "town"]\n'
        'release = "A.csv"\nseed = 7\n[policy]\n"limit exceeded" = "release"\n',
    )
    told = explain_recipe(path, writes=["public/release.csv"])
    assert told.shape is Shape.RECORDS
    assert told.missing == (tmp_path / "people.csv", tmp_path / "A.csv")
    assert told.candidates == ("partition k=5", "A.csv")
    assert told.adversaries == ("prosecutor", "prosecutor keys=age,sex", "nearest-cell", "partial-knowledge")
    assert told.asked == {"k": 5, "risk": 0.2}
    lines = {line.rule: (line.verdict, line.usual) for line in told.policy}
    assert lines["limit exceeded"] == (Verdict.RELEASE, Verdict.REVIEW)
    assert "certificate" not in lines
    assert told.as_dict()["writes"] == ["public/release.csv"]
    english, japanese = (
        render_text(EXPLANATION_TITLE, explanation_blocks(told), language=language) for language in Language
    )
    assert "partition (k = 5)" in english
    assert "A.csv (there is no such file)" in " ".join(english.split())
    assert "told only (as the recipe says)" in english
    assert "article 34, item 5" in " ".join(english.split())
    assert "第34条第5号" in "".join(japanese.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recipe.toml"]


def test_a_history_and_a_table(tmp_path: Path) -> None:
    history = explain_recipe(
        written(
            tmp_path, 'rules = "pwscup2018"\noriginal = "T.csv"\n[find]\nk = [2, 3]\n[[adversaries]]\nname = "chance"\n'
        )
    )
    assert (history.candidates, history.adversaries) == (("groups k=2", "groups k=3"), ("chance",))
    assert history.asked == {"bound": "exact", "claim": "required"}
    table = explain_recipe(
        written(tmp_path, 'shape = "table"\noriginal = "t.csv"\ndims = ["a"]\ncount = "n"\ninsiders = 1\n')
    )
    assert table.candidates == ("auto",)
    assert table.adversaries == ("outsider", "insiders, 1 of one cell")
    assert table.asked["rules"] == ["min:5 (width=10)"]
    assert "no chance plays a part" in render_text(EXPLANATION_TITLE, explanation_blocks(table), language=Language.EN)


def test_whom_the_schema_s_keys_bring_is_told_as_the_stage_has_it(tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text(
        'shape = "records"\n' + "".join(f'[[columns]]\nname = "{name}"\n' for name in ("age", "sex", "town", "w"))
    )
    told = explain_recipe(
        written(tmp_path, 'schema = "people.toml"\noriginal = "p.csv"\nweights = "w"\n[find]\n[guarantees]\nk = 2\n')
    )
    assert told.adversaries[1] == "prosecutor keys=age,sex"
