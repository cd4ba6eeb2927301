"""The verbs on histories under rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import ClassVar

from sekisho.attack import Adversary
from sekisho.attack.history.guess_files import read_guess, write_guess
from sekisho.attack.history.referee import judge, write_release_truth
from sekisho.cli.kit.answer import Answer, say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.shapes.file_options import open_and_say
from sekisho.cli.shapes.files import UNACCOUNTED, AttackFiles, CheckFiles, JudgeFiles, PublishFiles, require
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import publish_file, read_published, read_release
from sekisho.data.review import review_release
from sekisho.errors import ParameterError
from sekisho.gate.fit import fit
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.pseudonyms import PseudonymPattern, find_release_pattern
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms
from sekisho.seeds import Seed
from sekisho.utility import MEASURES
from sekisho.words import Said, join_words


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryVerbs:
    """Histories: many rows a person."""

    unsuited: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "check": ("deleted",),
        "publish": ("seed", "deleted"),
        "utility": ("deleted", "asked_round"),
        "judge": ("answers", "asked_round"),
        "protect": ("deleted", "report", "asked_round"),
        "attack": ("asked_round",),
    }
    called: ClassVar[str] = "histories"

    book: HistoryTerms

    def check(self, files: CheckFiles) -> Callable[[], PseudonymPattern | None]:
        """Return how the release, or the attack on what was published, is read."""
        data, book = open_and_say(files.original, self.book)
        if files.of_release:
            released = require("released", files.released)
            return lambda: find_release_pattern(data, read_release(released, book, data))
        table, guess = read_published(require("published", files.published), book, data), require("guess", files.guess)

        def read() -> None:
            read_guess(guess, book, table, data)

        return read

    def publish(self, files: PublishFiles, seed: int | None) -> Answer:
        """Drop the deleted rows, write every value in one way and sort the lines, which is the shuffle."""
        del seed
        if files.truth is not None and files.original is None:
            raise ParameterError("truth", Said("be asked for together with --original"), str(files.truth))
        data, book = (None, self.book) if files.original is None else open_and_say(files.original, self.book)
        published = publish_file(files.released, book, data, out=files.out)
        written, pattern = {files.out: published.data}, None
        if data is None or published.release is None:
            say(Said("not compared with its original: give --original to refuse what is not true"))
        else:
            pattern = find_release_pattern(data, published.release)
            written |= {} if files.truth is None else {files.truth: write_release_truth(data, published.release, book)}
        keys: dict[str, object] = {"rows": published.rows, "people": published.people}
        words = Said(
            "{rows:,} rows of {people:,} people written to {out}",
            rows=published.rows,
            people=published.people,
            out=files.out,
        )
        answer = Answer(keys=keys, words=words, files=written)
        if not book.layout.strict:
            return _account_for(answer, files.out, data, published.release, book)
        if pattern is None:
            return answer
        warning = Said("warning: {pattern}: they were hardly drawn at random", pattern=pattern)
        return replace(
            answer,
            keys=keys | {"pseudonyms": pattern.as_dict()},
            words=join_words([words, warning], "\n"),
            review=True,
        )

    def measure(self, original: Path, released: Path, deleted: Path | None, round_name: str) -> Answer:
        """Measure a release by the rules' utility index."""
        del deleted, round_name
        data, book = open_and_say(original, self.book)
        release = read_release(released, book, data)
        score = MEASURES.make(book.utility.measure).compare(data, release)
        parts = [f"  {name:<12}{value:.6f}" for name, value in score.detail.items()]
        head = Said("error {value:.6f} ({direction} is better)", value=score.value, direction=score.direction.words)
        words = join_words([head, *parts], "\n")
        return Answer(keys={"utility": score.value, "columns": dict(score.detail)}, words=words)

    def judge(self, files: JudgeFiles, *, bound: Bound, round_name: str) -> Answer:
        """Answer whether an attack refutes the release's claim to be safe."""
        del round_name
        data, book = open_and_say(require("original", files.original), self.book)
        release = read_release(require("released", files.released), book, data)
        judged = judge(data, release, read_guess(files.guess, book, release.table, data), book, bound)
        rate = HitRate(hits=judged.hits, trials=judged.claimed)
        words = Said(
            "{hits} of {claimed} claims hit ({low:.1%} to {high:.1%}; by chance {chance:.2f}); threshold {threshold}: "
            "{verdict}",
            hits=judged.hits,
            claimed=judged.claimed,
            low=rate.low,
            high=rate.high,
            chance=judged.baseline,
            threshold=judged.threshold,
            verdict=Said("effective: the release is unsafe") if judged.effective else Said("not effective"),
        )
        keys = {
            "claimed": judged.claimed,
            "hits": judged.hits,
            "threshold": judged.threshold,
            "effective": judged.effective,
            "low": rate.low,
            "high": rate.high,
            "baseline_hits": judged.baseline,
        }
        return Answer(keys=keys, words=words, good=not judged.effective)

    def attack(self, name: str, adversary: Adversary, files: AttackFiles, *, seed: Seed) -> Answer:
        """Name people in what was published."""
        data, book = open_and_say(files.original, self.book)
        table = read_published(files.published, book, data)
        review = review_release(table, data)
        tell_review(files.published, review)
        start = process_time()
        with show_progress(Said("attacking")):
            guess = fit(adversary, book.parameters()).guess(table, data, rng=seed.child(name).rng())
        keys = {
            "claimed": len(guess),
            "expected_hits": guess.expected_hits,
            "seconds": process_time() - start,
            "seed": seed.value,
            **({} if guess.predicted is None else {"effective_chance": guess.predicted}),
            **guess.detail,
            "identifying": list(review.names),
            "warnings": review.list_warnings(),
        }
        words = Said(
            "{guess} claims, {expected_hits:.1f} hits expected, written to {out}",
            guess=len(guess),
            expected_hits=guess.expected_hits,
            out=files.out,
        )
        return Answer(keys=keys, words=words, review=review.needed, files={files.out: write_guess(guess, book)})


def _account_for(
    answer: Answer, out: Path, data: Dataset | None, release: Release | None, book: HistoryTerms
) -> Answer:
    """Return the answer to the publishing of a file of one's own: by its account, which needs the original.

    Args:
        answer: what is written.
        out: where the rows go.
        data: the original; None where it is not given.
        release: what was made of it, beside it.
        book: how the files are written.
    """
    if data is None or release is None:
        words = join_words([answer.words, UNACCOUNTED], "\n")
        return replace(answer, keys={**answer.keys, "account_closed": False}, words=words, review=True)
    from sekisho.gate.ending import end_release
    from sekisho.gate.history.recipe import HistoryRecipe
    from sekisho.gate.history.stage import HistoryStage
    from sekisho.journey.release import must_stay

    stage = HistoryStage.open(HistoryRecipe(rules=book, methods={}, adversaries={}), data)
    candidate = stage.review(str(out), release, seed=Seed(0))
    reasons = [reason.as_dict() for reason in candidate.reasons]
    keys = {**answer.keys, **candidate.account.as_dict(), "reasons": reasons}
    files = {} if must_stay(candidate) else answer.files
    return replace(answer, keys=keys, files=files, ending=end_release(candidate, out)).judged(candidate.verdict)
