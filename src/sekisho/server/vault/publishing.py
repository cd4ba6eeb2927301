"""Publication: the truth into the vault, what everybody may see into the store, and who may download what."""

from __future__ import annotations

from sekisho.contest.contest_rules import PRACTICE_ROUND
from sekisho.contest.event import Published
from sekisho.contest.folder.desk import make_publication, read_entry_release
from sekisho.contest.folder.live import write_files
from sekisho.contest.state import Entry
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
    handouts: list[HandoutRow] = []
    for path, data in files.items():
        if path.parent == place / "published":
            handouts.append(_hand_out(contest, "published", round_name, path.stem, "", data))
        elif path.parent == place / "tests":
            attacker, _, target = path.stem.partition("-on-")
            handouts.append(_hand_out(contest, "test", round_name, target, attacker, data))
    return event, handouts


def publish_practice(contest: VaultContest, entry: Entry) -> list[HandoutRow]:
    """Publish a valid practice release at once, for others to practise attacks on.

    Of records there are no test sets in practice, and so nothing to attack.
    """
    scorer = contest.open_scorer(PRACTICE_ROUND, entry.team)
    if scorer.draws_tests:
        return []
    secret = contest.secret.child(f"practice {entry.number}")
    made = scorer.publish(read_entry_release(contest, scorer, entry), rng=secret.rng())
    maps = contest.folder / "truth" / PRACTICE_ROUND / "maps"
    write_files(contest.folder, {maps / f"{entry.team}.csv": made.secret})
    return [_hand_out(contest, "published", PRACTICE_ROUND, entry.team, "", made.public)]


def _hand_out(contest: VaultContest, kind: str, round_name: str, about: str, team: str, data: bytes) -> HandoutRow:
    digest = contest.store.keep_bytes(data)
    return HandoutRow(kind=kind, round=round_name, about=about, team=team, digest=digest)
