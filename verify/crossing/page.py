"""The cross table of methods and adversaries as blocks of a page."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.report.figures.gallery import Cell, HeatMap
from sekisho.report.kit.blocks import Block, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_decimal
from sekisho.report.pages.records.plan import RISK
from sekisho.words import bilingual

from .methods import CrossRow

CROSS_TITLE = bilingual("Methods against adversaries", "加工手法と攻撃手法の総当たり")


def cross_blocks(title: Words, rows: Sequence[CrossRow], findings: Sequence[Words], seeds: int) -> tuple[Block, ...]:
    """Return the heat map of a cross table with its findings."""
    names = tuple(rows[0].risks)
    highest = max(risk.mean for row in rows for risk in row.risks.values())
    cells = tuple(tuple(_cell(row, name, highest) for name in names) for row in rows)
    picture = HeatMap(
        title=title,
        desc=bilingual("Mean risk of each method under each adversary", "各加工手法の各攻撃に対する平均リスク"),
        rows=tuple(row.method for row in rows),
        columns=names,
        cells=cells,
        down=bilingual("method", "加工"),
        across=bilingual("adversary", "攻撃"),
    )
    paragraphs = tuple(Paragraph(text=finding) for finding in findings)
    head: tuple[Words, ...] = (
        bilingual("method", "加工"),
        bilingual("strongest adversary", "最強の攻撃"),
        RISK,
        bilingual("largest of a seed", "最大"),
        bilingual("top-k, 95 % interval", "top-k（95% 区間）"),
        bilingual("with the original's order", "元の順の場合"),
        bilingual("releases meeting all conditions", "全条件を満たした回数"),
    )
    body = tuple(_summary(row, seeds) for row in rows)
    return (
        Heading(text=title),
        Figure(
            picture=picture,
            caption=bilingual(
                "Framed: the strongest adversary who needs no order of the rows.",
                "枠：行順を使わない攻撃のうち最強のもの。",
            ),
        ),
        *paragraphs,
        TableBlock(head=head, rows=body, numeric=(2, 3, 5)),
    )


def _summary(row: CrossRow, seeds: int) -> tuple[Words, ...]:
    """Tell the strongest adversary who needs no order, and beside it what the order gives away."""
    top = row.lawful
    ordered = [risk.mean for name, risk in row.risks.items() if name in row.ordered]
    rate = top.topk
    interval = f"{rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"
    value = format_decimal(max(ordered), 4) if ordered else "–"
    met = f"{row.met} / {seeds}"
    return (row.method, top.adversary, format_decimal(top.mean, 4), format_decimal(top.worst, 4), interval, value, met)


def _cell(row: CrossRow, name: str, highest: float) -> Cell:
    mean = row.risks[name].mean
    framed = row.lawful.adversary == name
    return Cell(strength=(mean / highest) ** 0.5, text=format_decimal(mean, 3), tone=Tone.BAD, framed=framed)
