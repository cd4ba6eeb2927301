"""The page of a round of a contest: who stands where, which attack did what, utility against safety, bad files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from sekisho.contest.folder.evaluation import Evaluation
from sekisho.contest.folder.mailed_files import FileFault
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.result import AttackScore
from sekisho.contest.rules.contest_rules import RankBy
from sekisho.contest.standing import TeamStanding
from sekisho.errors import Fault
from sekisho.report.figures.gallery import Axis, Cell, HeatMap, LineChart, Mark, Scatter, Series
from sekisho.report.kit.blocks import Banner, Block, Facts, Figure, Fold, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Text, Words, format_count, format_decimal
from sekisho.safety.rejection import Bound

CURVE_POINTS = 100
LISTED_FAULTS = 200
UTILITY = Text("utility U (less is better)", "有用性指標 U（小さいほど良い）")
YES, NO = Text("yes", "はい"), Text("no", "いいえ")


def contest_title(evaluation: Evaluation) -> Text:
    """Return the page's title."""
    title = evaluation.rules.title
    return Text(f"Results: {title.en} ({evaluation.round})", f"結果：{title.ja}（{evaluation.round}）")


def contest_blocks(
    evaluation: Evaluation, *, translate_fault: Callable[[Fault], Fault] = lambda fault: fault
) -> tuple[Block, ...]:
    """Return the whole page as blocks.

    Args:
        evaluation: of the round.
        translate_fault: gives an error of a file with its message in Japanese, where somebody knows it.
    """
    standings, results = evaluation.standings, evaluation.results
    releases = sum(release is not None for release in results.releases.values())
    missing = results.list_missing()
    facts = Facts(
        pairs=(
            (Text("teams", "チーム数"), format_count(len(standings))),
            (Text("valid releases", "有効な加工データ"), format_count(releases)),
            (Text("valid attacks", "有効な攻撃"), format_count(len(results.attacks))),
            (Text("attacks not made", "行われなかった攻撃"), format_count(len(missing))),
            (Text("survivors", "生存した加工データ"), format_count(sum(each.survives for each in standings))),
            (Text("digest of the standings", "順位表のダイジェスト"), evaluation.digest),
        )
    )
    return (
        _banner(standings),
        facts,
        Heading(text=Text("Standings", "順位表")),
        _standings_table(evaluation),
        *_scatter_blocks(evaluation),
        *_matrix_blocks(evaluation),
        *_curve_blocks(evaluation),
        *_fault_blocks(evaluation, translate_fault),
    )


def _banner(standings: Sequence[TeamStanding]) -> Banner:
    first = [each.team for each in standings if each.rank == 1]
    if not first:
        text = Text(
            "No release survives: nobody is ranked.", "生存した加工データはなく、順位のついたチームはありません。"
        )
        return Banner(text=text, tone=Tone.BAD)
    names_en, names_ja = ", ".join(first), "、".join(first)
    text = Text(f"First: {names_en}.", f"1 位：{names_ja}。")
    return Banner(text=text, tone=Tone.GOOD)


def _standings_table(evaluation: Evaluation) -> TableBlock:
    measured = any(each.risk is not None for each in evaluation.standings)
    head: tuple[Words, ...] = (
        Text("team", "チーム"),
        Text("rank", "順位"),
        Text("utility", "有用性"),
        *((Text("risk", "リスク"), Text("as attacker", "攻撃者として")) if measured else ()),
        Text("survives", "生存"),
        Text("broken by", "破ったチーム"),
        Text("broke", "破った相手"),
    )
    rows = tuple(
        (
            each.team,
            "–" if each.rank is None else str(each.rank),
            _show(each.utility),
            *((_show(each.risk), _show(each.attack)) if measured else ()),
            YES if each.survives else NO,
            ", ".join(each.broken_by) or "–",
            ", ".join(each.breaks) or "–",
        )
        for each in evaluation.standings
    )
    by_risk = evaluation.rules.contest.ranking.by is RankBy.RISK
    caption = Text(
        f"Only releases that survive are ranked, by {'risk' if by_risk else 'utility'}; equal figures share a rank.",
        f"生存した加工データだけを{'リスク' if by_risk else '有用性'}で順位づけます。同じ値は同順位です。",
    )
    return TableBlock(head=head, rows=rows, caption=caption, numeric=tuple(range(1, 5 if measured else 3)))


def _show(value: float | None) -> str:
    return "–" if value is None else format_decimal(value, 6)


def _strength(score: AttackScore) -> float:
    """Return how near an attack came to breaking the release: hits against the threshold, or the risk itself."""
    if score.threshold is not None:
        return score.hits / score.threshold if score.threshold else 1.0
    return score.risk or 0.0


def _scatter_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    points: list[Mark] = []
    for each in evaluation.standings:
        if each.utility is None:
            continue
        against = [score for (_, on), score in evaluation.results.attacks.items() if on == each.team]
        danger = each.risk if each.risk is not None else max(map(_strength, against), default=0.0)
        points.append(Mark(name=each.team, x=each.utility, y=danger, tone=Tone.GOOD if each.survives else Tone.BAD))
    if not points:
        return ()
    history = isinstance(evaluation.rules, HistoryRules)
    label = (
        Text("strongest attack: hits / r(n), 1 breaks", "最も強い攻撃：的中数 / r(n)（1 以上で不可）")
        if history
        else Text("risk: the largest over attackers", "リスク（攻撃者の最大値）")
    )
    survivors = sum(mark.tone is Tone.GOOD for mark in points)
    picture = Scatter(
        title=Text("Utility against safety", "有用性と安全性"),
        desc=Text(
            f"{len(points)} releases, {survivors} of them survive.",
            f"加工データ {len(points)} 件、うち生存 {survivors} 件。",
        ),
        x=Axis(label=UTILITY),
        y=Axis(label=label, low=0.0),
        points=tuple(points),
        front=True,
    )
    caption = Text(
        "Green survives, red is broken or disqualified; less is better on both axes. That a release survived means "
        "that these attacks did not refute it, no more.",
        "緑は生存、赤は破られたか失格です。どちらの軸も小さいほど良い値です。"
        "生存は「これらの攻撃では棄却されなかった」ことだけを意味します。",
    )
    return (Heading(text=Text("Releases", "加工データ")), Figure(picture=picture, caption=caption))


def _matrix_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    results = evaluation.results
    targets = [team for team, release in results.releases.items() if release is not None]
    attackers = sorted({attacker for attacker, _ in results.attacks})
    if not targets or not attackers:
        return ()
    cells = tuple(tuple(_cell(results.attacks.get((attacker, target))) for target in targets) for attacker in attackers)
    broken = sum(score.effective for score in results.attacks.values())
    picture = HeatMap(
        title=Text("Who attacked whom", "攻撃の行列"),
        desc=Text(
            f"{len(results.attacks)} attacks, {broken} of them break a release.",
            f"攻撃 {len(results.attacks)} 件、うち {broken} 件が加工データを破りました。",
        ),
        rows=tuple(attackers),
        columns=tuple(targets),
        cells=cells,
        down=Text("attacker", "攻撃者"),
        across=Text("release", "加工データ"),
    )
    caption = (
        Text(
            "Each cell: right guesses / guesses. The stronger the colour, the nearer to r(n); red, framed: effective.",
            "各セル：的中数 / 推定数。色が濃いほど r(n) に近く、赤い枠つきは有効な再識別です。",
        )
        if isinstance(evaluation.rules, HistoryRules)
        else Text("Each cell: the risk.", "各セル：リスク。")
    )
    blocks: tuple[Block, ...] = (Heading(text=Text("Attacks", "攻撃")), Figure(picture=picture, caption=caption))
    missing = results.list_missing()
    if missing:
        names = ", ".join(f"{attacker} → {target}" for attacker, target in missing)
        blocks += (
            Fold(summary=Text("Attacks that were not made", "行われなかった攻撃"), blocks=(Paragraph(text=names),)),
        )
    return blocks


def _cell(score: AttackScore | None) -> Cell | None:
    if score is None:
        return None
    text = f"{score.hits}/{score.claimed}" if score.risk is None else format_decimal(score.risk)
    tone = Tone.BAD if score.effective else Tone.PLAIN
    return Cell(strength=_strength(score), text=text, tone=tone, framed=score.effective)


def _curve_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    rules, attacks = evaluation.rules, evaluation.results.attacks
    if not isinstance(rules, HistoryRules) or not attacks:
        return ()
    return (chart_threshold(rules, attacks, fewest=max(evaluation.people, 10)),)


def chart_threshold(rules: HistoryRules, attacks: Mapping[tuple[str, str], AttackScore], *, fewest: int) -> Figure:
    """Return the curve r(n) up to at least so many guesses, with attacks as points on it."""
    most = max([fewest, *(score.claimed for score in attacks.values())])
    guesses = sorted({*range(min(20, most) + 1), *(most * part // CURVE_POINTS for part in range(CURVE_POINTS + 1))})
    names = {
        Bound.UNION: Text("union bound r(n)", "和の上界 r(n)"),
        Bound.EXACT: Text("exact bound r*(n)", "厳密な上界 r*(n)"),
    }
    series = tuple(
        Series(
            name=names[bound], x=tuple(map(float, guesses)), y=tuple(float(rules.threshold(n, bound)) for n in guesses)
        )
        for bound in Bound
    )
    marks = tuple(
        Mark(
            name=f"{attacker} → {target}" if score.effective else "",
            x=score.claimed,
            y=score.hits,
            tone=Tone.BAD if score.effective else Tone.GOOD,
        )
        for (attacker, target), score in sorted(attacks.items())
    )
    broken = sum(score.effective for score in attacks.values())
    picture = LineChart(
        title=Text("Hits against the threshold", "的中数と基準値"),
        desc=Text(
            f"{len(marks)} attacks, {broken} at or above r(n).", f"攻撃 {len(marks)} 件、r(n) 以上は {broken} 件。"
        ),
        x=Axis(label=Text("customers named, n", "推定した顧客の数 n"), low=0.0, high=float(most)),
        y=Axis(label=Text("named rightly", "的中数"), low=0.0),
        series=series,
        marks=marks,
    )
    bound = names[rules.contest.bound]
    caption = Text(
        f"Each point is an attack; on or above the curve of this contest ({bound.en}) it breaks a release, and is red.",
        f"点は攻撃 1 件です。このコンテストの曲線（{bound.ja}）上かそれより上の点は加工データを破り、赤で示します。",
    )
    return Figure(picture=picture, caption=caption)


def _fault_blocks(evaluation: Evaluation, translate_fault: Callable[[Fault], Fault]) -> tuple[Block, ...]:
    heading = Heading(text=Text("Files with errors", "誤りのあるファイル"))
    if not evaluation.faults:
        return (heading, Paragraph(text=Text("None.", "ありません。")))
    head = (
        Text("file", "ファイル"),
        Text("row", "行"),
        Text("column", "列"),
        Text("rule", "規則"),
        Text("value", "値"),
        Text("what is wrong", "内容"),
    )
    rows = tuple(_fault_row(each, translate_fault) for each in islice(evaluation.faults, LISTED_FAULTS))
    total = sum(evaluation.counts.values())
    caption = Text(
        f"{total:,} errors in {len(evaluation.counts)} files, {len(rows)} of them shown. "
        "A bad file costs only its own team or attack.",
        f"{len(evaluation.counts)} 件のファイルに {total:,} 個の誤りがあります（表示 {len(rows)} 個）。"
        "誤りのあるファイルは、そのチームまたは攻撃だけに影響します。",
    )
    return (heading, TableBlock(head=head, rows=rows, caption=caption, numeric=(1,)))


def _fault_row(each: FileFault, translate_fault: Callable[[Fault], Fault]) -> tuple[Words, ...]:
    fault = each.fault
    message = Text(fault.message, translate_fault(fault).message)
    return each.file, str(fault.row or "–"), fault.column or "–", fault.rule, fault.value, message
