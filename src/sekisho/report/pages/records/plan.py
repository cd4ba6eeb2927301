"""A release of records, planned: the conditions it meets, every adversary, and the frontier of what was tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sekisho.data.review import ReleaseReview
from sekisho.errors import BugError
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.test_sets import RecordsAttempt, RiskCandidate
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Banner, Block, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, format_decimal, format_out_of, translate
from sekisho.report.pages.verdicts.adversaries import describe_adversary
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.utility.records.conditions import Condition, Side

if TYPE_CHECKING:  # its search and its regression are loaded only by those who plan
    from sekisho.gate.records.plan import PlanStep

PLAN_TITLE = Text("A release of records, planned", "レコードデータの加工計画")
RISK = Text("mean risk", "リスクの平均")
STRAIN = Text("nearest utility limit (1 = reached)", "最も厳しい有用性条件への近さ（1 で上限）")
RISK_WORDS = Text(
    "The risk of a release is, for each adversary, the product of three shares: of the kept records those he calls "
    "kept, of those he calls kept the ones that are, and of the kept records those whose row is among the ones he "
    "names. 0 means that he finds nobody, 1 that he finds everybody.",
    "リスクは、攻撃ごとに三つの割合の積です。残されたレコードのうち残されたと答えたものの割合、残されたと答えたうち"
    "実際に残されていたものの割合、残されたレコードのうち名指しした行に正解が含まれるものの割合です。"
    "0 は誰も見つからないこと、1 は全員が見つかることを意味します。",
)
TRIED_WORDS = Text(
    "Each point is a way to delete and to exchange records. Lean says how strongly records that are easily found are "
    "deleted first, pull how strongly values that many could bear are preferred.",
    "点は、削除と入れ替えのしかたの一つ一つです。lean は見つかりやすいレコードを優先して削除する強さ、pull は"
    "多くの人が持ちうる値を優先する強さです。",
)
MEANINGS = {
    "rate": Text("largest change of a share of all records", "全レコードに占める割合の変化の最大"),
    "odds": Text("largest change of an odds ratio of the regression", "回帰のオッズ比の変化の最大"),
    "cor": Text("largest change of a correlation of two columns", "2 列の相関係数の変化の最大"),
    "iloss": Text("farthest that a record was changed", "レコードの変化の最大"),
    "uniqrt": Text("share of records that are kept and alone with their values", "残した中で値の組が一意なものの割合"),
    "kept": Text("share of the records that are kept", "残したレコードの割合"),
}


def plan_blocks(step: PlanStep, target: float, origin: Provenance, *, review: ReleaseReview) -> tuple[Block, ...]:
    """Return the page of a plan: verdict, conditions, every adversary, and the frontier of what was tried."""
    best = step.best
    if best is None:
        return (
            Banner(text=Text("No candidate meets every condition.", "全条件を満たす候補はありません。"), tone=Tone.BAD),
        )
    return (
        _banner(best, target, review),
        *review_blocks(review),
        Heading(text=Text("Conditions", "条件")),
        condition_table(best.conditions),
        Heading(text=Text("What attackers found", "攻撃の結果")),
        Paragraph(text=RISK_WORDS),
        risk_table(best.attempts),
        *_order_blocks(best),
        Heading(text=Text("What was tried", "試した候補")),
        Paragraph(text=TRIED_WORDS),
        Figure(
            picture=frontier_figure(step.tried),
            caption=Text(
                "Risk of each candidate under the strongest of the scouting adversaries; right of 1 a condition is "
                "broken.",
                "各候補の予備攻撃に対する最大リスクです。1 より右は条件違反です。",
            ),
        ),
        Fold(summary=Text("The candidates in figures", "候補の数値"), blocks=(_tried_table(step.tried),)),
        Heading(text=Text("Provenance", "来歴")),
        Fold(
            summary=Text("What made this report, to run it again", "この報告書の来歴（再実行のために）"),
            blocks=(Origin(steps=(origin,)),),
        ),
    )


def _banner(best: RiskCandidate, target: float, review: ReleaseReview) -> Banner:
    """Return the verdict; what the contest alone forbids does not count there, but is no reason for a tick."""
    top = best.strongest
    if top is None:
        raise BugError("a planned release that nobody attacked")
    by_order = max(best.forbidden, key=lambda one: one.mean, default=None)
    allowed = Text("", "") if by_order is None else Text(" that the round allows", "このラウンドで許される中で")
    conditions = (
        Text("All conditions are met", "全条件を満たし")
        if best.admissible
        else Text("Not every condition is met", "満たされない条件があり")
    )
    name, asked = [translate(translate_name(top.adversary), each) for each in Language], f"{target:g}"
    risk = Text(
        f"the strongest adversary{allowed.en} ({name[0]}) comes to a risk of {top.mean:.4f}; below {asked} was asked",
        f"{allowed.ja}最も強い攻撃（{name[1]}）のリスクは {top.mean:.4f}（求められたのは {asked} 未満）",
    )
    if by_order is not None and by_order.mean >= target:
        warning = Text(
            f"For the contest only. {conditions.en}, and {risk.en}. Whoever uses the order of the rows, which only the "
            f"contest forbids, comes to {by_order.mean:.4f}: elsewhere publish the rows shuffled.",
            f"コンテスト専用です。{conditions.ja}、{risk.ja}です。ただし、コンテストでのみ禁止されている行の順序を使う攻撃の"
            f"リスクは {by_order.mean:.4f} です。ほかで使うときは行を並べ替えて公開してください。",
        )
        return Banner(text=warning, tone=Tone.WARN if best.verdict is Verdict.RELEASE else Tone.BAD)
    words = Text(f"{conditions.en}, and {risk.en}.", f"{conditions.ja}、{risk.ja}です。")
    good = Tone.WARN if review.needed else Tone.GOOD
    return Banner(text=words, tone=good if best.verdict is Verdict.RELEASE else Tone.BAD)


def _tried_table(tried: Sequence[RiskCandidate]) -> TableBlock:
    head: tuple[Words, ...] = (Text("candidate", "候補"), STRAIN, Text("largest mean risk", "平均リスクの最大"))
    order = sorted(tried, key=lambda one: one.risk)
    rows = tuple((one.label, format_decimal(one.score.value, 3), format_decimal(one.risk, 4)) for one in order)
    return TableBlock(head=head, rows=rows, numeric=(1, 2))


def _order_blocks(best: RiskCandidate) -> list[Block]:
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
    warning = Text(
        "The rows stand in the original's order, as the rules ask. The attacks by that order, which the round forbids, "
        "are not counted above, but here:",
        "行は規則により元データの順のままです。行順を使う攻撃はこのラウンドで禁止されているため上の表には含めず、ここに示します。",
    )
    return [Paragraph(text=warning), risk_table(best.forbidden)]


def condition_table(conditions: Sequence[Condition]) -> TableBlock:
    """Return every condition with its value, its limit and whether it is met."""
    head: tuple[Words, ...] = (
        Text("condition", "条件"),
        Text("value", "値"),
        Text("limit", "上限・下限"),
        Text("met", "充足"),
        Text("what it is", "意味"),
    )
    rows = tuple(
        (
            one.name,
            "–" if one.value is None else format_decimal(one.value, 4),
            condition_limit(one),
            "–" if one.limit is None else _yes(met=one.met),
            MEANINGS.get(one.name, "–"),
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
    """Return what every adversary came to, the strongest first, each mean with its interval."""
    head: tuple[Words, ...] = (
        Text("adversary", "攻撃"),
        RISK,
        Text("95% interval", "95% 信頼区間"),
        Text("largest", "最大"),
        Text("rows rightly named", "行の的中"),
        Text("what he does", "手口"),
    )
    order = sorted(risks, key=lambda one: -one.mean)
    rows = tuple(
        (
            translate_name(one.adversary),
            format_decimal(one.mean, 4),
            f"{format_decimal(one.low, 4)} – {format_decimal(one.high, 4)}",
            format_decimal(one.worst, 4),
            format_out_of(one.hits, one.topk.trials),
            describe_adversary(one.adversary),
        )
        for one in order
    )
    return TableBlock(head=head, rows=rows, numeric=(1, 2, 3, 4))


def frontier_figure(tried: Sequence[RiskCandidate], *, tones: Sequence[Tone] = ()) -> Scatter:
    """Return what was tried by utility and risk, each in the tone of its verdict if tones are given."""
    shown = list(tones) or [Tone.PLAIN] * len(tried)
    points = tuple(
        Mark(name=one.label, x=one.score.value, y=one.risk, tone=tone) for one, tone in zip(tried, shown, strict=True)
    )
    return Scatter(
        title=Text("Risk against utility", "リスクと有用性"),
        desc=Text(
            f"{len(tried)} candidates; to the left is more useful, further down is safer.",
            f"{len(tried)} 候補。左ほど有用、下ほど安全です。",
        ),
        x=Axis(label=STRAIN),
        y=Axis(label=RISK),
        points=points,
        front=True,
    )
