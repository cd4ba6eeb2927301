"""The verbs on records under rules: D, the kept rows, and X, the deleted ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import ClassVar

import numpy as np

from sekisho.attack import Adversary
from sekisho.attack.records.guess_files import read_guess
from sekisho.attack.records.referee import judge
from sekisho.cli.kit.answer import Answer, say, settle_seed
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.shapes.file_options import open_and_say
from sekisho.cli.shapes.files import UNACCOUNTED, AttackFiles, CheckFiles, JudgeFiles, PublishFiles, require
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import draw_order
from sekisho.data.records.files import read_answers, read_published, read_release, write_number_lines, write_records
from sekisho.data.records.space import hide_identifier
from sekisho.data.review import review_release
from sekisho.errors import ParameterError
from sekisho.gate.fit import fit
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.pseudonyms import PseudonymPattern
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition, check_conditions
from sekisho.words import Said, join_words

ONLY_WRITTEN = Said("a person must decide: publish only writes records, sekisho gate accounts for what leaves")


def condition_keys(checked: tuple[Condition, ...]) -> dict[str, object]:
    """Return each condition's value, and all conditions with limits and verdicts, for JSON."""
    values = {condition.name: condition.value for condition in checked}
    return {**values, "conditions": {condition.name: condition.as_dict() for condition in checked}}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsVerbs:
    """Records: one row a person."""

    unsuited: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "judge": ("original", "released", "bound"),
        "protect": ("safe", "attackers", "confidence"),
    }
    called: ClassVar[str] = "records"

    book: RecordTerms

    def check(self, files: CheckFiles) -> Callable[[], PseudonymPattern | None]:
        """Return how the release, or the attack on what was published, is read."""
        data, book = open_and_say(files.original, self.book)
        test = book.test
        if files.of_release:
            released, deleted = require("released", files.released), require("deleted", files.deleted)

            def read_rows() -> None:
                read_release(released, deleted, book, data)

            return read_rows
        rows = len(read_published(require("published", files.published), book, data.schema))
        guess = require("guess", files.guess)

        def read_claims() -> None:
            read_guess(guess, book, records=test.members + test.others, rows=rows)

        return read_claims

    def publish(self, files: PublishFiles, seed: int | None) -> Answer:
        """Publish D in an order that tells nothing; write for each row of D its published row, if asked."""
        chosen = settle_seed(seed)
        data, book = self._read_shown(files)
        order = np.argsort(draw_order(np.arange(len(data)), chosen)).astype(np.int64)
        written = {files.out: write_records(Dataset(data.frame[np.argsort(order)], data.schema), book)}
        if files.truth is not None:
            written[files.truth] = write_number_lines(order)
        keys = {"rows": len(data), "people": len(data), "seed": chosen.value}
        words = Said("{data:,} rows, shuffled, written to {out}", data=len(data), out=files.out)
        if book.layout.strict:
            return Answer(keys=keys, words=words, files=written)
        told = UNACCOUNTED if files.original is None else ONLY_WRITTEN
        keys |= {"account_closed": False}
        return Answer(keys=keys, words=join_words([words, told], "\n"), review=True, files=written)

    def _read_shown(self, files: PublishFiles) -> tuple[Dataset, RecordTerms]:
        """Return the rows that are published: checked beside the original where it is given, else by themselves."""
        if files.original is None:
            if files.deleted is not None:
                raise ParameterError("deleted", Said("be given together with --original"), str(files.deleted))
            say(Said("not compared with its original: give --original and --deleted to refuse what breaks the rules"))
            return open_and_say(files.released, self.book)
        data, book = open_and_say(files.original, self.book)
        release = read_release(files.released, require("deleted", files.deleted), book, data)
        return release.table.take(~release.deleted).to_dataset(), book

    def measure(self, original: Path, released: Path, deleted: Path | None, round_name: str) -> Answer:
        """Answer what a release keeps, and whether each condition is met."""
        data, book = open_and_say(original, self.book)
        release = read_release(released, require("deleted", deleted), book, data)
        checked = check_conditions(book, data, release, round_name=round_name)
        met = all(condition.met for condition in checked)
        return Answer(keys=condition_keys(checked), words=join_words(map(str, checked), "\n"), good=met)

    def judge(self, files: JudgeFiles, *, bound: Bound, round_name: str) -> Answer:
        """Answer what an attack came to."""
        del bound
        truth = read_answers(require("answers", files.answers), self.book)
        guess = read_guess(files.guess, self.book, records=len(truth))
        test = self.book.test
        delta = self.book.find_round(round_name).delta
        judged = judge(truth, guess, delta=delta, count=test.answers, factors=test.factors)
        counts = {
            "members": judged.members,
            "called": judged.claimed,
            "rightly": judged.rightly,
            "hits": judged.hits,
        }
        keys = {
            "recall": judged.recall,
            "precision": judged.precision,
            "topk": judged.topk,
            "risk": judged.risk,
            "risk_without_delta": judged.risk_with(0.0),
            "delta": judged.delta,
            "counts": counts,
            "intervals": {
                "recall": HitRate(hits=judged.rightly, trials=judged.members).as_dict(),
                "precision": HitRate(hits=judged.rightly, trials=judged.claimed).as_dict(),
                "topk": HitRate(hits=judged.hits, trials=judged.members).as_dict(),
            },
        }
        words = Said(
            "recall {rightly}/{members} = {recall:.4f}, precision {rightly}/{claimed} = "
            "{precision:.4f}, top-k {hits}/{members} = {topk:.4f}: risk {risk:.6f} (without delta "
            "{risk_with:.6f})",
            rightly=judged.rightly,
            members=judged.members,
            recall=judged.recall,
            claimed=judged.claimed,
            precision=judged.precision,
            hits=judged.hits,
            topk=judged.topk,
            risk=judged.risk,
            risk_with=judged.risk_with(0.0),
        )
        return Answer(keys=keys, words=words)

    def attack(self, name: str, adversary: Adversary, files: AttackFiles, *, seed: Seed) -> Answer:
        """Name rows for the records that are known; write E."""
        knowledge, book = open_and_say(files.original, self.book)
        table = read_published(files.published, book, knowledge.schema)
        review = review_release(table, knowledge)
        tell_review(files.published, review)
        start, test = process_time(), book.test
        with show_progress(Said("attacking")):
            known = hide_identifier(knowledge)
            guess = fit(adversary, book.parameters()).guess(table, known, rng=seed.child(name).rng())
        claimed = guess.people()
        blind = claimed * test.members / (test.members + test.others) * test.answers / len(table)
        keys = {
            "claimed": claimed,
            "records": len(knowledge),
            "expected_hits": blind,
            "seconds": process_time() - start,
            "seed": seed.value,
            "identifying": list(review.names),
            "warnings": review.list_warnings(),
        }
        words = Said(
            "{claimed} of {records} records called members, written to {out}; blind answers would hit {blind:.2f}",
            claimed=claimed,
            records=len(knowledge),
            out=files.out,
            blind=blind,
        )
        rows = guess.rows(len(knowledge), test.answers)
        return Answer(keys=keys, words=words, review=review.needed, files={files.out: write_number_lines(rows)})
