"""Small contests in folders, of histories and of records, made without a search."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sekisho.attack.history.guess_files import write_guess
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import write_original, write_published, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.fit import fit
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")
METHODS = {
    "raw": Pseudonymise(),
    "pairs": SimilarLength(k=2),
    "triples": SimilarLength(k=3),
    "more": SimilarLength(k=8),
}


def draw_history() -> Dataset:
    """Return 24 customers who do not exist."""
    return SyntheticHistory(customers=24, items=60, median_rows=5).draw(rng=Seed(3).rng())


def make_releases(data: Dataset) -> dict[str, Release]:
    """Return a release of each team."""
    return {
        team: fit(method, RULES.parameters()).apply(data, rng=Seed(1).child(team).rng())
        for team, method in METHODS.items()
    }


def attack_release(release: Release, data: Dataset, seed: int = 7) -> bytes:
    """Return what the strongest adversary says of a release."""
    adversary = fit(MaximumKnowledge(), RULES.parameters(RULES.contest.bound))
    table = release.table.take(~release.deleted)
    return write_guess(adversary.guess(table, data, rng=Seed(seed).rng()), RULES)


def write_cup(folder: Path) -> Dataset:
    """Write a folder as it comes by e-mail: five releases, the one of team bad malformed, and all attacks."""
    data = draw_history()
    for name in ("releases", "guesses", "published"):
        (folder / name).mkdir(parents=True)
    (folder / "original.csv").write_bytes(write_original(data, RULES))
    releases = make_releases(data)
    for team, release in releases.items():
        (folder / "releases" / f"{team}.csv").write_bytes(write_release(release, RULES))
        (folder / "published" / f"{team}.csv").write_bytes(write_published(release, RULES))
    lines = write_release(releases["pairs"], RULES).decode().splitlines()
    lines[2] = "7,oops"
    lines[4] = lines[4].rpartition(",")[0] + ",0"
    (folder / "releases" / "bad.csv").write_text("\n".join(lines) + "\n")
    guesses = {team: attack_release(release, data) for team, release in releases.items()}
    for attacker in [*releases, "bad"]:
        for target, guess in guesses.items():
            if attacker != target:
                (folder / "guesses" / f"{attacker}-on-{target}.csv").write_bytes(guess)
    return data


def shuffle_lines(data: bytes, seed: int) -> bytes:
    """Return the same lines in another order."""
    lines = np.array(data.splitlines(keepends=True), dtype=object)
    return b"".join(Seed(seed).rng().permutation(lines).tolist())
