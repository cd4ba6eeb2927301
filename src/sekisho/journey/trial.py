"""A changed recipe tried out: the same stage, data and seed, and what the gate would say; in a process of its own.

The process reads recipes as lines of JSON and answers each with a line, so that whoever waits can stop it when the time
is over. What it answers is what a run of the same recipe with the same seed comes to: the way is the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory
from threading import TIMEOUT_MAX, Thread
from typing import IO, Any

from sekisho.errors import InfeasibleError, SekishoError
from sekisho.gate.account.answers import AccountAnswer, list_open_answers
from sekisho.gate.cache.steps import Steps
from sekisho.gate.ending import name_weightiest
from sekisho.gate.outcome import Candidate, Verdict
from sekisho.journey.candidates import run
from sekisho.journey.entry import ReadRecipe, prepare_stage
from sekisho.seeds import Seed
from sekisho.utility.kept import average_loss
from sekisho.words import Language, Said, bilingual, join_words, quote_words, translate

NOTHING = Said("nothing speaks against it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of a recipe that was tried.

    Attributes:
        verdict: of the gate; None where nothing could be made.
        loss: of the chosen release, by the measure of its shape; smaller is better.
        risk: the largest share of people, or of unsafe cells, that an attack finds.
        why: what speaks against it, in words.
        against: how many reasons ask for this verdict.
        method: the label of the chosen release.
        lost: by column how much of it is lost, where the measure says so.
        kept: the mean loss of what must be kept; 0 where nothing must.
        answers: by column that leaves and nobody accounts for, or by attacker, what would close it.
    """

    verdict: Verdict | None
    loss: float
    risk: float
    why: Said
    against: int = 0
    method: str = ""
    lost: Mapping[str, float] = field(default_factory=dict[str, float])
    kept: float = 0.0
    answers: Mapping[str, tuple[AccountAnswer, ...]] = field(default_factory=dict[str, "tuple[AccountAnswer, ...]"])

    @classmethod
    def of(cls, best: Candidate[Any]) -> Trial:
        """Return what came of a candidate."""
        speaking = [one for one in best.reasons if one.verdict is best.verdict]
        return cls(
            verdict=best.verdict,
            loss=best.score.value,
            risk=best.risk,
            why=NOTHING if best.verdict is Verdict.RELEASE else name_weightiest(best.reasons),
            against=0 if best.verdict is Verdict.RELEASE else len(speaking),
            method=best.label,
            lost=dict(best.score.detail),
            kept=average_loss(best.kept),
            answers=list_open_answers(best.account),
        )

    def pack(self) -> str:
        """Return it as a line of JSON."""
        why = [translate(self.why, language) for language in Language]
        return json.dumps(
            {
                "verdict": self.verdict,
                "loss": self.loss,
                "risk": self.risk,
                "why": why,
                "against": self.against,
                "method": self.method,
                "lost": dict(self.lost),
                "kept": self.kept,
                "answers": {name: list(answers) for name, answers in self.answers.items()},
            }
        )

    @classmethod
    def unpack(cls, line: str) -> Trial:
        """Return what :meth:`pack` wrote."""
        told: dict[str, Any] = json.loads(line)
        verdict, (english, japanese) = told.pop("verdict"), told.pop("why")
        answers = {name: tuple(map(AccountAnswer, closing)) for name, closing in told.pop("answers").items()}
        return cls(
            verdict=None if verdict is None else Verdict(verdict),
            why=bilingual(english, japanese),
            answers=answers,
            **told,
        )


def try_recipe(source: Path, settings: Mapping[str, object], seed: Seed) -> Trial:
    """Return what a recipe with these keys comes to, where a file is."""
    try:
        opened = ReadRecipe.read(source, settings).open().stage
        with TemporaryDirectory(prefix="sekisho-") as spool:
            stage: Any = prepare_stage(opened, Steps(), Path(spool))
            *_, last = run(stage, seed=seed)
    except InfeasibleError as error:
        return _fail(quote_words(str(error)))
    except SekishoError as error:
        return _fail(Said("cannot be tried: {error}", error=join_words((str(error),))))
    return Trial.of(last.outcome.best)


def _fail(why: Said) -> Trial:
    return Trial(verdict=None, loss=float("inf"), risk=1.0, why=why)


def answer_trials(source: Path, seed: Seed) -> None:
    """Answer every recipe that comes in, line by line, until nobody asks any more."""
    for line in sys.stdin:
        sys.stdout.write(try_recipe(source, json.loads(line), seed).pack() + "\n")
        sys.stdout.flush()


@dataclass(slots=True)
class TrialProcess:
    """A process that tries recipes of one file, and is stopped when the time is over."""

    process: Popen[str]
    answers: Queue[str] = field(default_factory=Queue[str])

    def ask(self, settings: Mapping[str, object], seconds: float) -> Trial | None:
        """Return what a recipe comes to; None where it did not answer in time."""
        pipe = self.process.stdin
        if pipe is None or self.process.poll() is not None or seconds <= 0:
            return None
        pipe.write(json.dumps(settings, default=str) + "\n")
        pipe.flush()
        try:
            line = self.answers.get(timeout=min(seconds, TIMEOUT_MAX))
        except Empty:
            return None
        return Trial.unpack(line) if line else None

    def listen(self, pipe: IO[str]) -> None:
        """Take its answers; an empty one is its end."""
        for line in pipe:
            self.answers.put(line)
        self.answers.put("")


@contextmanager
def start_trials(source: Path, seed: Seed) -> Generator[TrialProcess]:
    """Give a process that tries recipes; it is gone afterwards, whatever it was doing."""
    words = [sys.executable, "-m", "sekisho.journey.trial", str(source), str(seed.value)]
    with Popen(words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, encoding="utf-8") as process:
        trials = TrialProcess(process)
        if process.stdout is not None:
            Thread(target=trials.listen, args=(process.stdout,), daemon=True).start()
        try:
            yield trials
        finally:
            process.kill()


if __name__ == "__main__":
    answer_trials(Path(sys.argv[1]), Seed(int(sys.argv[2])))
