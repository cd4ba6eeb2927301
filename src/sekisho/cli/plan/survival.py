"""``sekisho plan survival``: which mixtures of raw people and groups of k survive, before any release is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from sekisho.cli.contest.threshold import Chance, Level
from sekisho.cli.kit.answer import Answer, AsJson, parse_fraction
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language.choice import chosen_language
from sekisho.cli.kit.progress import watch_counted
from sekisho.data.files.output_paths import check_paths
from sekisho.errors import ParameterError
from sekisho.gate.history.raw_frontier import MixtureFinding, RawFrontier
from sekisho.provenance import Provenance
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.raw_frontier import TITLE, raw_frontier_blocks
from sekisho.safety.rejection import Bound
from sekisho.words import Said

SPAN = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
MOST_NUMBERS = 400


def survival(
    *,
    people: Annotated[int, typer.Option("--people", help="How many people are published.")] = 1000,
    raw: Annotated[str, typer.Option("--raw", help="Numbers of people left raw, such as 0-10 or 0,2,5.")] = "0-10",
    k: Annotated[str, typer.Option("--k", help="Sizes of the others' groups, such as 2-8.")] = "2-8",
    attackers: Annotated[int, typer.Option("--attackers", help="How many attackers must be survived.")] = 13,
    confidence: Annotated[str, typer.Option("--confidence", help="The chance of surviving them all.")] = "0.95",
    p: Chance = "1/3",
    alpha: Level = "1/2000",
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Tell which mixtures survive: some people left raw, the rest k-anonymous, under the contest's and the exact bound.

    Example: `sekisho plan survival --people 1000 --raw 0-10 --k 2-8 --report survival.html`
    """
    check_paths(writes={"--report": report})
    frontier = RawFrontier(
        people=people,
        raw=parse_numbers("raw", raw),
        sizes=parse_numbers("k", k),
        p=parse_fraction("p", p),
        alpha=parse_fraction("alpha", alpha),
        attackers=attackers,
        confidence=parse_fraction("confidence", confidence),
    )
    findings = watch_counted(frontier.steps(), doing=Said("mixtures")).findings
    provenance = Provenance(
        name="plan survival",
        parameters={"people": people, "raw": raw, "k": k, "attackers": attackers, "p": p, "alpha": alpha},
    )
    blocks = raw_frontier_blocks(frontier, findings, provenance)
    keys = {
        "mixtures": [_keys(each) for each in findings],
        "frontier": {bound: frontier.most_raw(findings, bound) for bound in Bound},
    }
    files = {} if report is None else {report: render_page(TITLE, blocks, language=chosen_language()).encode()}
    words = render_text(TITLE, blocks, language=chosen_language())
    Answer(keys=keys, words=words, files=files).deliver(as_json=as_json)


def parse_numbers(name: str, text: str) -> Sequence[int]:
    """Return the numbers that a text such as ``0-3,7`` means, each once, in order."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = SPAN.fullmatch(part.strip())
        if match is None:
            raise ParameterError(name, Said("be numbers and spans such as 0-10 or 0,2,5"), text)
        low, high = int(match[1]), int(match[2] or match[1])
        if high < low or high - low >= MOST_NUMBERS:
            raise ParameterError(
                name, Said("have spans that rise, of at most {most_numbers} numbers", most_numbers=MOST_NUMBERS), part
            )
        numbers.update(range(low, high + 1))
    return sorted(numbers)


def _keys(each: MixtureFinding) -> dict[str, object]:
    return {
        "raw": each.mixture.raw,
        "k": each.mixture.k,
        "claim": each.standing,
        **{
            bound: {
                "claimed": plan.claimed,
                "threshold": plan.threshold,
                "chance": float(plan.chance),
                "survival": each.survival[bound],
            }
            for bound, plan in each.plans.items()
        },
    }
