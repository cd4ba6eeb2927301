"""What the page tells of records that were judged by their keys: who is found, what is proven, what was lost.

How easily people were found in the original and are in its release, and which columns gave them away.

Both editions tell counts over the keys, and of the release how diverse its classes are in what must stay hidden: they
name nobody and show no value, and whoever has the release can count them of it again. What the classes of the original
tell about sensitive columns stays in the house.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.data.frame.release import SyntheticRelease
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Outcome
from sekisho.gate.records.cell_attacks import CellAttempt
from sekisho.gate.records.comparison import Compared
from sekisho.gate.records.keys_judge import KeyedCandidate, KeysJudge
from sekisho.gate.records.statements import find_prosecutor
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.bars import Bar, Bars, Interval, IntervalPlot
from sekisho.report.kit.blocks import (
    Banner,
    Beside,
    Block,
    Facts,
    Figure,
    Heading,
    Paragraph,
    TableBlock,
    Tone,
)
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_count, format_decimal, format_out_of, format_percent
from sekisho.report.pages.before_after import column_card, fates_table, missing_facts
from sekisho.report.pages.records.keyed_parts import BANNERS, list_facts, show_tried
from sekisho.report.pages.risk.comparison import BETRAYED, COUNTED, describe_counted, name_measure
from sekisho.report.pages.verdicts.adversaries import describe_adversary
from sekisho.report.pages.verdicts.ending import TONES
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.report.pages.verdicts.tried import (
    kept_blocks,
)
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.uniques.key_uniques import KeyUniques
from sekisho.words import Said, join_words

HEADING = Said("How easily people are found: before and now")
BLAME = Said("people|Which columns give people away")
FOUND = Said("found by him, on average")
HOPED = Said("found by him, on average (of the release, as he hopes)")
UNKNOWN = "–"


def change_blocks(judge: KeysJudge, best: KeyedCandidate, *, edition: Edition) -> tuple[Block, ...]:
    """Return the risk of the original beside that of the release, in plain words first."""
    return (
        Heading(text=HEADING),
        Paragraph(text=join_words((_say_before(judge.unprotected.classes), _say_now(best.compared)), " ")),
        _table(judge, best, edition),
        *blame_blocks(judge.unprotected.uniques),
    )


def _say_before(classes: RecordRisk) -> Said:
    if not classes.uniques:
        return Said(
            "Before, nobody was alone on the keys: everybody shared them with at least {others:,} "
            "{others:other|others}.",
            others=classes.k - 1,
        )
    alone, people, share = classes.uniques, classes.rows, format_percent(classes.uniques / classes.rows)
    return Said(
        "Before, {alone:,} of {people:,} {people:person|people} ({share}) {alone:was|were} alone in "
        "their class of equal keys: whoever knew their keys found them for certain.",
        alone=alone,
        people=people,
        share=share,
    )


def _say_now(now: Compared) -> Said:
    if isinstance(now.release, SyntheticRelease):
        return Said(
            "The release is synthetic: no row of it is anybody's, and {uniques:,} of its {rows:,} "
            "{rows:row|rows} {uniques:is|are} alone on the keys. Whom it betrays all the same is told "
            "below, beside people who are not in the original.",
            uniques=now.uniques,
            rows=now.rows,
        )
    if not now.uniques:
        return Said(
            "Now nobody is: every record of the release shares its keys with at least {others:,} "
            "{others:other|others}.",
            others=now.k - 1,
        )
    return Said(
        "Now {uniques:,} of {rows:,} {rows:record|records} of the release {uniques:is|are} alone. Alone "
        "is not yet found, where values were changed: what attackers find is told below.",
        uniques=now.uniques,
        rows=now.rows,
    )


def _table(judge: KeysJudge, best: KeyedCandidate, edition: Edition) -> TableBlock:
    before, now = judge.unprotected.classes, best.compared
    attack = find_prosecutor(now.attacks, judge.question.keys)
    hopes = attack is not None and attack.rate is None
    rows: list[tuple[Words, ...]] = [
        (Said("unit|records"), format_count(before.rows), format_count(now.rows)),
        (Said("smallest class of equal keys (k)"), str(before.k), format_count(now.k)),
        (
            Said("alone in their class"),
            _show_share(before.uniques, before.rows),
            _show_share(now.uniques, now.rows),
        ),
        (
            Said("people looked for by one who knows all keys"),
            format_count(before.rows),
            UNKNOWN if attack is None else format_count(attack.people),
        ),
        (
            HOPED if hopes else FOUND,
            _show_share(judge.unprotected.found, before.rows),
            UNKNOWN
            if attack is None or attack.share is None
            else _show_share(attack.share * attack.people, attack.people),
        ),
    ]
    if judge.question.sensitive:
        own = edition is Edition.CONFIDENTIAL
        diversity = (before.diversity if own else None, now.diversity)
        closeness = (before.closeness if own else None, now.classes.closeness)
        rows += [
            (
                Said("fewest sensitive values of a class (l)"),
                *(UNKNOWN if each is None else format_count(each) for each in diversity),
            ),
            (
                Said("farthest class from the whole file (t)"),
                *(UNKNOWN if each is None else format_decimal(each) for each in closeness),
            ),
        ]
    head = (Said("figure"), Said("original"), Said("release"))
    return TableBlock(head=head, rows=tuple(rows), numeric=(1, 2))


def _show_share(count: float, whole: int) -> str:
    shown = format_count(int(count)) if count == int(count) else format_decimal(count, 1)
    return f"{shown} ({format_percent(count / whole)})" if whole else shown


def blame_blocks(uniques: KeyUniques) -> tuple[Block, ...]:
    """Return which keys make people of the original unique: how many fewer would be without each."""
    if not uniques.unique or len(uniques.without) < 2:
        return ()
    fewer = sorted(((name, uniques.unique - left) for name, left in uniques.without.items()), key=lambda pair: -pair[1])
    worst, most = fewer[0]
    share = format_percent(uniques.unique / uniques.records)
    words = Said(
        "On all keys together {unique:,} of {records:,} {records:person|people} ({share}) of the "
        "original {unique:is|are} unique. If {worst} were not known, or not published, it would be "
        "{most:,} fewer. One person may be unique by several columns, so the bars do not add up.",
        unique=uniques.unique,
        records=uniques.records,
        share=share,
        worst=worst,
        most=most,
    )
    if 2 * most < uniques.unique:
        more = Said("No single column is to blame: what is left is enough to tell people apart.")
        words = join_words((words, more), " ")
    figure = Bars(
        title=Said("Fewer unique people without each column"),
        desc=_say_fewer(fewer),
        axis=Said("fewer unique people, of {unique:,}", unique=uniques.unique),
        bars=tuple(
            Bar(
                name=name,
                value=float(count),
                note=Said("{count:,} fewer, {left:,} left", count=count, left=uniques.unique - count),
                tone=Tone.BAD if 2 * count >= uniques.unique else Tone.PLAIN,
            )
            for name, count in fewer
        ),
        high=float(uniques.unique),
    )
    return (Heading(text=BLAME), Paragraph(text=words), Figure(picture=figure))


def _say_fewer(fewer: Sequence[tuple[str, int]]) -> Said:
    parts = [Said("without {name} {count:,} fewer", name=name, count=count) for name, count in fewer]
    return join_words(parts, "; ", "、")


def keyed_sections(judge: KeysJudge, outcome: Outcome[KeyedCandidate], edition: Edition) -> tuple[Block, ...]:
    """Return what the page tells of a release that was judged by its keys; the public edition shows no distribution."""
    best = outcome.best
    return (
        Banner(text=BANNERS[best.verdict], tone=TONES[best.verdict]),
        *reason_blocks(best.reasons, edition=edition),
        *change_blocks(judge, best, edition=edition),
        *standing_blocks(best.statements, edition=edition),
        _facts(judge, best, edition),
        *show_tried(
            outcome,
            edition,
            found=Said("largest share found"),
            axis=Said("largest share of people found by an attack"),
        ),
        *_attacks(best, judge.question.keys),
        *_counted(best),
        *kept_blocks(best.kept, edition=edition),
        *_losses(best),
        *_columns(judge, best, edition),
    )


def _facts(judge: KeysJudge, best: KeyedCandidate, edition: Edition) -> Facts:
    gaps = missing_facts(judge.original, best.release) if edition is Edition.CONFIDENTIAL else ()
    rows = _tell_rows(best.compared, len(judge.original))
    return list_facts(judge.question.keys, judge.question.sensitive, *gaps, rows=rows, label=best.label)


def _tell_rows(compared: Compared, rows: int) -> tuple[Words, Words]:
    if isinstance(compared.release, SyntheticRelease):
        return Said("synthetic rows"), format_count(compared.rows)
    return Said("records released"), format_out_of(compared.rows, rows)


def _attacks(best: KeyedCandidate, keys: tuple[str, ...]) -> tuple[Block, ...]:
    if not best.attempts:
        return ()
    words = Said(
        "Each attacker knows the keys named of every person he looks for, and names a row of the release. Expected is "
        "what he finds on average over his own draws, computed exactly: whoever hides among c rows counts 1/c."
    )
    head = (
        Said("attack"),
        Said("knows"),
        Said("people"),
        Said("named"),
        Said("rightly"),
        Said("95% interval"),
        Said("expected"),
        Said("by chance"),
        Said("allowed"),
        Said("the release is"),
        Said("what he does"),
    )
    table = TableBlock(
        head=head, rows=tuple(_attack_row(each, keys) for each in best.attempts), numeric=(2, 3, 4, 5, 6, 7, 8)
    )
    counted = [each for each in best.attempts if each.truth_known and each.claimed]
    picture = (Figure(picture=_plot_rates(counted, keys)),) if counted else ()
    return (Heading(text=Said("What attackers found")), Paragraph(text=words), table, *picture)


def _counted(best: KeyedCandidate) -> tuple[Block, ...]:
    """Return what attacks came to that count what is possible: out of cells, and beside people who are not in it."""
    worked_out = Said("What can be worked out of hidden and generalised cells")
    told = ((worked_out, best.downcoded), (BETRAYED, best.controlled))
    return tuple(
        TableBlock(head=COUNTED, rows=tuple(map(describe_counted, attempts)), caption=caption)
        for caption, attempts in told
        if attempts
    )


def _attack_row(each: CellAttempt, keys: tuple[str, ...]) -> tuple[Words, ...]:
    attack, rate = each.attack, each.attack.rate
    expected: Words = "–" if attack.expected is None else format_decimal(attack.expected, 1)
    if attack.expected is None and attack.hoped is not None:
        expected = join_words((format_decimal(attack.hoped, 1), Said(" hoped")))
    verdict = Said("refuted") if each.refutes else Said("not refuted")
    return (
        translate_name(each.adversary.partition(" ")[0]),
        _name_known(attack.keys, keys),
        format_count(attack.people),
        format_count(attack.claimed),
        "–" if rate is None else format_count(rate.hits),
        "–" if rate is None or not rate.trials else f"{format_percent(rate.low)} – {format_percent(rate.high)}",
        expected,
        format_decimal(attack.by_chance, 1),
        format_percent(each.allowed),
        verdict,
        describe_adversary(each.adversary),
    )


def _name_known(known: tuple[str, ...], keys: tuple[str, ...]) -> Words:
    """Return what an attacker knows: which keys, or all of them, which stand above."""
    return Said("all keys") if set(known) == set(keys) else ", ".join(known)


def _plot_rates(counted: list[CellAttempt], keys: tuple[str, ...]) -> IntervalPlot:
    rows = tuple(
        Interval(
            name=join_words(
                (translate_name(each.adversary.partition(" ")[0]), " (", _name_known(each.attack.keys, keys), ")")
            ),
            low=each.attack.rate.low,
            middle=each.attack.rate.value,
            high=each.attack.rate.high,
            note=f"{each.hits:,} / {each.claimed:,}",
            tone=Tone.BAD if each.refutes else Tone.GOOD,
            baseline=each.attack.by_chance / each.claimed,
        )
        for each in counted
        if each.attack.rate is not None
    )
    return IntervalPlot(
        title=Said("How often each attack was right"),
        desc=Said(
            "{rows} {rows:attack|attacks} with their exact 95% intervals; the upright tick is what blind "
            "guessing expects.",
            rows=len(rows),
        ),
        rows=rows,
        axis=Axis(label=Said("share of the named that were right"), low=0.0, high=1.0),
    )


def _losses(best: KeyedCandidate) -> tuple[Block, ...]:
    rows = tuple((name_measure(name), format_decimal(score.value, 4)) for name, score in best.compared.scores.items())
    table = TableBlock(
        head=(Said("measure"), Said("value")),
        rows=rows,
        caption=Said("What was lost: 0 is nothing"),
        numeric=(1,),
    )
    return (Heading(text=Said("What is still good about it")), table)


def _columns(judge: KeysJudge, best: KeyedCandidate, edition: Edition) -> tuple[Block, ...]:
    names = [column.name for column in judge.original.schema.attributes]
    if edition is Edition.PUBLIC:
        return fates_table(best.release, names)
    cards = [column_card(judge.original, best.release, name) for name in names]
    words = Said(
        "Filled: the original. Line: what a reader of the release would expect, a range or a set counted evenly over "
        "what it may be. The bar below tells what became of the cells."
    )
    return (
        Heading(text=Said("Before and after")),
        Paragraph(text=words),
        Beside(blocks=tuple(Figure(picture=card) for card in cards)),
    )
