"""A contest with the referee's truth in hand: the folder of a contest whose ledger and files lie elsewhere.

::

    VAULT/NAME/rules.toml               and the files that it names
    VAULT/NAME/rounds/ROUND/original.csv, or originals/TEAM.csv; TEAM-1.csv, TEAM-2.csv where a team picks one
    VAULT/NAME/truth/                   the secret, who is who, the answers

The same desk scores here and in a folder, so that a score at home is the score on the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sekisho.contest.folder.desk import EntryResult, find_answers, find_map, score_entry
from sekisho.contest.folder.live import SECRET, LiveContest
from sekisho.contest.handed_original import list_original_files
from sekisho.contest.ledger import digest_text, write_canonical
from sekisho.contest.rulebook import read_rulebook
from sekisho.contest.scoring import Scorer
from sekisho.contest.state import ContestEntry
from sekisho.errors import InputError
from sekisho.provenance import digest_file
from sekisho.server.contest.database.book import Snapshot
from sekisho.server.contest.store import Store
from sekisho.words import Said

MOST_SCORERS = 8


@dataclass(frozen=True, kw_only=True)
class VaultContest(LiveContest):
    """A contest as its ledger in the database says it stands, with the truth of the vault.

    Attributes:
        store: of what was handed in.
        place: a folder of the worker's own, where files are copied to and compared with their digests before use.
        opened: scorers that other contests of this worker opened.
    """

    store: Store
    place: Path
    opened: dict[tuple[str, str, str], Scorer] = field(default_factory=dict[tuple[str, str, str], Scorer])

    def find_files(self, files: Mapping[str, str]) -> dict[str, Path]:
        """Return copies of files that were handed in, each with its digest.

        Raises:
            UnreadableError: the store does not give them.
        """
        return {kind: self.store.fetch(digest, self.place) for kind, digest in files.items()}

    def open_scorer(self, round_name: str, team: str) -> Scorer:
        """Return the scorer of a team's files in a round; the original is read once while it stays the same."""
        key = (
            round_name,
            str(self.find_original(round_name, team)),
            self._digest_rules() + self._digest_original(round_name, team),
        )
        if key not in self.opened:
            while len(self.opened) >= MOST_SCORERS:
                self.opened.pop(next(iter(self.opened)))
            self.opened[key] = super().open_scorer(round_name, team)
        return self.opened[key]

    def check_original(self, round_name: str, path: Path) -> None:
        """Take the original that the vault has: a corrected one is the referee's erratum.

        Every result names the truth that it was judged against (:meth:`digest_truth`), and what differs is shown in a
        rejudging before it counts.
        """

    def score(self, entry: ContestEntry) -> EntryResult:
        """Return what an entry is worth."""
        return score_entry(self, entry)

    def digest_truth(self, entry: ContestEntry) -> str:
        """Return the digest of what an entry is judged against: rules, the original, and of a test set the answers."""
        owner = entry.target or entry.team
        digests = {"original": self._digest_original(entry.round, owner), "rules": self._digest_rules()}
        kept = self.open_scorer(entry.round, owner).keeps_truth
        answers = (
            find_map(self, entry.round, entry.target)
            if kept
            else find_answers(self, entry.round, entry.team, entry.target)
        )
        if entry.is_attack and answers.is_file():
            digests["answers"] = digest_file(answers)
        return digest_text(write_canonical(digests))

    def _digest_original(self, round_name: str, team: str) -> str:
        """Return the digest of the original that a team works on; of several, of all of them."""
        files = list_original_files(self.rules, self.find_original(round_name, team))
        if len(files) == 1:
            return digest_file(files[0])
        return digest_text(write_canonical({path.name: digest_file(path) for path in files}))

    def _digest_rules(self) -> str:
        """Return the digest of the rules with the files that they name."""
        files = {path.name: digest_file(path) for path in sorted(self.folder.iterdir()) if path.is_file()}
        return digest_text(write_canonical(files))


def open_vault(
    folder: Path, name: str, store: Store, snapshot: Snapshot, opened: dict[tuple[str, str, str], Scorer], place: Path
) -> VaultContest:
    """Return a contest with its truth.

    Args:
        folder: the vault.
        name: of the contest.
        store: of what was handed in.
        snapshot: where the contest stands.
        opened: scorers that are open already.
        place: an empty folder of the worker's own.

    Raises:
        InputError: it is not in this vault.
    """
    truth = find_truth(folder, name)
    return VaultContest(
        folder=truth,
        rules=read_rulebook(str(truth / "rules.toml")),
        state=snapshot.state,
        events=(),
        head=snapshot.head,
        store=store,
        place=place,
        opened=opened,
    )


def find_truth(folder: Path, name: str) -> Path:
    """Return where a vault keeps a contest.

    Raises:
        InputError: it does not: it is another vault, or none.
    """
    place = folder / name
    if not (place / SECRET).is_file():
        raise InputError(folder, Said("is not the vault of the contest {name!r}", name=name))
    return place
