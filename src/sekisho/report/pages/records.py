"""A contest over records, told: the planner's frontier and the cross table of methods and adversaries."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.contest.records.conditions import Condition
from sekisho.gate.records.cross import CrossRow
from sekisho.gate.records.plan import Candidate, PlanStep
from sekisho.gate.records.risk import ORDERED, MeasuredRisk, strongest
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Cell, HeatMap, Mark, Scatter
from sekisho.report.kit.blocks import Block, Figure, Heading, Origin, Paragraph, Table, Tone, Verdict
from sekisho.report.kit.words import Text, Words, decimal

PLAN_TITLE = Text("A release of records, planned", "レコードデータの加工計画")
CROSS_TITLE = Text("Methods against adversaries", "加工手法と攻撃手法の総当たり")
RISK = Text("mean risk", "リスクの平均")
STRAIN = Text("nearest utility limit (1 = reached)", "最も厳しい有用性条件への近さ（1 で上限）")


def plan_blocks(step: PlanStep, target: float, origin: Provenance) -> tuple[Block, ...]:
    """Return the page of a plan: verdict, conditions, every adversary, and the frontier of what was tried."""
    best = step.best
    if best is None:
        return (Verdict(text=Text("No candidate meets every condition.", "全条件を満たす候補はない。"), tone=Tone.BAD),)
    top = strongest(best.risks)
    good = top.mean <= target
    verdict = Text(
        f"All conditions met; risk {top.mean:.4f} under the strongest adversary ({top.adversary}), aim {target:g}.",
        f"全条件を満たす。最強の攻撃（{top.adversary}）に対するリスク {top.mean:.4f}、目標 {target:g}。",
    )
    return (
        Verdict(text=verdict, tone=Tone.GOOD if good else Tone.BAD),
        Heading(text=Text("Conditions", "条件")),
        _condition_table(best.conditions),
        Heading(text=Text("Adversaries", "攻撃者")),
        _risk_table(best.risks | best.ordered),
        Paragraph(
            text=Text(
                "The index attack needs the rows in the original's order: shuffle them where the rules allow.",
                "index 攻撃は元データの行順を使う。規則が許すなら行を並べ替えて公開すること。",
            )
        ),
        Heading(text=Text("What was tried", "試した候補")),
        Figure(
            picture=_frontier(step.tried),
            caption=Text(
                "Risk of each candidate under the strongest of the scouting adversaries; right of 1 a condition is broken.",
                "各候補の予備攻撃に対する最大リスク。1 より右は条件違反。",
            ),
        ),
        Origin(steps=(origin,)),
    )


def cross_blocks(title: Words, rows: Sequence[CrossRow], findings: Sequence[Words], seeds: int) -> tuple[Block, ...]:
    """Return the heat map of a cross table with its findings."""
    names = tuple(rows[0].risks)
    highest = max(risk.mean for row in rows for risk in row.risks.values())
    cells = tuple(tuple(_cell(row, name, highest) for name in names) for row in rows)
    picture = HeatMap(
        title=title,
        desc=Text("Mean risk of each method under each adversary", "各加工手法の各攻撃に対する平均リスク"),
        rows=tuple(row.method for row in rows),
        columns=names,
        cells=cells,
        down=Text("method", "加工"),
        across=Text("adversary", "攻撃"),
    )
    told = tuple(Paragraph(text=finding) for finding in findings)
    head: tuple[Words, ...] = (
        Text("method", "加工"),
        Text("strongest adversary", "最強の攻撃"),
        RISK,
        Text("largest of a seed", "最大"),
        Text("top-k, 95 % interval", "top-k（95% 区間）"),
        Text("with the original's order", "元の順の場合"),
        Text("releases meeting all conditions", "全条件を満たした回数"),
    )
    body = tuple(_summary(row, seeds) for row in rows)
    return (
        Heading(text=title),
        Figure(
            picture=picture,
            caption=Text(
                "Framed: the strongest adversary who needs no order of the rows.",
                "枠：行順を使わない攻撃のうち最強のもの。",
            ),
        ),
        *told,
        Table(head=head, rows=body, numeric=(2, 3, 5)),
    )


def _summary(row: CrossRow, seeds: int) -> tuple[Words, ...]:
    """Tell the strongest adversary who needs no order, and beside it what the order gives away."""
    top = _lawful(row)
    ordered = [risk.mean for name, risk in row.risks.items() if name in ORDERED]
    rate = top.topk
    interval = f"{rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"
    given = decimal(max(ordered), 4) if ordered else "–"
    met = f"{row.met} / {seeds}"
    return (row.method, top.adversary, decimal(top.mean, 4), decimal(top.worst, 4), interval, given, met)


def _lawful(row: CrossRow) -> MeasuredRisk:
    """Return the strongest adversary who needs no order, or the strongest of all if there is no other."""
    return strongest({name: risk for name, risk in row.risks.items() if name not in ORDERED} or row.risks)


def _cell(row: CrossRow, name: str, highest: float) -> Cell:
    mean = row.risks[name].mean
    framed = _lawful(row).adversary == name
    return Cell(strength=(mean / highest) ** 0.5, text=decimal(mean, 3), tone=Tone.BAD, framed=framed)


def _condition_table(found: Sequence[Condition]) -> Table:
    head: tuple[Words, ...] = (
        Text("condition", "条件"),
        Text("value", "値"),
        Text("limit", "上限・下限"),
        Text("met", "充足"),
    )
    rows = tuple(
        (one.name, "–" if one.value is None else decimal(one.value, 4), f"{one.side} {one.limit:g}", _yes(met=one.met))
        for one in found
    )
    return Table(head=head, rows=rows, numeric=(1,))


def _yes(*, met: bool) -> Words:
    return Text("yes", "○") if met else Text("no", "×")


def _risk_table(risks: dict[str, MeasuredRisk]) -> Table:
    head: tuple[Words, ...] = (Text("adversary", "攻撃"), RISK, Text("largest", "最大"), Text("top-k", "top-k"))
    order = sorted(risks.values(), key=lambda one: -one.mean)
    rows = tuple(
        (one.adversary, decimal(one.mean, 4), decimal(one.worst, 4), decimal(one.topk.value, 3)) for one in order
    )
    return Table(head=head, rows=rows, numeric=(1, 2, 3))


def _frontier(tried: Sequence[Candidate]) -> Scatter:
    points = tuple(Mark(name=str(one.trial), x=one.strain, y=one.risk) for one in tried)
    return Scatter(
        title=Text("Risk against utility", "リスクと有用性"),
        desc=Text("Candidates by strain on the utility conditions and by risk", "候補の有用性条件への近さとリスク"),
        x=Axis(label=STRAIN),
        y=Axis(label=RISK),
        points=points,
        front=True,
    )
