"""What a recipe would do, told before it is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sekisho.data.shape import Shape
from sekisho.gate.explanation import Explanation
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Verdict
from sekisho.report.kit.blocks import Block, Bullets, Facts, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Words
from sekisho.utility.kept import Kept
from sekisho.words import Said, bilingual, join_words

EXPLANATION_TITLE = Said("What this recipe would do")
SHAPES = {
    Shape.HISTORY: Said("a history (many rows a person)"),
    Shape.RECORDS: Said("records (one row a person)"),
    Shape.TABLE: Said("a table (cells with margins)"),
}
VERDICTS = {
    Verdict.RELEASE: Said("told only"),
    Verdict.REVIEW: Said("review"),
    Verdict.REFUSE: Said("refuse"),
}
NOTHING = Said("nothing")


def explanation_blocks(explanation: Explanation) -> tuple[Block, ...]:
    """Return what would be read, tried, attacked, asked, decided and written."""
    title = explanation.title
    name: Words = NOTHING if title is None else bilingual(title.en, title.ja)
    drawn = Said("drawn and recorded")
    chance = Said("no chance plays a part")
    seed: Words = chance if explanation.shape is Shape.TABLE else drawn
    if explanation.seed is not None:
        seed = str(explanation.seed)
    return (
        Paragraph(text=Said("Nothing was read but the recipe and its rules, and nothing was written.")),
        Facts(
            pairs=(
                (Said("data"), SHAPES[explanation.shape]),
                (Said("title"), name),
                (Said("recipe|seed"), seed),
            )
        ),
        *_list_files(explanation),
        *_list(Said("Tried"), [translate_name(label) for label in explanation.candidates]),
        *_list(Said("Attacked by"), explanation.adversaries),
        *_table(Said("Must hold"), explanation.asked),
        *_list(Said("Kept as well as possible"), map(_tell_kept, explanation.keep)),
        *_table(Said("Limits: above them a person looks"), explanation.limits),
        *_tell_policy(explanation),
        *_tell_standards(explanation),
        *_list(Said("Written"), explanation.writes),
    )


def _list_files(explanation: Explanation) -> tuple[Block, ...]:
    missing = Said(" (there is no such file)")
    items = tuple(str(path) if there else join_words((str(path), missing)) for path, there in explanation.reads)
    return (Heading(text=Said("Read")), Bullets(items=items))


def _list(heading: Said, items: Iterable[str]) -> tuple[Block, ...]:
    words: tuple[Words, ...] = tuple(items)
    return (Heading(text=heading), Bullets(items=words)) if words else ()


def _tell_kept(kept: Kept) -> Said:
    if kept.within is None:
        return kept.words
    return Said("{kept}: a loss above {limit:g} is looked at by a person", kept=kept.words, limit=kept.within)


def _table(heading: Said, values: Mapping[str, object]) -> tuple[Block, ...]:
    rows: tuple[tuple[Words, Words], ...] = tuple((name, _write(value)) for name, value in values.items())
    return (Heading(text=heading), Facts(pairs=rows)) if rows else ()


def _write(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _tell_policy(explanation: Explanation) -> tuple[Block, ...]:
    own = Said(" (as the recipe says)")
    rows = tuple(
        (
            line.rule,
            VERDICTS[line.verdict] if line.verdict is line.usual else join_words((VERDICTS[line.verdict], own)),
        )
        for line in explanation.policy
    )
    head = (Said("rule"), Said("asks for"))
    return (Heading(text=Said("Policy")), TableBlock(head=head, rows=rows))


def _tell_standards(explanation: Explanation) -> tuple[Block, ...]:
    items: list[Words] = []
    for standard in explanation.standards:
        rule, source, limits = (standard.read(name) for name in ("rule", "source", "limits"))
        if rule is None or source is None:
            continue
        within = "" if limits is None else Said(" Limits: {limits}", limits=bilingual(limits.en, limits.ja))
        items.append(
            Said(
                "{rule} ({source}){within}",
                rule=bilingual(rule.en, rule.ja),
                source=bilingual(source.en, source.ja),
                within=within,
            )
        )
    heading = Said("Standards that it is meant to help with")
    return (Heading(text=heading), Bullets(items=tuple(items))) if items else ()
