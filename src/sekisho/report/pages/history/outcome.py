"""The report of a whole journey: the candidate to choose in full, and beside it the others that were tried."""

from __future__ import annotations

from dataclasses import replace

from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.provenance import Provenance, list_parameters
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.lines import Mark
from sekisho.report.figures.scatter import Scatter
from sekisho.report.kit.blocks import Block, Facts, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Text, Words, format_decimal, format_out_of
from sekisho.report.pages.history.release import HistoryCase, history_blocks, history_title
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice

TONES = {Verdict.RELEASE: Tone.GOOD, Verdict.REVIEW: Tone.WARN, Verdict.REFUSE: Tone.BAD}
WORDS = {
    Verdict.RELEASE: Text("may be released", "公開可"),
    Verdict.REVIEW: Text("to be reviewed", "要審査"),
    Verdict.REFUSE: Text("must not leave", "公開不可"),
}


def outcome_title(stage: HistoryStage) -> Text:
    """Return the report's title."""
    return history_title(stage.recipe.called)


def outcome_blocks(
    stage: HistoryStage,
    outcome: Outcome[HistoryCandidate],
    *,
    origin: tuple[Provenance, ...] = (),
    edition: Edition = Edition.CONFIDENTIAL,
) -> tuple[Block, ...]:
    """Return the best candidate's report, with the candidates beside one another.

    ``origin`` tells what made the inputs; the public edition names no customer and shows no row.
    """
    case = replace(make_case(stage, outcome, outcome.best, origin=origin), edition=edition)
    *blocks, last = history_blocks(case)
    place = next(at for at, block in enumerate(blocks) if isinstance(block, Facts)) + 1
    return (
        *blocks[:place],
        *_candidates(case, outcome),
        *blocks[place:],
        *standard_blocks(stage.recipe.standards),
        last,
    )


def make_case(
    stage: HistoryStage,
    outcome: Outcome[HistoryCandidate],
    candidate: HistoryCandidate,
    *,
    origin: tuple[Provenance, ...] = (),
) -> HistoryCase:
    """Return one candidate of a journey as the report tells it."""
    recipe = stage.recipe
    journey = Provenance(
        name="gate",
        parameters={
            "methods": list(recipe.methods),
            "adversaries": list(recipe.adversaries),
            "bound": str(recipe.bound),
        },
        seed=outcome.seed.value,
    )
    attacks = tuple(
        Provenance(name=f"{label} (attack)", parameters=list_parameters(adversary))
        for label, adversary in recipe.adversaries.items()
    )
    return HistoryCase(
        rules=recipe.rules,
        original=stage.original,
        candidate=candidate,
        bound=recipe.bound,
        origin=(*origin, journey, candidate.release.provenance, *attacks),
    )


def _candidates(case: HistoryCase, outcome: Outcome[HistoryCandidate]) -> tuple[Block, ...]:
    rows: list[tuple[Words, ...]] = []
    marks: list[Mark] = []
    for candidate in outcome.candidates:
        strongest = candidate.strongest
        hits, claimed = (strongest.hits, strongest.claimed) if strongest else (0, 0)
        rows.append(
            (
                name_candidate(outcome, candidate),
                format_decimal(candidate.score.value, 4),
                format_out_of(hits, claimed),
                str(int(candidate.sharing.min())) if len(candidate.sharing) else "–",
                WORDS[candidate.verdict],
            )
        )
        most = max((attempt.hits for attempt in candidate.attempts), default=0)
        marks.append(
            Mark(
                name=translate_name(candidate.label),
                x=candidate.score.value,
                y=most / case.people,
                tone=TONES[candidate.verdict],
            )
        )
    table = TableBlock(
        head=(
            Text("method", "加工手法"),
            Text("error U", "誤差 U"),
            Text("strongest attack: rightly named", "最も強い攻撃の的中"),
            Text("fewest with one history", "同一履歴の最少人数"),
            Text("verdict", "判定"),
        ),
        rows=tuple(rows),
        numeric=(1, 2, 3),
    )
    figure = Scatter(
        title=Text("Utility and safety of what was tried", "試した加工の有用性と安全性"),
        desc=Text(
            f"{len(rows)} candidates; to the left is more useful, further down is safer.",
            f"{len(rows)} 候補。左ほど有用、下ほど安全。",
        ),
        x=Axis(label=Text("error U (less is better)", "誤差 U（小さいほど良い）")),
        y=Axis(label=Text("largest share of customers found by an attack", "攻撃が見つけた顧客の割合の最大"), low=0.0),
        points=tuple(marks),
        front=True,
    )
    pictures = (Figure(picture=figure),) if len(rows) > 1 else ()
    return (
        Heading(text=Text("What was tried", "試した加工")),
        Paragraph(text=tell_choice(outcome)),
        table,
        *pictures,
        *impossible_blocks(outcome.impossible, edition=case.edition),
    )
