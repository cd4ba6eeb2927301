"""``sekisho plan``: its commands, and ``sekisho plan sampling``: how much to sample for a wanted risk.

``sekisho plan survival``: which mixtures of raw people and groups of k survive, before any release is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import typer

from sekisho.cli.contest.threshold import Chance, Level
from sekisho.cli.kit.answer import Answer, AsJson, give_answer, parse_fraction
from sekisho.cli.kit.choices import TYPER
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import watch_counted
from sekisho.cli.plan import release as recordplan
from sekisho.cli.plan.noise import noise
from sekisho.cli.plan.pram import (
    Drawing,
    Records,
    SampleSize,
    Strata,
    parse_size,
    pram,
    read_strata_aloud,
    refuse_both,
)
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import ParameterError
from sekisho.gate.history.raw_frontier import MixtureFinding, RawFrontier
from sekisho.provenance import Provenance
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.raw_frontier import TITLE, raw_frontier_blocks
from sekisho.safety.epsilon import measure_sample
from sekisho.safety.planner import allot_sample
from sekisho.safety.rejection import Bound
from sekisho.safety.sampling import (
    ASSUMPTION,
    PartialKnowledge,
    SampleRisk,
    Scheme,
    Stratum,
    largest_samples,
    stratified_chance,
    stratified_risk,
)
from sekisho.words import Said, join_words

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


app = typer.Typer(
    help="Plan a release before making it: `sekisho plan sampling`, `pram`, `noise`, `release` or `survival`.",
    no_args_is_help=True,
    **TYPER,
)
app.command("release")(recordplan.release)
app.command("survival")(survival)
app.command("pram")(pram)
app.command("noise")(noise)


@app.command("sampling")
def sampling(
    records: Records = None,
    known: Annotated[int | None, typer.Option("--known", help="n0, how many of them the adversary knows.")] = None,
    risk: Annotated[str | None, typer.Option("--risk", help="The greatest chance allowed, such as 0.2 or 1/5.")] = None,
    sample: SampleSize = None,
    strata: Strata = None,
    scheme: Drawing = Scheme.FIXED,
    as_json: AsJson = False,
) -> None:
    """Tell the risk of a sample, or the largest sample for a risk, against somebody who knows a part of the records.

    Example: `sekisho plan sampling --records 1000 --known 100 --risk 0.2`
    """
    file = None if strata is None else read_strata_aloud(strata)
    parts = _make_stratum(records, known) if file is None else file.strata
    if strata is not None:
        refuse_both("strata", strata, "records", records)
        refuse_both("strata", strata, "known", known)
    if risk is not None:
        refuse_both("risk", risk, "sample", sample)
        drawn = largest_samples(parts, parse_fraction("risk", risk))
    else:
        asked = parse_size(sample, sum(part.records for part in parts))
        size = sum(part.sample for part in parts) if asked is None else asked
        if asked is None and not size:
            raise ParameterError("risk", Said("be given, or --sample"), None)
        drawn = allot_sample(parts, size, None if file is None else file.weights)
    finding = stratified_risk(drawn, scheme=scheme)
    chance = stratified_chance(drawn, scheme=scheme)
    total = sum(part.sample for part in drawn)
    epsilon = measure_sample(drawn, scheme=scheme)
    answer = {
        "sample": total,
        "risk": float(finding.risk),
        "risk_exact": str(finding.risk),
        "chance": float(chance),
        "chance_exact": str(chance),
        "guaranteed": False,  # sampling alone promises under an assumption only
        "promise": finding.promise,
        "assumes": ASSUMPTION,
        "gap": finding.gap and str(finding.gap),
        **epsilon.to_dict(),
        **({"strata": {part.name: part.sample for part in drawn}, "worst": finding.stratum} if strata else {}),
    }
    words = join_words([_sampling_words(total, drawn, finding, chance), epsilon.describe()], "\n")
    give_answer(answer, words, as_json=as_json, good=finding.promised)


def _make_stratum(records: int | None, known: int | None) -> list[Stratum]:
    if records is None or known is None:
        raise ParameterError("records" if records is None else "known", Said("be given, or --strata"), None)
    PartialKnowledge(records=records, known=known)
    return [Stratum(name="", records=records, sample=0, known=known)]


def _sampling_words(total: int, drawn: Sequence[Stratum], finding: SampleRisk, chance: Fraction) -> str:
    if not finding.promised:
        return finding.promise
    risk, exact = float(finding.risk), finding.risk
    words = (
        Said(
            "a sample of {total:,}: the adversary's chance is at most {risk:.6f} ({exact}), in stratum {stratum}",
            total=total,
            risk=risk,
            exact=exact,
            stratum=finding.stratum,
        )
        if finding.stratum
        else Said(
            "a sample of {total:,}: the adversary's chance is at most {risk:.6f} ({exact})",
            total=total,
            risk=risk,
            exact=exact,
        )
    )
    lines = [
        words,
        *(
            Said("{name:<20} {sample:>12,} of {records:,}", name=part.name, sample=part.sample, records=part.records)
            for part in drawn
            if part.name
        ),
        Said("under the same assumption his greatest chance of all is {chance:.6f}", chance=float(chance)),
        finding.promise,
        Said(
            "Code outliers first, and measure it on your file: sekisho protect sample FILE --known N tries how often "
            "such an adversary is right."
        ),
    ]
    return join_words(lines, "\n")
