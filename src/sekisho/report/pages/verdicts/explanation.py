"""What a recipe would do, told before it is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sekisho.data.shape import Shape
from sekisho.gate.explanation import Explanation
from sekisho.gate.outcome import Verdict
from sekisho.report.kit.blocks import Block, Bullets, Facts, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Text, Words

EXPLANATION_TITLE = Text("What this recipe would do", "このレシピが行うこと")
SHAPES = {
    Shape.HISTORY: Text("a history (many rows a person)", "履歴（1 人に複数行）"),
    Shape.RECORDS: Text("records (one row a person)", "レコード（1 人 1 行）"),
    Shape.TABLE: Text("a table (cells with margins)", "集計表（周辺和つきのセル）"),
}
VERDICTS = {
    Verdict.RELEASE: Text("told only", "表示のみ"),
    Verdict.REVIEW: Text("review", "要審査"),
    Verdict.REFUSE: Text("refuse", "公開不可"),
}
NOTHING = Text("nothing", "なし")


def explanation_blocks(explanation: Explanation) -> tuple[Block, ...]:
    """Return what would be read, tried, attacked, asked, decided and written."""
    title = explanation.title
    name: Words = NOTHING if title is None else Text(title.en, title.ja)
    drawn = Text("drawn and recorded", "抽選して記録")
    chance = Text("no chance plays a part", "乱数は使いません")
    seed: Words = chance if explanation.shape is Shape.TABLE else drawn
    if explanation.seed is not None:
        seed = str(explanation.seed)
    return (
        Paragraph(
            text=Text(
                "Nothing was read but the recipe and its rules, and nothing was written.",
                "読んだのはレシピとその規則だけで、何も書き出していません。",
            )
        ),
        Facts(
            pairs=(
                (Text("data", "データ"), SHAPES[explanation.shape]),
                (Text("title", "題名"), name),
                (Text("seed", "シード"), seed),
            )
        ),
        *_list_files(explanation),
        *_list(Text("Tried", "試すもの"), explanation.candidates),
        *_list(Text("Attacked by", "攻撃者"), explanation.adversaries),
        *_table(Text("Must hold", "満たすべきこと"), explanation.asked),
        *_table(Text("Limits: above them a person looks", "上限（超えると審査）"), explanation.limits),
        *_tell_policy(explanation),
        *_tell_standards(explanation),
        *_list(Text("Written", "書き出すもの"), explanation.writes),
    )


def _list_files(explanation: Explanation) -> tuple[Block, ...]:
    missing = Text(" (there is no such file)", "（ファイルがありません）")
    items = tuple(
        str(path) if there else Text(f"{path}{missing.en}", f"{path}{missing.ja}") for path, there in explanation.reads
    )
    return (Heading(text=Text("Read", "読むもの")), Bullets(items=items))


def _list(heading: Text, items: Iterable[str]) -> tuple[Block, ...]:
    words: tuple[Words, ...] = tuple(items)
    return (Heading(text=heading), Bullets(items=words)) if words else ()


def _table(heading: Text, values: Mapping[str, object]) -> tuple[Block, ...]:
    rows: tuple[tuple[Words, Words], ...] = tuple((name, _write(value)) for name, value in values.items())
    return (Heading(text=heading), Facts(pairs=rows)) if rows else ()


def _write(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _tell_policy(explanation: Explanation) -> tuple[Block, ...]:
    own = Text(" (as the recipe says)", "（レシピの指定）")
    rows = tuple(
        (
            line.rule,
            VERDICTS[line.verdict]
            if line.verdict is line.usual
            else Text(VERDICTS[line.verdict].en + own.en, VERDICTS[line.verdict].ja + own.ja),
        )
        for line in explanation.policy
    )
    head = (Text("rule", "規則"), Text("asks for", "求める判定"))
    return (Heading(text=Text("Policy", "判定の方針")), TableBlock(head=head, rows=rows))


def _tell_standards(explanation: Explanation) -> tuple[Block, ...]:
    items: list[Words] = []
    for standard in explanation.standards:
        rule, source, limits = (standard.read(name) for name in ("rule", "source", "limits"))
        if rule is None or source is None:
            continue
        within = Text("", "") if limits is None else Text(f" Limits: {limits.en}", f"限界：{limits.ja}")
        items.append(Text(f"{rule.en} ({source.en}){within.en}", f"{rule.ja}（{source.ja}）{within.ja}"))
    heading = Text("Standards that it is meant to help with", "念頭に置く基準（法的な十分性は示しません）")
    return (Heading(text=heading), Bullets(items=tuple(items))) if items else ()
