"""How a customer was found: which knowledge left how many candidates, and the rows that gave him away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sekisho.errors import ParameterError
from sekisho.report.bars import Bar, Bars
from sekisho.report.blocks import Block, Figure, Fold, Heading, Paragraph, Table, Tone
from sekisho.report.words import Text, Words, count


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why an adversary named a customer.

    Attributes:
        pseudonym: as published.
        customer: as claimed.
        right: whether the claim was right; None where nobody may say.
        steps: what the adversary looked at, in order, and how many candidates were left after it.
        head: the columns of the telling rows.
        rows: the published rows that told most, beside the original's.
    """

    pseudonym: str
    customer: str
    right: bool | None = None
    steps: tuple[tuple[Words, int], ...] = ()
    head: tuple[Words, ...] = ()
    rows: tuple[tuple[Words, ...], ...] = ()

    def __post_init__(self) -> None:
        lefts = [left for _, left in self.steps]
        if any(left < 0 for left in lefts) or lefts != sorted(lefts, reverse=True):
            raise ParameterError("steps", "leave ever fewer candidates", lefts)


def explanation_blocks(explanations: Sequence[Explanation]) -> tuple[Block, ...]:
    """Return the part of the report that tells how customers were found."""
    if not explanations:
        return ()
    words = Text(
        "A few of the guesses, to see what gave people away: each bar is the number of customers still possible.",
        "推定の例です。何が手がかりになったかを示します。棒は、その時点で残る候補の顧客数です。",
    )
    return (
        Heading(text=Text("What gave customers away", "手がかり")),
        Paragraph(text=words),
        *(Fold(summary=_summary(each), blocks=_parts(each)) for each in explanations),
    )


def _summary(each: Explanation) -> Text:
    ends = {True: ("right", "的中"), False: ("wrong", "誤り"), None: ("not judged", "未判定")}[each.right]
    return Text(
        f"Pseudonym {each.pseudonym} is customer {each.customer}: {ends[0]}",
        f"仮名 {each.pseudonym} は顧客 {each.customer}：{ends[1]}",
    )


def _parts(each: Explanation) -> tuple[Block, ...]:
    parts: list[Block] = []
    if each.steps:
        last = each.steps[-1][1]
        figure = Bars(
            title=Text(f"Candidates for pseudonym {each.pseudonym}", f"仮名 {each.pseudonym} の候補"),
            desc=Text(f"{last:,} left at the end.", f"最後に残ったのは {last:,} 人。"),
            axis=Text("customers still possible", "残る候補の数"),
            bars=tuple(
                Bar(name=name, value=left, note=count(left), tone=Tone.BAD if left == 1 else Tone.PLAIN)
                for name, left in each.steps
            ),
        )
        parts.append(Figure(picture=figure))
    if each.rows:
        parts.append(Table(head=each.head, rows=each.rows, caption=Text("The rows that told most", "決め手となった行")))
    return tuple(parts)
