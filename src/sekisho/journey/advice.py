"""What should I change? Changes of a recipe, each tried out on the same data within a time, ranked by what they bring.

The first change is tried first that promises most (:mod:`sekisho.gate.advice.proposals`); then the best of them
together. A change is proposed only if its trial ended: what it is said to lead to is what its recipe, run with the same
seed, comes to. Nothing is written; a release that was made stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TypeAlias

from sekisho.data.files.settings import read_toml
from sekisho.data.files.whole_files import decode_text, read_bytes, write_whole
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.advice.changes import Change, join_changes
from sekisho.gate.advice.proposals import find_quicker, list_changes
from sekisho.gate.outcome import Verdict
from sekisho.gate.output_files import ADVICE
from sekisho.gate.profiling.look import look_at_file
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.recipe_edit import diff_recipe, edit_recipe
from sekisho.journey.result import GateResult, frame_page
from sekisho.journey.trial import NOTHING, Trial, start_trials, try_recipe
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.own_file.recipe_text import write_recipe
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.report.pages.verdicts.advice import TriedChange, advice_blocks
from sekisho.seeds import Seed
from sekisho.words import Language, Said, bilingual, quote_words

USUAL_SECONDS = 60.0
PATIENCE = 4
"""A part of the time, one in so many, is given to the recipe as it is, where a quicker way is known."""
GAIN = 0.001
"""A change that loses less by this, or finds fewer by this, brings something."""
JOINED = 6
"""So many changes that bring something are joined to the best one."""
ROUNDS = 3
"""So often: then four changes stand together at most."""
RECIPE = ".toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change that was tried out and brings something.

    Attributes:
        change: of the recipe.
        trial: what it leads to.
        lines: of the recipe that it takes away (``-``) and adds (``+``).
    """

    change: Change
    trial: Trial
    lines: tuple[str, ...]

    def describe(self) -> Said:
        """Return it in a sentence: what to change, and what it leads to."""
        verdict = self.trial.verdict or Verdict.REFUSE
        words = self.change.words
        return Said(
            "{change}: {verdict}, loss {loss:.4f}, attacks find {risk:.1%}",
            change=words,
            verdict=verdict.words,
            loss=self.trial.loss,
            risk=self.trial.risk,
        )

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        trial = self.trial
        return {
            "change": self.change.words,
            "verdict": trial.verdict,
            "loss": trial.loss,
            "risk": trial.risk,
            "kept": trial.kept,
            "why": trial.why,
            "method": trial.method,
            "lines": list(self.lines),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What was tried, and what it brings.

    Attributes:
        source: the recipe.
        text: its file.
        seed: of all trials.
        before: what the recipe itself comes to; None where its own trial did not end in time.
        proposals: the changes that bring something, best first.
        tried: how many changes were tried.
        untried: how many were not, because the time was over.
        schema: of a file that has no recipe yet, the schema that is proposed with it.
    """

    source: Path
    text: str
    seed: int
    before: Trial | None
    proposals: tuple[Proposal, ...] = ()
    tried: int = 0
    untried: int = 0
    schema: bytes | None = None

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own."""
        return frame_page(advice_page(self, {}))

    @property
    def done(self) -> int:
        """How many changes were tried."""
        return self.tried

    @property
    def total(self) -> int:
        """How many there are to try."""
        return self.tried + self.untried

    def apply(self, number: int) -> str:
        """Return the recipe with a proposal, the first being 1.

        Raises:
            InfeasibleError: there is no proposal at all.
            ParameterError: there is none of that number.
        """
        if not self.tried:
            raise InfeasibleError(Said("no change could be tried in the time that was given; --seconds gives more"))
        if not self.proposals:
            raise InfeasibleError(
                Said("none of the changes that were tried brings anything: there is nothing to write")
            )
        if not 1 <= number <= len(self.proposals):
            raise ParameterError("apply", Said("lie between 1 and {last}", last=len(self.proposals)), number)
        return edit_recipe(self.text, self.proposals[number - 1].change)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        before = self.before
        return {
            "recipe": str(self.source),
            "seed": self.seed,
            "before": before and {"verdict": before.verdict, "loss": before.loss, "risk": before.risk},
            "proposals": [each.as_dict() for each in self.proposals],
            "tried": self.tried,
            "untried": self.untried,
        }


WatchAdvice: TypeAlias = Callable[[Iterator[Advice]], Advice]


def advise_steps(
    source: Path, *, seed: Seed, seconds: float = USUAL_SECONDS, before: Trial | None = None
) -> Iterator[Advice]:
    """Try changes of a recipe, one after the other; each step holds what is known so far.

    Args:
        source: the recipe.
        seed: of all chance, the same for every trial.
        seconds: when to stop.
        before: what the recipe itself comes to, where that is known.
    """
    deadline = monotonic() + seconds
    settings, text = read_toml(source), decode_text(read_bytes(source), source)
    stage = ReadRecipe.read(source).open().stage
    quicker = find_quicker(stage, settings)
    known: list[tuple[Change, Trial]] = []
    advice = Advice(source=source, text=text, seed=seed.value, before=before)
    with ExitStack() as stack:
        trials = stack.enter_context(start_trials(source, seed))
        if before is None:
            before = trials.ask(settings, seconds / PATIENCE if quicker else deadline - monotonic())
            advice = replace(advice, before=before)
            yield advice
        changes = list_changes(stage, settings, source.parent, {} if before is None else before.answers)
        advice = replace(advice, untried=len(changes))
        if before is None:
            if quicker is None:
                return
            trials.process.kill()
            trials = stack.enter_context(start_trials(source, seed))
            changes = (quicker, *(join_changes((quicker, change)) for change in changes))
        for change, rest in _go_through(changes, known, before):
            trial = trials.ask(change.apply(settings), deadline - monotonic())
            if trial is None:
                break
            known.append((change, trial))
            advice = replace(advice, proposals=_propose(known, before, text), tried=len(known), untried=rest)
            yield advice
    yield advice


def _go_through(
    changes: Sequence[Change], known: list[tuple[Change, Trial]], before: Trial | None
) -> Iterator[tuple[Change, int]]:
    """Give every change with how many come after it; then the best together with the others that bring something."""
    for number, change in enumerate(changes, 1):
        yield change, len(changes) - number
    helping = [change for change, trial in _rank(known) if brings(trial, before)]
    single = helping[:JOINED]
    asked = {change.places for change in single}
    for _ in range(ROUNDS):
        best = _rank(known)[0][0] if known else None
        joined = [join_changes((best, other)) for other in single if best and best.goes_with(other)]
        fresh = [change for change in joined if change.places not in asked]
        if not fresh:
            return
        for number, change in enumerate(fresh, 1):
            asked.add(change.places)
            yield change, len(fresh) - number


def rank_trial(trial: Trial) -> tuple[float, ...]:
    """Return what trials are compared by, smaller being better.

    Verdict, reasons, what nobody accounts for, what must be kept, loss, risk.
    """
    verdict = len(Verdict) if trial.verdict is None else list(Verdict).index(trial.verdict)
    return (verdict, trial.against, len(trial.answers), trial.kept, trial.loss, trial.risk)


def brings(trial: Trial, before: Trial | None) -> bool:
    """Tell whether a change brings something: a better verdict, less against it or less open, or less loss or risk.

    Between equals what must be kept goes first: losing more of it is no gain, whatever the usual loss says.
    Where the recipe itself did not end in time, whatever ends does.
    """
    if before is None:
        return trial.verdict is not None
    mine, own = rank_trial(trial)[:3], rank_trial(before)[:3]
    if trial.verdict is None or mine > own:
        return False
    if mine == own and abs(trial.kept - before.kept) > GAIN:
        return trial.kept < before.kept
    safer = trial.risk < before.risk - GAIN and trial.loss <= before.loss + GAIN
    return mine < own or trial.loss < before.loss - GAIN or safer


def _rank(known: Sequence[tuple[Change, Trial]]) -> list[tuple[Change, Trial]]:
    return sorted(known, key=lambda pair: rank_trial(pair[1]))


def _propose(known: Sequence[tuple[Change, Trial]], before: Trial | None, text: str) -> tuple[Proposal, ...]:
    return tuple(
        Proposal(change=change, trial=trial, lines=diff_recipe(text, change))
        for change, trial in _rank(known)
        if brings(trial, before)
    )


def advise_file(source: Path, *, seconds: float, seed: int | None) -> Advice:
    """Return what to change in a recipe (``.toml``), or in the recipe that is proposed for a file, tried out."""
    with open_recipe(source, Language.EN) as (recipe, schema):
        *_, last = advise_steps(recipe, seed=choose_seed(recipe, seed), seconds=seconds)
        return replace(last, schema=schema)


def choose_seed(recipe: Path, asked: int | None) -> Seed:
    """Return the seed of trials: the one asked for, the recipe's own, or a fresh one."""
    own = read_toml(recipe).get("seed")
    if asked is not None or isinstance(own, int):
        return Seed(asked if asked is not None else int(str(own)))
    return Seed.draw()


@contextmanager
def open_recipe(source: Path, language: Language) -> Generator[tuple[Path, bytes | None]]:
    """Give the recipe that advice is asked about, and the schema beside it where both are only proposed.

    Args:
        source: a recipe, or a file of data, for which one is proposed as ``sekisho init`` does.
        language: of the proposed recipe's comments.
    """
    if source.suffix.lower() == RECIPE:
        yield source, None
        return
    look = look_at_file(source)
    name = f"{source.stem}.schema.toml"
    with TemporaryDirectory(prefix="sekisho-") as folder:
        recipe = Path(folder) / "recipe.toml"
        recipe.write_bytes(
            write_recipe(look, language, original=str(source.resolve()), schema=name, recipe=recipe.name)
        )
        schema = None if look.schema is None else write_schema(look, language)
        if schema is not None:
            (recipe.parent / name).write_bytes(schema)
        yield recipe, schema


def advise_result(result: GateResult, *, seconds: float, watch: WatchAdvice | None = None) -> GateResult:
    """Return a run of the gate with what would help most, tried out; the run itself and its files stay as they are.

    A page of all that was tried is written beside the report, where the run was written.

    Args:
        result: the run; a good release needs no advice.
        seconds: how long changes may be tried; 0 tries none.
        watch: goes through the steps, showing how far they are, and returns the last.
    """
    source = result.entry.source
    if source is None or seconds <= 0 or result.is_good:
        return result
    best = result.best
    before = Trial(verdict=None, loss=float("inf"), risk=1.0, why=NOTHING) if best is None else Trial.of(best)
    steps = advise_steps(source, seed=Seed(result.seed or 0), seconds=seconds, before=before)
    advice = list(steps)[-1] if watch is None else watch(steps)
    if result.report is not None:
        write_whole({result.report.with_name(ADVICE): advice_page(advice, result.entry.own_title)})
    ending = replace(result.page_ending, ask=_say_unhelped(advice, seconds, source))
    return replace(result, changes=tuple(each.describe() for each in advice.proposals), page_ending=ending)


def advice_page(advice: Advice, title: Mapping[str, str], *, language: Language = Language.EN) -> bytes:
    """Return the page of what was tried, best first; it stays in the house.

    Args:
        advice: what was tried.
        title: of the recipe, by language; empty if it has none.
        language: in which it opens.
    """
    called = bilingual(title["en"], title["ja"]) if title else quote_words(advice.source.name)
    before = advice.before
    blocks = advice_blocks(
        None if before is None else _show_trial(Said("as it is"), before),
        [
            replace(
                _show_trial(each.change.words, each.trial),
                lines=each.lines,
                people=each.change.people,
            )
            for each in advice.proposals
        ],
        tried=advice.tried,
        untried=advice.untried,
    )
    name = Said("What should be changed: {name}", name=called)
    return render_page(name, blocks, language=language, edition=Edition.CONFIDENTIAL).encode()


def _show_trial(words: Said, trial: Trial) -> TriedChange:
    return TriedChange(words=words, verdict=trial.verdict, loss=trial.loss, risk=trial.risk, why=trial.why)


def _say_unhelped(advice: Advice, seconds: float, source: Path) -> Said:
    if not advice.tried:
        return Said(
            "no change could be tried within {seconds:g} s; more time has: sekisho advise {recipe} --seconds 600",
            seconds=seconds,
            recipe=source.name,
        )
    return Said(
        "none of the {tried} {tried:change that was|changes that were} tried helps; more are tried by: "
        "sekisho advise {recipe}",
        tried=advice.tried,
        recipe=source.name,
    )


def try_again(advice: Advice, number: int) -> Trial:
    """Return what a proposal comes to when its recipe is run where the recipe stands, with the same seed."""
    settings = advice.proposals[number - 1].change.apply(read_toml(advice.source))
    return try_recipe(advice.source, settings, Seed(advice.seed))
