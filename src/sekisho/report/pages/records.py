"""A release of records, planned: the conditions it meets, every adversary, and the frontier of what was tried."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.contest.records.conditions import Condition, Side
from sekisho.errors import BugError
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.plan import PlanStep
from sekisho.gate.records.risk import RecordsAttempt
from sekisho.gate.records.stage import RecordsCandidate
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Banner, Block, Figure, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Text, Words, format_decimal

PLAN_TITLE = Text("A release of records, planned", "レコードデータの加工計画")
RISK = Text("mean risk", "リスクの平均")
STRAIN = Text("nearest utility limit (1 = reached)", "最も厳しい有用性条件への近さ（1 で上限）")


def plan_blocks(step: PlanStep, target: float, origin: Provenance) -> tuple[Block, ...]:
    """Return the page of a plan: verdict, conditions, every adversary, and the frontier of what was tried."""
    best = step.best
    if best is None:
        return (
            Banner(text=Text("No candidate meets every condition.", "全条件を満たす候補はありません。"), tone=Tone.BAD),
        )
    top = best.strongest
    if top is None:
        raise BugError("a planned release that nobody attacked")
    good = best.verdict is Verdict.RELEASE
    allowed = (" that the round allows", "ラウンドで許される中で") if best.forbidden else ("", "")
    verdict = Text(
        f"All conditions met; risk {top.mean:.4f} under the strongest adversary{allowed[0]} ({top.adversary}), "
        f"aim {target:g}.",
        f"全条件を満たします。{allowed[1]}最強の攻撃（{top.adversary}）に対するリスクは {top.mean:.4f}、目標は "
        f"{target:g} です。",
    )
    return (
        Banner(text=verdict, tone=Tone.GOOD if good else Tone.BAD),
        Heading(text=Text("Conditions", "条件")),
        condition_table(best.conditions),
        Heading(text=Text("Adversaries", "攻撃者")),
        risk_table(best.attempts),
        *_order_blocks(best),
        Heading(text=Text("What was tried", "試した候補")),
        Figure(
            picture=frontier_figure(step.tried),
            caption=Text(
                "Risk of each candidate under the strongest of the scouting adversaries; right of 1 a condition is "
                "broken.",
                "各候補の予備攻撃に対する最大リスクです。1 より右は条件違反です。",
            ),
        ),
        Origin(steps=(origin,)),
    )


def _order_blocks(best: RecordsCandidate) -> list[Block]:
    if best.order is not None:
        return [
            Paragraph(
                text=Text(
                    "The rows are shuffled before they leave, and were attacked so; how is confidential.",
                    "行は並べ替えてから公開し、その状態で攻撃を試みました。並べ替えの内容は非公開です。",
                )
            )
        ]
    if not best.forbidden:
        return [
            Paragraph(
                text=Text(
                    "The rules have the rows in the original's order, and attacks by the order count like all others.",
                    "行は規則により元データの順のままで、行順を使う攻撃も他の攻撃と同じく数えます。",
                )
            )
        ]
    told = ", ".join(f"{one.adversary} {one.mean:.4f}" for one in best.forbidden)
    warning = Text(
        f"The rows stand in the original's order, as the rules ask. Attacks by the order, which the round forbids, are "
        f"not counted above: {told}. Outside the contest nobody forbids them: publish the rows shuffled.",
        f"行は規則により元データの順のままです。行順を使う攻撃はこのラウンドで禁止されており、上の表に含めていません：{told}。"
        "コンテストの外では誰も禁止しません。行を並べ替えて公開してください。",
    )
    return [Banner(text=warning, tone=Tone.WARN), risk_table(best.forbidden)]


def condition_table(conditions: Sequence[Condition]) -> TableBlock:
    """Return every condition with its value, its limit and whether it is met."""
    head: tuple[Words, ...] = (
        Text("condition", "条件"),
        Text("value", "値"),
        Text("limit", "上限・下限"),
        Text("met", "充足"),
    )
    rows = tuple(
        (
            one.name,
            "–" if one.value is None else format_decimal(one.value, 4),
            condition_limit(one),
            "–" if one.limit is None else _yes(met=one.met),
        )
        for one in conditions
    )
    return TableBlock(head=head, rows=rows, numeric=(1,))


def condition_limit(one: Condition) -> Text:
    """Return what a condition asks for, in words."""
    if one.limit is None:
        return Text("no limit", "制限なし")
    return Text(f"{one.side} {one.limit:g}", f"{one.limit:g} {'以下' if one.side is Side.AT_MOST else '以上'}")


def _yes(*, met: bool) -> Words:
    return Text("yes", "○") if met else Text("no", "×")


def risk_table(risks: Sequence[RecordsAttempt]) -> TableBlock:
    """Return what every adversary came to, the strongest first."""
    head: tuple[Words, ...] = (Text("adversary", "攻撃"), RISK, Text("largest", "最大"), Text("top-k", "top-k"))
    order = sorted(risks, key=lambda one: -one.mean)
    rows = tuple(
        (one.adversary, format_decimal(one.mean, 4), format_decimal(one.worst, 4), format_decimal(one.topk.value, 3))
        for one in order
    )
    return TableBlock(head=head, rows=rows, numeric=(1, 2, 3))


def frontier_figure(tried: Sequence[RecordsCandidate], *, tones: Sequence[Tone] = ()) -> Scatter:
    """Return what was tried by utility and risk, each in the tone of its verdict if tones are given."""
    shown = list(tones) or [Tone.PLAIN] * len(tried)
    points = tuple(
        Mark(name=one.label, x=one.score.value, y=one.risk, tone=tone) for one, tone in zip(tried, shown, strict=True)
    )
    return Scatter(
        title=Text("Risk against utility", "リスクと有用性"),
        desc=Text("Candidates by strain on the utility conditions and by risk", "候補の有用性条件への近さとリスク"),
        x=Axis(label=STRAIN),
        y=Axis(label=RISK),
        points=points,
        front=True,
    )
