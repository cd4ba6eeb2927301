"""The release report of a purchase history: may it leave, and why.

It is made of plain findings; it protects, attacks and judges nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.data.frame.dataset import Dataset
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.gate.history.stage import HistoryCandidate
from sekisho.provenance import Provenance
from sekisho.report.figures.bars import Bar, Bars
from sekisho.report.figures.columns import Class, Columns
from sekisho.report.kit.blocks import Beside, Block, Facts, Figure, Fold, Heading, Origin, Paragraph, Tone
from sekisho.report.kit.edition import Edition, withhold_secrets
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, format_count, format_decimal, format_out_of, translate
from sekisho.report.pages.before_after import column_card
from sekisho.report.pages.cell_fates import fates_table
from sekisho.report.pages.history.attacks import attack_blocks
from sekisho.report.pages.history.evidence import explanation_blocks, telling_blocks
from sekisho.report.pages.history.statements import statement_blocks, verdict_banner
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms

SIZE_CLASSES = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, None))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryCase:
    """Everything that the report of a history tells.

    Attributes:
        rules: the contest's, or one's own.
        original: the history.
        candidate: what became of it, with the gate's verdict.
        bound: which bound decides.
        origin: what made it all.
        edition: who may read it.
    """

    rules: HistoryTerms
    original: Dataset
    candidate: HistoryCandidate
    bound: Bound
    origin: tuple[Provenance, ...] = ()
    edition: Edition = Edition.CONFIDENTIAL

    def __post_init__(self) -> None:
        if len(self.original) != len(self.candidate.release.deleted):
            raise ParameterError("release", "have the original's rows", len(self.candidate.release.deleted))

    @property
    def people(self) -> int:
        """How many people the original tells of."""
        return len(self.original.domain(self.rules.layout.holder.name))


def history_title(title: Title) -> Text:
    """Return the report's title."""
    return Text(f"Release report: {title.en}", f"公開判定報告書：{title.ja}")


def history_blocks(case: HistoryCase) -> tuple[Block, ...]:
    """Return the report's blocks, the verdict first; the public edition without single claims and distributions."""
    public, names = case.edition is Edition.PUBLIC, [column.name for column in case.original.schema.attributes]
    return (
        verdict_banner(case.candidate, case.bound),
        *reason_blocks(case.candidate.reasons, edition=case.edition),
        *statement_blocks(case.candidate, str(case.rules.verdict.p)),
        _facts(case),
        *attack_blocks(case.candidate.attempts, case.rules, case.people),
        *_utility(case),
        *(fates_table(case.candidate.release, names) if public else _before_after(case)),
        *_sharing(case),
        *telling_blocks(case.candidate.explanations),
        *(() if public else explanation_blocks(case.candidate.explanations, case.candidate.right)),
        *_origin(case),
    )


def _facts(case: HistoryCase) -> Facts:
    rows, gone = len(case.original), int(case.candidate.release.deleted.sum())
    pairs: list[tuple[Words, Words]] = [
        (Text("customers", "顧客数"), format_count(case.people)),
        (Text("rows of the original", "元データの行数"), format_count(rows)),
        (Text("rows published", "公開する行数"), format_out_of(rows - gone, rows)),
        (Text("method", "加工手法"), translate_name(case.candidate.label)),
        (
            Text("error U (0 = unchanged; less is better)", "誤差 U（0 = 元のまま、小さいほど良い）"),
            format_decimal(case.candidate.score.value, 4),
        ),
    ]
    if len(case.candidate.sharing):
        pairs.append(
            (
                Text("fewest customers with one history", "同じ履歴を持つ顧客の最少数"),
                format_count(int(case.candidate.sharing.min())),
            )
        )
    return Facts(pairs=tuple(pairs))


def _utility(case: HistoryCase) -> tuple[Block, ...]:
    utility, columns = case.candidate.score.value, case.candidate.score.detail
    bars = [
        Bar(name=translate_name(name), value=error, note=format_decimal(error, 4)) for name, error in columns.items()
    ]
    mean = Bar(
        name=Text("all columns (U)", "全列の平均 (U)"),
        value=utility,
        note=format_decimal(case.candidate.score.value, 4),
    )
    worst = max(columns, key=lambda name: columns[name])
    named = translate(translate_name(worst), Language.JA)
    figure = Bars(
        title=Text("What the protection costs", "加工による誤差"),
        desc=Text(
            f"U is {utility:.4f}; the column that suffers most is {worst} ({columns[worst]:.4f}).",
            f"U は {utility:.4f}。最も誤差の大きい列は{named}（{columns[worst]:.4f}）です。",
        ),
        axis=Text("mean error of a cell: 0 as it was, 1 gone", "セルの平均誤差（0 = 元のまま、1 = 秘匿）"),
        bars=(*bars, mean),
        high=max(1.0, *columns.values()),
    )
    words = Text(
        "How far the released cells are from the truth, on average. A suppressed cell and each cell of a deleted row "
        "count 1.",
        "加工後のセルが真の値からどれだけ離れているかの平均です。秘匿したセルと、削除した行の各セルは 1 と数えます。",
    )
    return (
        Heading(text=Text("What is still good about it", "有用性")),
        Paragraph(text=words),
        Figure(picture=figure),
    )


def _before_after(case: HistoryCase) -> tuple[Block, ...]:
    cards = [
        column_card(case.original, case.candidate.release, column.name) for column in case.original.schema.attributes
    ]
    words = Text(
        "Filled: the original. Line: what a reader of the release would expect, a range or a set counted evenly over "
        "what it "
        "may be. The bar below tells what became of the cells.",
        "塗りは元データ、線は加工データから期待される分布（範囲や集合は均等に数える）です。下の帯はセルがどう加工されたかを示します。",
    )
    return (
        Heading(text=Text("Before and after", "加工の前後")),
        Paragraph(text=words),
        Beside(blocks=tuple(Figure(picture=card, caption=card.title) for card in cards)),
    )


def _sharing(case: HistoryCase) -> tuple[Block, ...]:
    if not len(case.candidate.sharing):
        return ()
    classes: list[Class] = []
    for low, high in SIZE_CLASSES:
        inside = sum(size >= low and (high is None or size <= high) for size in case.candidate.sharing.tolist())
        name = f"{low}+" if high is None else str(low) if low == high else f"{low}–{high}"
        classes.append(
            Class(name=name, value=inside, note=format_count(inside), tone=Tone.BAD if high == 1 else Tone.PLAIN)
        )
    alone, whole = int(classes[0].value), len(case.candidate.sharing)
    figure = Columns(
        title=Text("Customers who share one published history", "同じ公開履歴を持つ顧客"),
        desc=Text(
            f"{alone:,} of {whole:,} published customers have a history of their own.",
            f"公開された顧客 {whole:,} 人のうち {alone:,} 人の履歴は一意です。",
        ),
        x=Text("customers with the very same published rows", "まったく同じ公開行を持つ顧客の数"),
        y=Text("customers", "顧客数"),
        classes=tuple(classes),
    )
    words = Text(
        "Customers whose published rows are all the same cannot be told apart by anybody. Who stands alone can be "
        "found by one "
        "who knows his purchases.",
        "公開された行がすべて同じ顧客どうしは、誰にも見分けられません。一意な履歴の顧客は、購買を知る者に見つけられます。",
    )
    return (
        Heading(text=Text("Who can hide among whom", "匿名性")),
        Paragraph(text=words),
        Figure(picture=figure, caption=figure.desc),
    )


def _origin(case: HistoryCase) -> tuple[Block, ...]:
    if not case.origin:
        return ()
    steps = withhold_secrets(case.origin) if case.edition is Edition.PUBLIC else case.origin
    summary = Text("What made this report, to run it again", "この報告書の来歴（再実行のために）")
    return (Heading(text=Text("Provenance", "来歴")), Fold(summary=summary, blocks=(Origin(steps=steps),)))
