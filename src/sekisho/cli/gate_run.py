"""A run through the gate at the command line: what it shows as it goes, its answer, and what would help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

from sekisho.cli.kit.answer import Answer, KeepingInterrupt, say, say_interrupted
from sekisho.cli.kit.progress import watch
from sekisho.data.work_meter import WorkMeter, meter_work
from sekisho.gate.history.stage import HistoryCandidate
from sekisho.gate.outcome import JourneyStep
from sekisho.journey.candidates import estimate_left, find_method
from sekisho.journey.entry import Entry
from sekisho.journey.result import GateResult
from sekisho.journey.run import RunOptions, run_entry
from sekisho.words import Said, join_words

LEAST_ADVICE, MOST_ADVICE = 8.0, 60.0


def watch_steps(steps: Any) -> Any:
    """Go through the steps; an interruption keeps them for another run, and decides nothing on a part of them."""
    meter, clock = WorkMeter(), CandidateClock()
    with meter_work(meter):
        return watch(
            steps,
            doing=Said("protecting and attacking"),
            tell=clock.note,
            keep=lambda _: None,
            describe=lambda: join_words([words for words in (clock.describe(), meter.describe()) if words], "; "),
        )


@dataclass(slots=True, kw_only=True)
class CandidateClock:
    """Tells about how long the candidates take that are not finished, as time goes on.

    Attributes:
        clock: tells seconds.
    """

    clock: Callable[[], float] = monotonic
    _step: JourneyStep[Any] | None = None
    _moved: float = 0.0

    def note(self, step: JourneyStep[Any]) -> str:
        """Return how many candidates are finished, and take into account how long they took."""
        self._step, self._moved = step, self.clock()
        return Said("{done} of {total} candidates", done=step.done, total=step.total)

    def describe(self) -> str:
        """Return about how long the others take; empty before the first is finished, and after the last."""
        step = self._step
        rest = () if step is None else step.labels[step.done :]
        if step is None or not rest:
            return ""
        left = estimate_left(step.spent, rest, since=self.clock() - self._moved)
        if not left:
            return Said("the last takes longer than the finished ones did")
        seconds, known = max(1.0, left), {find_method(label) for label in step.spent}
        strange = [method for method in dict.fromkeys(map(find_method, rest)) if method not in known]
        if not strange:
            return Said("about {seconds:.0f} s more, by the finished ones of each method", seconds=seconds)
        return Said(
            "about {seconds:.0f} s more, with {methods} as quick as the finished ones",
            seconds=seconds,
            methods=", ".join(strange),
        )


def take_through(
    entry: Entry, options: RunOptions, *, advice: float | None = 0.0, verbose: bool, as_json: bool
) -> NoReturn:
    """Run the gate on an entry, and answer with its verdict; changes are tried as long as it took if not said."""
    start = monotonic()
    try:
        result = run_entry(entry, options)
    except KeyboardInterrupt as interruption:
        if options.keep:
            kept = Said("the finished steps are kept, and the same command goes on from there")
            raise KeepingInterrupt(kept) from interruption
        raise
    if options.seed is None and entry.seed is None and result.seed is not None:
        say(Said("seed {seed}", seed=result.seed))
    for notice in result.notices:
        say(notice)
    if verbose:
        say(result.text)
    seconds = min(MOST_ADVICE, max(LEAST_ADVICE, monotonic() - start)) if advice is None else advice
    if seconds and not result.is_good and entry.source is not None:
        result = _try_changes(result, entry.source, seconds=seconds)
    _answer(result).deliver(verbose=verbose, as_json=as_json)


def _try_changes(result: GateResult, recipe: Path, *, seconds: float) -> GateResult:
    """Return a run with what would help; an interruption leaves the run as it is, whose files are written."""
    from sekisho.cli.advise import watch_advice
    from sekisho.journey.advice import advise_result  # trials, which a good release does not need

    try:
        return advise_result(result, seconds=seconds, watch=watch_advice)
    except KeyboardInterrupt:
        kept = Said(
            "the verdict stands, and its files are written and kept in {folder}; changes are tried by: "
            "sekisho advise {recipe}",
            folder=str(result.out),
            recipe=str(recipe),
        )
        say_interrupted(kept)
        return result


def _answer(result: GateResult) -> Answer:
    keys = result.as_dict()
    if isinstance(result.best, HistoryCandidate):
        keys["claim"] = _describe_claim(result.best)
    return Answer(
        keys=keys,
        words=join_words(result.summarise(), "\n"),
        ending=result.ending,
    ).judged(result.verdict)


def _describe_claim(best: HistoryCandidate) -> dict[str, object]:
    """Return how the safety claim H0 itself stands."""
    worst = best.claim.worst
    return {
        "standing": best.claim.standing,
        "assumes": best.claim.assumption,
        "worst": worst and {"size": worst.size, "chance": float(worst.chance), "allowed": float(worst.allowed)},
    }
