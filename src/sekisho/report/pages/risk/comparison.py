"""The page that compares several releases of one file: risk against loss, every measure, every attack, every column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from sekisho.data.frame.dataset import Dataset
from sekisho.gate.names import MEASURE_NAMES, translate_name
from sekisho.gate.records.cell_attacks import CellAttack
from sekisho.gate.records.comparison import ORIGINAL, Compared, ReleaseFigures
from sekisho.gate.records.counted_attempt import CountedAttempt
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Beside, Block, Figure, Fold, Heading, Origin, Paragraph, TableBlock
from sekisho.report.kit.words import Words, format_count, format_decimal, format_percent
from sekisho.report.pages.before_after import column_card
from sekisho.report.pages.verdicts.account import account_blocks
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.words import Said, join_words

COMPARISON_TITLE = Said("Releases compared")
RELEASE = Said("release")
UNKNOWN = "–"
RISK = Said("found by a prosecutor with all keys")
LOSS = Said("NCP (share of what the keys tell that is lost)")


def comparison_blocks(data: Dataset, compared: Sequence[Compared], origin: Provenance) -> tuple[Block, ...]:
    """Return the page."""
    return (
        Paragraph(text=_introduce(compared)),
        *show_reviews(compared),
        *show_accounts(compared),
        Figure(picture=risk_scatter(compared), caption=_explain_risk()),
        *comparison_tables(compared),
        Paragraph(text=explain_attacks()),
        Heading(text=Said("Before and after, column by column")),
        *(_show_columns(data, one) for one in compared if one.name != ORIGINAL),
        Heading(text=Said("What made this")),
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


def show_accounts(compared: Sequence[ReleaseFigures]) -> list[Block]:
    """Return what covers what leaves with each release, and its sentence."""
    return [
        block
        for figures in compared
        if figures.account is not None
        for block in (
            Heading(text=show_name(figures), level=3),
            Paragraph(text=Said("{account}.", account=figures.account.describe())),
            *account_blocks(figures.account),
        )
    ]


def list_account_sentences(compared: Sequence[ReleaseFigures]) -> list[Said]:
    """Return of each release what covers what leaves with it, or what does not, as one sentence."""
    return [
        Said("{release}: {account}.", release=show_name(figures), account=figures.account.describe())
        for figures in compared
        if figures.account is not None
    ]


def comparison_tables(compared: Sequence[Compared]) -> tuple[TableBlock, ...]:
    """Return the tables: classes, measures, attacks, and those against controls where there are any."""
    against = (control_table(compared),) if any(one.controlled for one in compared) else ()
    return _class_table(compared), _measure_table(compared), attack_table(compared), *against


def show_name(one: ReleaseFigures) -> Words:
    """Return a release's name as a table shows it: of a path, the file."""
    return Said("original") if one.name == ORIGINAL else translate_name(PurePath(one.name).name or one.name)


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
    classes = (Said("unit|records"), "k", Said("uniques"), Said("classes"), "l", "t")
    head = (RELEASE, *classes, *(MEASURE_NAMES[name] for name in measures))
    caption = Said("Classes of equal keys, and the columns' distributions")
    return TableBlock(head=head, rows=rows, numeric=tuple(range(1, len(head))), caption=caption)


def risk_scatter(compared: Sequence[Compared]) -> Scatter:
    """Return the releases by what they lose and by who is found in them."""
    return Scatter(
        title=Said("Risk against loss"),
        desc=Said(
            "The original and {releases} {releases:release|releases} by NCP and by the share of people found.",
            releases=len(compared) - 1,
        ),
        x=Axis(label=LOSS, low=0.0),
        y=Axis(label=RISK, low=0.0),
        points=tuple(
            Mark(name=show_name(one), x=one.scores["ncp"].value, y=one.risk)
            for one in compared
            if one.risk is not None  # in a synthetic file nobody has a row to be found by
        ),
        front=True,
    )


def _introduce(compared: Sequence[Compared]) -> Said:
    rows = format_count(len(compared[0].release.deleted))
    return Said(
        "{releases} {releases:release|releases} of {rows} {rows:record|records} beside the original: how "
        "small the classes of equal keys are, what was lost, and who is found. Figures of attacks are "
        "what these attackers find, no promise about others.",
        releases=len(compared) - 1,
        rows=rows,
    )


def _explain_risk() -> Said:
    return Said(
        "Left is useful, low is safe. The share is computed exactly where the rows stand in the original's order; "
        "elsewhere it is what the attacker hopes for, and no more can be right on average where every cell admits the "
        "truth."
    )


def explain_attacks() -> Said:
    """Return how the figures of attacks are to be read."""
    return Said(
        "A person whose row is among c rows that fit alike counts 1/c as expected. Right is one draw of the attacker, "
        "with its 95% interval (Clopper and Pearson); a dash: nobody knows which row is whose."
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
        Said("unit|records"),
        Said("deleted|left out"),
        "k",
        Said("uniques"),
        Said("classes"),
        "l",
        "t",
    )
    caption = Said("Classes of equal keys")
    return TableBlock(head=head, rows=rows, caption=caption, numeric=tuple(range(1, len(head))))


def _measure_table(compared: Sequence[Compared]) -> TableBlock:
    names = list(compared[0].scores)
    rows = tuple((show_name(one), *(format_decimal(one.scores[name].value, 4) for name in names)) for one in compared)
    head = (RELEASE, *(name_measure(name) for name in names))
    caption = Said("What was lost: 0 is nothing")
    return TableBlock(head=head, rows=rows, caption=caption, numeric=tuple(range(1, len(head))))


def name_measure(name: str) -> Words:
    """Return what a measure is called; of a model, with the column that it predicts."""
    if name in MEASURE_NAMES:
        return MEASURE_NAMES[name]
    kind, _, column = name.partition(" of ")
    if kind == "regression":
        return Said("regression of {column}", column=column)
    return Said("classifier of {column}", column=column)


def attack_table(compared: Sequence[Compared]) -> TableBlock:
    """Return what everybody found in each release: named, right, expected and by chance."""
    rows = tuple((show_name(one), *_describe_attack(attack, one)) for one in compared for attack in one.attacks)
    head = (
        RELEASE,
        Said("attack"),
        Said("people"),
        Said("guess|named"),
        Said("right"),
        Said("95% of claims"),
        Said("expected"),
        Said("by chance"),
    )
    return TableBlock(head=head, rows=rows, caption=Said("Who is found"), numeric=(2, 3, 4, 5, 6, 7))


def control_table(compared: Sequence[Compared]) -> TableBlock:
    """Return whom each release betrays, beside people who are not in it: possible, by chance and found, apart."""
    rows = tuple((show_name(one), *describe_counted(each)) for one in compared for each in one.controlled)
    return TableBlock(head=(RELEASE, *COUNTED), rows=rows, caption=BETRAYED)


COUNTED = (Said("attack"), Said("betrayed|possible"), Said("betrayed|chance"), Said("betrayed|found"))
"""The head of what attacks came to, in three words that are never mixed."""
BETRAYED = Said("Whom it betrays, beside people who are not in it")


def describe_counted(each: CountedAttempt) -> tuple[Words, ...]:
    """Return a row of what an attack came to: possible, by chance and found."""
    chance = UNKNOWN if each.chance is None else format_percent(each.chance)
    return translate_name(each.adversary), each.certain or UNKNOWN, chance, each.summary


def name_attack(attack: CellAttack, one: Compared) -> Words:
    """Return who attacks and what he knows: all keys, or which."""
    known: Words = Said(" (all keys)")
    if attack.keys != one.classes.keys:
        known = Said(" ({keys})", keys=join_words(attack.keys, ", "))
    return join_words((translate_name(attack.adversary), known))


def _describe_attack(attack: CellAttack, one: Compared) -> tuple[Words, ...]:
    rate = attack.rate
    interval = UNKNOWN if rate is None or not rate.trials else f"{format_percent(rate.low)}–{format_percent(rate.high)}"
    expected: Words = UNKNOWN if attack.expected is None else format_decimal(attack.expected, 1)
    if attack.expected is None and attack.hoped is not None:
        expected = join_words((format_decimal(attack.hoped, 1), Said(" hoped")))
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
