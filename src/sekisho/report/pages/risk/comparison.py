"""The page that compares several releases of one file: risk against loss, every measure, every attack, every column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from sekisho.data.frame.dataset import Dataset
from sekisho.gate.records.cell_attacks import CellAttack
from sekisho.gate.records.comparison import ORIGINAL, Compared, ReleaseFigures
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Beside, Block, Figure, Fold, Heading, Origin, Paragraph, TableBlock
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Text, Words, format_count, format_decimal, format_percent, join_words
from sekisho.report.pages.before_after import column_card
from sekisho.report.pages.verdicts.review import review_blocks

COMPARISON_TITLE = Text("Releases compared", "加工データの比較")
RELEASE = Text("release", "加工データ")
UNKNOWN = "–"
RISK = Text("found by a prosecutor with all keys", "全キーを知る攻撃者に見つかる割合")
LOSS = Text("NCP (share of what the keys tell that is lost)", "NCP（キーの情報損失）")

MEASURE_NAMES = {
    "ncp": Text("NCP", "NCP"),
    "discernibility": Text("discernibility", "識別不能性（DM）"),
    "entropy": Text("entropy", "エントロピー損失"),
    "marginals": Text("columns (total variation)", "列の分布（全変動）"),
    "earth-mover": Text("columns (earth mover)", "列の分布（輸送距離）"),
    "pair-tables": Text("pairs of columns", "2 列の分割表"),
    "associations": Text("associations", "関連の変化"),
}


def comparison_blocks(data: Dataset, compared: Sequence[Compared], origin: Provenance) -> tuple[Block, ...]:
    """Return the page."""
    return (
        Paragraph(text=_introduce(compared)),
        *show_reviews(compared),
        Figure(picture=risk_scatter(compared), caption=_explain_risk()),
        *comparison_tables(compared),
        Paragraph(text=explain_attacks()),
        Heading(text=Text("Before and after, column by column", "列ごとの加工前後")),
        *(_show_columns(data, one) for one in compared if one.name != ORIGINAL),
        Heading(text=Text("What made this", "作成の記録")),
        Origin(steps=(origin, *(one.release.provenance for one in compared if one.name != ORIGINAL))),
    )


def show_reviews(compared: Sequence[ReleaseFigures]) -> list[Block]:
    """Return what a person must look at before each release leaves; nothing where there is nothing."""
    return [
        block
        for one in compared
        if one.review.needed
        for block in (Heading(text=show_name(one), level=3), *review_blocks(one.review))
    ]


def comparison_tables(compared: Sequence[Compared]) -> tuple[TableBlock, ...]:
    """Return the tables: classes, measures, attacks."""
    return _class_table(compared), _measure_table(compared), attack_table(compared)


def show_name(one: ReleaseFigures) -> Words:
    """Return a release's name as a table shows it: of a path, the file."""
    return Text("original", "元データ") if one.name == ORIGINAL else translate_name(PurePath(one.name).name or one.name)


def large_comparison_table(compared: Sequence[ReleaseFigures]) -> TableBlock:
    """Return the table of releases beyond memory: classes, and how far the columns' distributions are."""
    measures = tuple(compared[0].scores)
    rows = tuple(
        (
            show_name(one),
            format_count(one.classes.rows),
            format_count(one.classes.k),
            format_count(one.classes.uniques),
            format_count(one.classes.classes),
            UNKNOWN if one.classes.diversity is None else format_count(one.classes.diversity),
            UNKNOWN if one.classes.closeness is None else format_decimal(one.classes.closeness),
            *(format_decimal(one.scores[name].value) for name in measures),
        )
        for one in compared
    )
    classes = (Text("records", "レコード"), "k", Text("uniques", "一意"), Text("classes", "組"), "l", "t")
    head = (RELEASE, *classes, *(MEASURE_NAMES[name] for name in measures))
    caption = Text("Classes of equal keys, and the columns' distributions", "キーが等しい組と、列の分布")
    return TableBlock(head=head, rows=rows, numeric=tuple(range(1, len(head))), caption=caption)


def risk_scatter(compared: Sequence[Compared]) -> Scatter:
    """Return the releases by what they lose and by who is found in them."""
    return Scatter(
        title=Text("Risk against loss", "リスクと情報損失"),
        desc=Text(
            f"The original and {len(compared) - 1} releases by NCP and by the share of people found.",
            f"元データと加工データ {len(compared) - 1} 件の NCP と、見つかる人の割合です。",
        ),
        x=Axis(label=LOSS, low=0.0),
        y=Axis(label=RISK, low=0.0),
        points=tuple(Mark(name=show_name(one), x=one.scores["ncp"].value, y=one.risk) for one in compared),
        front=True,
    )


def _introduce(compared: Sequence[Compared]) -> Text:
    rows = format_count(len(compared[0].release.deleted))
    return Text(
        f"{len(compared) - 1} releases of {rows} records beside the original: how small the classes of equal keys are, "
        "what was lost, and who is found. Figures of attacks are what these attackers find, no promise about others.",
        f"{rows} 件のレコードから作られた加工データ {len(compared) - 1} 件を元データと比べます。"
        "キーが等しい組の大きさ、失われた情報、見つかる人の数を示します。"
        "攻撃の数値はここで試した攻撃者のものであり、他の攻撃者に対する保証ではありません。",
    )


def _explain_risk() -> Text:
    return Text(
        "Left is useful, low is safe. The share is computed exactly where the rows stand in the original's order; "
        "elsewhere it is what the attacker hopes for, and no more can be right on average where every cell admits the "
        "truth.",
        "左ほど有用で、下ほど安全です。行が元データの順である場合、割合は正確に計算した値です。"
        "それ以外では攻撃者自身の見込みで、すべてのセルが真の値を含む加工データでは平均的中数はこれを超えません。",
    )


def explain_attacks() -> Text:
    """Return how the figures of attacks are to be read."""
    return Text(
        "A person whose row is among c rows that fit alike counts 1/c as expected. Right is one draw of the attacker, "
        "with its 95% interval (Clopper and Pearson); a dash: nobody knows which row is whose.",
        "同じように当てはまる c 行の中に本人の行がある人は、期待値として 1/c と数えます。"
        "的中数は攻撃者の 1 回の抽選の結果で、95% 信頼区間（Clopper-Pearson）を添えます。"
        "「–」は行の対応が分からないことを表します。",
    )


def _class_table(compared: Sequence[Compared]) -> TableBlock:
    rows = tuple(
        (
            show_name(one),
            format_count(one.rows),
            format_count(int(one.release.deleted.sum())),
            format_count(one.k),
            format_count(one.uniques),
            format_count(one.classes.classes),
            UNKNOWN if one.diversity is None else format_count(one.diversity),
            UNKNOWN if one.classes.closeness is None else format_decimal(one.classes.closeness),
        )
        for one in compared
    )
    head = (
        RELEASE,
        Text("records", "レコード"),
        Text("left out", "削除"),
        "k",
        Text("uniques", "一意"),
        Text("classes", "組"),
        "l",
        "t",
    )
    caption = Text("Classes of equal keys", "キーが等しい組")
    return TableBlock(head=head, rows=rows, caption=caption, numeric=tuple(range(1, len(head))))


def _measure_table(compared: Sequence[Compared]) -> TableBlock:
    names = list(compared[0].scores)
    rows = tuple((show_name(one), *(format_decimal(one.scores[name].value, 4) for name in names)) for one in compared)
    head = (RELEASE, *(name_measure(name) for name in names))
    caption = Text("What was lost: 0 is nothing", "失われた情報（0 は損失なし）")
    return TableBlock(head=head, rows=rows, caption=caption, numeric=tuple(range(1, len(head))))


def name_measure(name: str) -> Words:
    """Return what a measure is called; of a model, with the column that it predicts."""
    if name in MEASURE_NAMES:
        return MEASURE_NAMES[name]
    kind, _, column = name.partition(" of ")
    return Text(name, f"{column} の{'回帰' if kind == 'regression' else '分類'}")


def attack_table(compared: Sequence[Compared]) -> TableBlock:
    """Return what everybody found in each release: named, right, expected and by chance."""
    rows = tuple((show_name(one), *_describe_attack(attack, one)) for one in compared for attack in one.attacks)
    head = (
        RELEASE,
        Text("attack", "攻撃"),
        Text("people", "対象者"),
        Text("named", "推定"),
        Text("right", "的中"),
        Text("95% of claims", "的中率の 95% 区間"),
        Text("expected", "期待値"),
        Text("by chance", "偶然の期待値"),
    )
    return TableBlock(head=head, rows=rows, caption=Text("Who is found", "見つかる人"), numeric=(2, 3, 4, 5, 6, 7))


def name_attack(attack: CellAttack, one: Compared) -> Words:
    """Return who attacks and what he knows: all keys, or which."""
    known: Words = Text(" (all keys)", "（全キー）")
    if attack.keys != one.classes.keys:
        known = Text(f" ({', '.join(attack.keys)})", f"（{'、'.join(attack.keys)}）")
    return join_words(translate_name(attack.adversary), known)


def _describe_attack(attack: CellAttack, one: Compared) -> tuple[Words, ...]:
    rate = attack.rate
    interval = UNKNOWN if rate is None or not rate.trials else f"{format_percent(rate.low)}–{format_percent(rate.high)}"
    expected: Words = UNKNOWN if attack.expected is None else format_decimal(attack.expected, 1)
    if attack.expected is None and attack.hoped is not None:
        expected = join_words(format_decimal(attack.hoped, 1), Text(" hoped", "（見込み）"))
    return (
        name_attack(attack, one),
        format_count(attack.people),
        format_count(attack.claimed),
        UNKNOWN if rate is None else format_count(rate.hits),
        interval,
        expected,
        format_decimal(attack.by_chance, 1),
    )


def _show_columns(data: Dataset, one: Compared) -> Fold:
    names = [column.name for column in data.schema.attributes]
    return Fold(
        summary=show_name(one),
        blocks=(Beside(blocks=tuple(Figure(picture=column_card(data, one.release, name)) for name in names)),),
    )
