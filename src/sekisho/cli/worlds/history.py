"""The verbs on histories under rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, ClassVar

from sekisho.attack import Adversary
from sekisho.cli.kit.answer import Answer, format_keys
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.worlds.files import AttackFiles, CheckFiles, JudgeFiles, ProtectFiles, require
from sekisho.cli.worlds.originals import open_and_say
from sekisho.cli.worlds.search import SearchedRelease, make_release, warn_of_raw_people
from sekisho.contest.history.files import (
    publish_file,
    read_guess,
    read_published,
    read_release,
    write_guess,
    write_release,
)
from sekisho.contest.history.referee import judge, write_truth
from sekisho.contest.history.rules import HistoryRules
from sekisho.data.files.frames import is_parquet
from sekisho.data.history.raw_people import count_raw_people
from sekisho.errors import ParameterError
from sekisho.gate.fit import fit
from sekisho.protect import Method
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed
from sekisho.utility import MEASURES

if TYPE_CHECKING:  # brings the strongest attack, which is loaded only where it is asked for
    from sekisho.gate.history.safe_k import Proof, Safety


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryWorld:
    """Histories: many rows a person."""

    unsuited: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "check": ("deleted",),
        "publish": ("seed",),
        "utility": ("deleted", "asked_round"),
        "judge": ("answers", "asked_round"),
        "protect": ("deleted", "report", "asked_round"),
        "attack": ("asked_round",),
    }
    called: ClassVar[str] = "histories"

    book: HistoryRules

    def check(self, files: CheckFiles) -> Callable[[], object]:
        """Return how the release, or the attack on what was published, is read."""
        data, book = open_and_say(files.original, self.book)
        if files.of_release:
            return lambda: read_release(require("released", files.released), book, data)
        table = read_published(require("published", files.published), book, data)
        return lambda: read_guess(require("guess", files.guess), book, table, data)

    def publish(self, released: Path, out: Path, original: Path | None, truth: Path | None, seed: int | None) -> Answer:
        """Drop the deleted rows and sort the lines, which is the shuffle."""
        del seed
        if truth is not None and original is None:
            raise ParameterError("truth", "be asked for together with --original", str(truth))
        data, book = (None, self.book) if original is None else open_and_say(original, self.book)
        published = publish_file(released, book)
        files = {out: published.data}
        if truth is not None and data is not None:
            files[truth] = write_truth(data, released, book)
        words = f"{published.rows:,} rows of {published.people:,} people written to {out}"
        return Answer(keys={"rows": published.rows, "people": published.people}, words=words, files=files)

    def measure(self, original: Path, released: Path, deleted: Path | None, round_name: str) -> Answer:
        """Measure a release by the rules' utility index."""
        del deleted, round_name
        data, book = open_and_say(original, self.book)
        release = read_release(released, book, data)
        score = MEASURES.make(book.utility.measure).compare(data, release)
        parts = "\n".join(f"  {name:<12}{value:.6f}" for name, value in score.detail.items())
        words = f"utility {score.value:.6f} ({score.direction} is better)\n{parts}"
        return Answer(keys={"utility": score.value, "columns": dict(score.detail)}, words=words)

    def judge(self, files: JudgeFiles, *, bound: Bound, round_name: str) -> Answer:
        """Answer whether an attack refutes the release's claim to be safe."""
        del round_name
        data, book = open_and_say(require("original", files.original), self.book)
        release = read_release(require("released", files.released), book, data)
        judged = judge(data, release, read_guess(files.guess, book, release.table, data), book, bound)
        rate = HitRate(hits=judged.hits, trials=judged.claimed)
        verdict = "effective: the release is unsafe" if judged.effective else "not effective"
        words = (
            f"{judged.hits} of {judged.claimed} claims hit ({rate.low:.1%} to {rate.high:.1%}; by chance "
            f"{judged.baseline:.2f}); threshold {judged.threshold}: {verdict}"
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

    def protect(
        self, name: str, method: Method, files: ProtectFiles, *, safety: Safety | Proof | None, seed: Seed
    ) -> Answer:
        """Make a release; a search is watched and can be interrupted."""
        if is_parquet(files.out):
            rule = "not end in .parquet: a release of a history is a CSV file, row by row beside its original"
            raise ParameterError("out", rule, str(files.out))
        fitted = fit(method, self.book.parameters())
        data, book = open_and_say(files.source, self.book)
        start = process_time()
        if safety is None:
            searched = make_release(fitted, data, rng=seed.child(name).rng())
        else:
            safe = import_module("sekisho.cli.worlds.safe_release")
            searched: SearchedRelease = safe.make_safe_release(fitted, data, book, safety, seed=seed.child(name))
        seconds = process_time() - start
        score = MEASURES.make(book.utility.measure).compare(data, searched.release)
        raw = count_raw_people(searched.release)
        warn_of_raw_people(raw)
        keys = {"utility": score.value, "seconds": seconds, "seed": seed.value, **searched.detail, "raw": raw}
        written = {files.out: write_release(searched.release, book)}
        return Answer(keys=keys, words=format_keys(keys), review=raw > 0, files=written)

    def attack(self, name: str, adversary: Adversary, files: AttackFiles, *, seed: Seed) -> Answer:
        """Name people in what was published."""
        data, book = open_and_say(files.original, self.book)
        table = read_published(files.published, book, data)
        start = process_time()
        with show_progress("attacking"):
            guess = fit(adversary, book.parameters()).guess(table, data, rng=seed.child(name).rng())
        keys = {
            "claimed": len(guess),
            "expected_hits": guess.expected_hits,
            "seconds": process_time() - start,
            "seed": seed.value,
            **({} if guess.predicted is None else {"effective_chance": guess.predicted}),
            **guess.detail,
        }
        words = f"{len(guess)} claims, {guess.expected_hits:.1f} hits expected, written to {files.out}"
        return Answer(keys=keys, words=words, files={files.out: write_guess(guess, book)})
