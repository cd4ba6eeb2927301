"""A made-up town rebuilt from the tables of a census: how many blocks, and people, the tables give away.

People by sex (2), age (23 groups), race (7) and origin (2), so 644 joint cells; blocks of 1 to 100 people. Published of
each block are sex by age, race by origin, sex by age by white or not, race by origin by adult or not, as a census of
1990 to 2020 did in outline. The same town is asked again after small counts are hidden, after each table is rounded at
random to base 3, and after noise of at most 1 that keeps zeros; statements are those of the rule. Every block is
classed (known, known in part, open), and every witness goes through the checker.

Run from the top of the repository: ``python -m verify.reconstruct_town [--blocks N] [--kinds exact,hidden]``; puts its
rows into ``bench/measured_town.json``, which the page of figures shows, and exits with 1 if a witness is refused or a
block has no solution.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.gate.tables.reconstruction import classify
from sekisho.seeds import Seed
from sekisho.tables.audit.statements import Statements
from sekisho.tables.check.people import count_lacking, people_errors
from sekisho.tables.reconstruct.people import BlockAnswer, PeopleSystem, Reconstructor

Wholes = NDArray[np.int64]
SHAPE = (2, 23, 7, 2)
SEX, AGE, RACE, ORIGIN = np.indices(SHAPE).reshape(4, -1)
TABLES = (
    SEX * 23 + AGE,
    RACE * 2 + ORIGIN,
    (SEX * 23 + AGE) * 2 + (RACE == 0),
    (RACE * 2 + ORIGIN) * 2 + (AGE >= 4),
)
BLOCKS, BASE = 10_000, 3
WORDS = {
    "exact": "as they are",
    "hidden": 'counts of 1 and 2 as "1-2"',
    "rounded": "each rounded at random to base 3",
    "noisy": "noise of at most 1, zeros kept",
}
PAGE = Path(__file__).parents[1] / "bench" / "measured_town.json"


def make_rows() -> Wholes:
    """Return a row for each published cell."""
    return np.vstack([(key[None, :] == np.arange(key.max() + 1)[:, None]) for key in TABLES]).astype(np.int64)


def make_town(blocks: int, rng: np.random.Generator) -> Wholes:
    """Return the joint histograms of a town: ages alike everywhere, races and origins by block."""
    ages = rng.dirichlet(np.full(23, 20.0))
    sizes = np.clip(np.rint(rng.lognormal(3.0, 0.8, blocks)), 1, 100).astype(np.int64)
    town = np.zeros((blocks, int(np.prod(SHAPE))), dtype=np.int64)
    for block, size in enumerate(sizes.tolist()):
        races = rng.dirichlet(np.array([4.0, 0.7, 0.1, 0.4, 0.1, 0.3, 0.3]))
        far = rng.beta(1.0, 6.0)
        chance = np.einsum("s,a,r,o->saro", np.array([0.49, 0.51]), ages, races, np.array([1 - far, far])).ravel()
        town[block] = rng.multinomial(size, chance)
    return town


def state_counts(kind: str, counts: Wholes, rng: np.random.Generator) -> tuple[Wholes, Wholes]:
    """Return what is known of each published count after it is protected in some way."""
    if kind == "exact":
        return counts, counts
    if kind == "hidden":  # 1 and 2 are told as "1-2"
        small = (counts > 0) & (counts < 3)
        return np.where(small, 1, counts), np.where(small, 2, counts)
    if kind == "rounded":
        rest = counts % BASE
        shown = counts - rest + BASE * (rng.random(counts.shape) * BASE < rest)
        said = Statements.rounded(shown.ravel().astype(np.float64), base=BASE)
        return _reshape(said, counts)
    shown = np.where(counts > 0, np.maximum(0, counts + rng.integers(-1, 2, counts.shape)), 0)
    rows = [{0: 1}, {0: 1, 1: 1, 2: 1}, {1: 1, 2: 1, 3: 1}]
    said = Statements.noisy(shown.ravel().astype(np.float64), rows=rows)
    return _reshape(said, counts)


def _reshape(said: Statements, counts: Wholes) -> tuple[Wholes, Wholes]:
    low, high = (np.asarray(each, dtype=np.int64).reshape(counts.shape) for each in (said.low, said.high))
    return low, high


def accept(rows: list[list[int]], low: Wholes, high: Wholes, truth: Wholes, answer: BlockAnswer) -> bool:
    """Have the checker look at the witnesses of one block."""
    some = [each.tolist() for each in answer.witnesses]
    right = not any(True for each in some for _ in people_errors(rows, low.tolist(), high.tolist(), each))
    far = count_lacking(truth.tolist(), some[1]) == answer.may_differ
    return right and far and count_lacking(some[-2], some[-1]) == answer.two_may_differ


def class_town(kind: str, town: Wholes, rng: np.random.Generator, how: Reconstructor) -> dict[str, object]:
    """Return how many blocks of a town are known, in what CPU time."""
    matrix = make_rows()
    system, lists = PeopleSystem.of(csr_array(matrix)), [np.flatnonzero(row).tolist() for row in matrix]
    low, high = state_counts(kind, town @ matrix.T, rng)
    begun = process_time()
    answers = list(how.answer_blocks(system, low, high, town))
    spent = process_time() - begun
    refused = sum(not accept(lists, *each) for each in zip(low, high, town, answers, strict=True))
    people = town.sum(axis=1)
    share = [
        answer.may_differ / size for answer, size in zip(answers, people, strict=True) if answer.may_differ is not None
    ]
    return {
        "kind": kind,
        "blocks": len(town),
        "people": int(people.sum()),
        **classify(answers),
        "certain": sum(answer.certain for answer in answers if answer.settled),
        "may_differ_median": round(float(np.median(share)), 3),
        "unsettled": sum(not answer.settled for answer in answers),
        "pairs_open": sum(answer.two_may_differ != answer.two_at_most for answer in answers),
        "witnesses_refused": refused,
        "cpu_seconds": round(spent, 1),
    }


def keep_rows(found: list[dict[str, object]]) -> None:
    """Put figures in the place of those that were measured before of the same kind."""
    held = json.loads(PAGE.read_text())[0]["rows"] if PAGE.exists() else []
    rows = {row[0]: row for row in held}
    rows |= {WORDS[str(each["kind"])]: write_row(each) for each in found}
    page = {
        "page": "reconstruction",
        "title": "A made-up town rebuilt from its tables",
        "command": "python -m verify.reconstruct_town",
        "machine": "two shared cores",
        "note": f"blocks of 1 to 100 people, the first of a town of {BLOCKS:,}; four tables a block, 644 joint cells; "
        "half a second for a question that the search does not settle; every witness accepted by the checker",
        "columns": [
            "published",
            "blocks",
            "people",
            "known whole",
            "in part",
            "not",
            "certain people",
            "share that may differ (median)",
            "blocks with a question open",
            "CPU s",
        ],
        "rows": [rows[word] for word in WORDS.values() if word in rows],
    }
    PAGE.write_text(json.dumps([page], indent=1, ensure_ascii=False) + "\n")


def write_row(each: dict[str, object]) -> list[str]:
    """Return figures of one kind as the page shows them."""
    names = ("blocks", "people", "unique", "partly", "open", "certain", "may_differ_median", "unsettled", "cpu_seconds")
    return [WORDS[str(each["kind"])], *(f"{each[name]:,}" for name in names)]


def main() -> int:
    """Class the town; return 1 if a witness was refused."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=BLOCKS, help="the first so many of the town")
    parser.add_argument("--kinds", default=",".join(WORDS))
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    town = make_town(BLOCKS, Seed(0).rng())[: options.blocks]
    how = Reconstructor(seconds=options.seconds)
    found = [class_town(kind, town, Seed(1).rng(), how) for kind in options.kinds.split(",")]
    for each in found:
        print(json.dumps(each))
    keep_rows(found)
    return int(any(each["witnesses_refused"] or each["impossible"] for each in found))


if __name__ == "__main__":
    sys.exit(main())
