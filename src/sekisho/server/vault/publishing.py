"""Publication: the truth into the vault, what everybody may see into the store, and who may download what."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sekisho.contest.event import Published
from sekisho.contest.folder.desk import make_publication, prepare_practice
from sekisho.contest.folder.live import write_files
from sekisho.contest.rules.contest_rules import PRACTICE_ROUND
from sekisho.contest.state import Entry
from sekisho.errors import InfeasibleError
from sekisho.server.database.rows import HandoutRow
from sekisho.server.vault.vault_contest import VaultContest


def publish_round(contest: VaultContest, round_name: str, *, at: str) -> tuple[Published, list[HandoutRow]]:
    """Write the files of a publication, and return its event and what is handed out.

    Orders and test sets follow from the referee's secret: a second attempt writes the same bytes.
    """
    event, files = make_publication(contest, round_name, at=at)
    contest.ask(event)
    write_files(contest.folder, files)
    place = contest.find_round_folder(round_name)
    _remove_withdrawn(contest, round_name, files)
    handouts: list[HandoutRow] = []
    for path, data in files.items():
        if path.parent == place / "published":
            handouts.append(_hand_out(contest, "published", round_name, path.stem, "", data))
        elif path.parent == place / "tests":
            attacker, _, target = path.stem.partition("-on-")
            handouts.append(_hand_out(contest, "test", round_name, target, attacker, data))
    return event, handouts


def _remove_withdrawn(contest: VaultContest, round_name: str, files: Mapping[Path, bytes]) -> None:
    """Remove what an earlier publication of the round, that was taken back, left and this one does not have."""
    place, truth = contest.find_round_folder(round_name), contest.folder / "truth" / round_name
    for folder in (place / "published", place / "releases", place / "tests", truth / "maps", truth / "answers"):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path not in files:
                path.unlink(missing_ok=True)


def publish_practice(contest: VaultContest, entry: Entry) -> list[HandoutRow]:
    """Publish a valid practice release at once, for others to practise attacks on, each with a test set of his own.

    A team that registers later gets its test set with the next practice release.
    """
    draws = contest.open_scorer(PRACTICE_ROUND, entry.team).draws_tests
    handouts: list[HandoutRow] = []
    for attacker in sorted(contest.state.teams if draws else [entry.team]):
        try:
            practice = prepare_practice(contest, attacker, entry.number)
        except InfeasibleError:  # too few records are kept or deleted for a test set: there is nothing to attack
            return []
        if attacker == entry.team:
            handouts.append(_hand_out(contest, "published", PRACTICE_ROUND, entry.team, "", practice.public))
        else:
            handouts.append(_hand_out(contest, "test", PRACTICE_ROUND, entry.team, attacker, practice.shown))
    return handouts


def _hand_out(contest: VaultContest, kind: str, round_name: str, about: str, team: str, data: bytes) -> HandoutRow:
    digest = contest.store.keep_bytes(data)
    return HandoutRow(kind=kind, round=round_name, about=about, team=team, digest=digest)
