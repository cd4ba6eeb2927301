"""The page of a round of a contest: who stands where, which attack did what, utility against safety, bad files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from sekisho.contest.folder.evaluation import Evaluation
from sekisho.contest.folder.mailed_files import FileFault
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rules import RankBy
from sekisho.contest.scoring import AttackScore
from sekisho.contest.standing import TeamStanding
from sekisho.report.figures.gallery import Axis, Cell, HeatMap, LineChart, Mark, Scatter, Series
from sekisho.report.kit.blocks import Banner, Block, Facts, Figure, Fold, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count, format_decimal
from sekisho.safety.rejection import Bound
from sekisho.words import Said, bilingual, join_words

CURVE_POINTS = 100
LISTED_FAULTS = 200
UTILITY = Said("error U (less is better)")
YES, NO = Said("yes"), Said("no")


def contest_title(evaluation: Evaluation) -> Said:
    """Return the page's title."""
    title = evaluation.rules.title
    return Said("Results: {title} ({round})", title=bilingual(title.en, title.ja), round=evaluation.round)


def contest_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the whole page of a round as blocks."""
    standings, results = evaluation.standings, evaluation.results
    releases = sum(release is not None for release in results.releases.values())
    missing = results.list_missing()
    facts = Facts(
        pairs=(
            (Said("teams"), format_count(len(standings))),
            (Said("valid releases"), format_count(releases)),
            (Said("valid attacks"), format_count(len(results.attacks))),
            (Said("attacks not made"), format_count(len(missing))),
            (Said("survivors"), format_count(sum(each.survives for each in standings))),
            (Said("digest of the standings"), evaluation.digest),
        )
    )
    return (
        _banner(standings),
        facts,
        Heading(text=Said("Standings")),
        _standings_table(evaluation),
        *_scatter_blocks(evaluation),
        *_matrix_blocks(evaluation),
        *_curve_blocks(evaluation),
        *_fault_blocks(evaluation),
    )


def _banner(standings: Sequence[TeamStanding]) -> Banner:
    first = [each.team for each in standings if each.rank == 1]
    if not first:
        text = Said("No release survives: nobody is ranked.")
        return Banner(text=text, tone=Tone.BAD)
    text = Said("First: {teams}.", teams=join_words(first, ", "))
    return Banner(text=text, tone=Tone.GOOD)


def _totals_table(evaluation: Evaluation) -> TableBlock:
    boards = sorted({name for each in evaluation.standings for name in each.boards or {"": None}})
    named: list[Words] = [Said("as attacker"), Said("rank as attacker")]
    if boards != [""]:
        named = [
            words
            for name in boards
            for words in (Said("{board}: as attacker", board=name), Said("{board}: rank as attacker", board=name))
        ]
    head: tuple[Words, ...] = (Said("team"), Said("rank"), Said("total"), Said("Utility"), *named)
    rows = tuple(
        (
            each.team,
            "–" if each.rank is None else str(each.rank),
            _show(each.total) if each.survives else "–",
            _show(each.utility),
            *(
                cell
                for value, rank in map(each.find_board, boards)
                for cell in (_show(value), "–" if rank is None else str(rank))
            ),
        )
        for each in evaluation.standings
    )
    caption = Said(
        "Releases by total, as the rules combine utility and what attacks leave; equal figures share a rank."
    )
    return TableBlock(head=head, rows=rows, caption=caption, numeric=tuple(range(1, len(head))))


def _standings_table(evaluation: Evaluation) -> TableBlock:
    if evaluation.rules.contest.ranking.by is RankBy.TOTAL:
        return _totals_table(evaluation)
    measured = any(each.risk is not None for each in evaluation.standings)
    head: tuple[Words, ...] = (
        Said("team"),
        Said("rank"),
        Said("error"),
        *((Said("risk"), Said("as attacker")) if measured else ()),
        Said("survives"),
        Said("broken by"),
        Said("broke"),
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
    caption = Said(
        "Only releases that survive are ranked, by {measure}; equal figures share a rank.",
        measure=Said("risk") if by_risk else Said("error"),
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
        if each.utility is None or each.total is not None:  # of totals more is better: there is no such front
            continue
        against = [score for (_, on), score in evaluation.results.attacks.items() if on == each.team]
        danger = each.risk if each.risk is not None else max(map(_strength, against), default=0.0)
        points.append(Mark(name=each.team, x=each.utility, y=danger, tone=Tone.GOOD if each.survives else Tone.BAD))
    if not points:
        return ()
    history = isinstance(evaluation.rules, HistoryRules)
    label = Said("strongest attack: hits / r(n), 1 breaks") if history else Said("risk: the largest over attackers")
    survivors = sum(mark.tone is Tone.GOOD for mark in points)
    picture = Scatter(
        title=Said("Utility against safety"),
        desc=Said(
            "{releases} {releases:release|releases}, {survivors} of them {survivors:survives|survive}.",
            releases=len(points),
            survivors=survivors,
        ),
        x=Axis(label=UTILITY),
        y=Axis(label=label, low=0.0),
        points=tuple(points),
        front=True,
    )
    caption = Said(
        "Green survives, red is broken or disqualified; less is better on both axes. That a release survived means "
        "that these attacks did not refute it, no more."
    )
    return (Heading(text=Said("Releases")), Figure(picture=picture, caption=caption))


def _matrix_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    results = evaluation.results
    targets = [team for team, release in results.releases.items() if release is not None]
    attackers = sorted({attacker for attacker, _ in results.attacks})
    if not targets or not attackers:
        return ()
    cells = tuple(tuple(_cell(results.attacks.get((attacker, target))) for target in targets) for attacker in attackers)
    broken = sum(score.effective for score in results.attacks.values())
    picture = HeatMap(
        title=Said("Who attacked whom"),
        desc=Said(
            "{attacks} {attacks:attack|attacks}, {broken} of them {broken:breaks|break} a release.",
            attacks=len(results.attacks),
            broken=broken,
        ),
        rows=tuple(attackers),
        columns=tuple(targets),
        cells=cells,
        down=Said("attacker"),
        across=Said("release"),
    )
    caption = (
        Said("Each cell: right guesses / guesses. The stronger the colour, the nearer to r(n); red, framed: effective.")
        if isinstance(evaluation.rules, HistoryRules)
        else Said("Each cell: the share of right answers.")
        if evaluation.rules.contest.ranking.by is RankBy.TOTAL
        else Said("Each cell: the risk.")
    )
    blocks: tuple[Block, ...] = (Heading(text=Said("Attacks")), Figure(picture=picture, caption=caption))
    missing = results.list_missing()
    if missing:
        names = ", ".join(f"{attacker} → {target}" for attacker, target in missing)
        blocks += (Fold(summary=Said("Attacks that were not made"), blocks=(Paragraph(text=names),)),)
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
        Bound.UNION: Said("union bound r(n)"),
        Bound.EXACT: Said("exact bound r*(n)"),
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
        title=Said("Hits against the threshold"),
        desc=Said("{attacks} {attacks:attack|attacks}, {broken} at or above r(n).", attacks=len(marks), broken=broken),
        x=Axis(label=Said("customers named, n"), low=0.0, high=float(most)),
        y=Axis(label=Said("named rightly"), low=0.0),
        series=series,
        marks=marks,
    )
    bound = names[rules.contest.bound]
    caption = Said(
        "Each point is an attack; on or above the curve of this contest ({bound}) it breaks a release, and is red.",
        bound=bound,
    )
    return Figure(picture=picture, caption=caption)


def _fault_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    heading = Heading(text=Said("Files with errors"))
    if not evaluation.faults:
        return (heading, Paragraph(text=Said("None.")))
    head = (
        Said("file"),
        Said("row"),
        Said("column"),
        Said("rule"),
        Said("value"),
        Said("what is wrong"),
    )
    rows = tuple(_fault_row(each) for each in islice(evaluation.faults, LISTED_FAULTS))
    total = sum(evaluation.counts.values())
    caption = Said(
        "{total:,} {total:error|errors} in {files} {files:file|files}, {shown} of them shown. A bad file "
        "costs only its own team or attack.",
        total=total,
        files=len(evaluation.counts),
        shown=len(rows),
    )
    return (heading, TableBlock(head=head, rows=rows, caption=caption, numeric=(1,)))


def _fault_row(each: FileFault) -> tuple[Words, ...]:
    fault = each.fault
    return each.file, str(fault.row or "–"), fault.column or "–", fault.rule, fault.value, fault.message
