"""A contest that is going on, in a folder: its rules, its ledger, the files that were handed in, and what stays secret.

::

    rules.toml, ledger.jsonl
    files/SHA256                        everything that was handed in, by its digest
    rounds/ROUND/original.csv           or originals/TEAM.csv
    rounds/ROUND/releases, published, tests, guesses       as the e-mail folder has them
    truth/                              the referee's: his secret, who is who, the answers; nobody else may read it
    result/

The ledger is the contest: all else follows from it and from the files. One process at a time writes to it.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sekisho.contest.event import Created, Event, Published
from sekisho.contest.folder.binding import LEDGER, RULES_FILE, SECRET, commit_secret, parse_secret
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.ledger import Head, chain_event, digest_bytes, digest_text, read_ledger, write_canonical
from sekisho.contest.open_scorer import open_scorer
from sekisho.contest.referee import replay, step
from sekisho.contest.rulebook import Rulebook, read_rulebook, rules_path
from sekisho.contest.rules import PRACTICE_ROUND
from sekisho.contest.rulings.deadline import EDITION
from sekisho.contest.rulings.refusal import RefusedEventError, Ruling
from sekisho.contest.scoring import ReadRelease, Scorer
from sekisho.contest.state import ContestState
from sekisho.contest.tables.rules import TablesRules
from sekisho.data.files.whole_files import read_bytes, write_whole
from sekisho.errors import InputError, MissingFileError, ParameterError, UnreadableError, say_failure
from sekisho.provenance import digest_file
from sekisho.seeds import Seed
from sekisho.words import Said

OWNER_ONLY, SHARED = 0o700, "original.csv"
PRIVATE = re.compile(r"(?:files|truth|rounds/[^/]+/(?:originals|releases|tests|guesses))(?:/.*)?")
"""What of a contest's folder is the owner's alone: row by row beside the original, a release tells who is who."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveContest:
    """A contest in its folder, as its ledger says it stands.

    Attributes:
        events: of the ledger.
        head: where the ledger ends.
        scorers: those that were opened, by round and original, so that an original is read once.
        releases: those that were read, by the entry's number.
    """

    folder: Path
    rules: Rulebook
    state: ContestState
    events: tuple[Event, ...]
    head: Head
    scorers: dict[tuple[str, Path], Scorer] = field(default_factory=dict[tuple[str, Path], Scorer], compare=False)
    releases: dict[int, ReadRelease] = field(default_factory=dict[int, ReadRelease], compare=False)

    @property
    def secret(self) -> Seed:
        """The referee's secret, from which he draws orders and test sets."""
        secret = parse_secret(read_bytes(self.folder / SECRET), self.folder / SECRET)
        created = self.state.created
        if created is not None and created.commitment not in ("", commit_secret(secret, "")):
            raise InputError(self.folder / SECRET, Said("is not what the ledger says"))
        return secret

    def find_round_folder(self, round_name: str) -> Path:
        """Return where the files of a round lie; practice is on the data of the first round."""
        names = self.state.contest.round_names
        return self.folder / "rounds" / (names[0] if round_name == PRACTICE_ROUND else round_name)

    def find_original(self, round_name: str, team: str) -> Path:
        """Return the original that a team works on."""
        place = self.find_round_folder(round_name)
        own = place / "originals"
        return own / f"{team}.csv" if own.is_dir() else place / SHARED

    def open_scorer(self, round_name: str, team: str) -> Scorer:
        """Return the scorer of a team's files in a round."""
        named = self.state.contest.round_names[0] if round_name == PRACTICE_ROUND else round_name
        if named not in self.state.contest.round_names:
            raise ParameterError(
                "round",
                Said("be one of {round_names}", round_names=", ".join(self.state.contest.round_names)),
                round_name,
            )
        key = named, self.find_original(round_name, team)
        if key not in self.scorers:
            self.check_original(named, key[1])
            self.scorers[key] = open_scorer(self.rules, key[1], named, seed=self.find_seed(named))
        return self.scorers[key]

    def find_seed(self, round_name: str) -> Seed | None:
        """Return the referee's seed for scoring a round, where releases are tables."""
        return self.secret.child(f"scores {round_name}") if isinstance(self.rules, TablesRules) else None

    def check_original(self, round_name: str, path: Path) -> None:
        """Refuse an original that is not the one to which the ledger is bound.

        Raises:
            UnreadableError: it is another.
        """
        created = self.state.created
        if created is None:
            return
        own = {each.name: digest_file(each) for each in path.parent.glob("*.csv")} if path.name != SHARED else {}
        digest = digest_text(write_canonical(own)) if own else digest_file(path)
        if digest != created.originals[round_name]:
            raise UnreadableError(path, Said("is not what the ledger says"))

    def find_files(self, files: Mapping[str, str]) -> dict[str, Path]:
        """Return where files that were handed in lie."""
        return {kind: self.folder / "files" / digest for kind, digest in files.items()}

    def check_files(self, files: Mapping[str, str]) -> None:
        """Refuse files that are not what was handed in.

        Raises:
            UnreadableError: one of them is missing or another; that is no fault of its team.
        """
        for kind, path in self.find_files(files).items():
            if digest_bytes(read_bytes(path)) != files[kind]:
                raise UnreadableError(path, Said("is not what was handed in"))

    def check_kept(self, path: Path) -> None:
        """Refuse a map, a test set or answers that are not those to which the referee bound himself.

        Raises:
            UnreadableError: the file is missing or another.
        """
        name, salted = (
            path.relative_to(self.folder).as_posix(),
            commit_secret(self.secret, digest_bytes(read_bytes(path))),
        )
        bound = [event.kept for event in self.events if isinstance(event, Published) and event.kept is not None]
        if any(name in kept and kept[name] != salted for kept in bound):
            raise UnreadableError(path, Said("is not what the ledger says"))

    def keep_files(self, contents: Iterable[bytes]) -> None:
        """Keep files by their digests."""
        places = {self.folder / "files" / digest_bytes(data): data for data in contents}
        write_files(self.folder, {place: data for place, data in places.items() if not place.exists()})

    def ask(self, event: Event) -> Ruling:
        """Return what the referee says to an event, without writing it down.

        Raises:
            RefusedEventError: he refuses it.
        """
        ruling = step(self.state, event)
        if ruling.refusal is not None:
            raise RefusedEventError(ruling.refusal)
        return ruling

    def send(self, event: Event) -> tuple[LiveContest, Ruling]:
        """Have the referee rule on an event, write it down, and return how the contest stands then.

        Raises:
            RefusedEventError: he refuses it; nothing is written.
        """
        ruling = self.ask(event)
        if ruling.repeated:
            return self, ruling
        line, head = chain_event(self.head, event)
        _append(self.folder / LEDGER, line)
        return replace(self, state=ruling.state, events=(*self.events, event), head=head), ruling


@contextmanager
def hold_contest(folder: Path) -> Generator[LiveContest]:
    """Open a contest to write to it; other processes wait.

    What a crash left of a line that nobody was told of is dropped.
    """
    ledger = folder / LEDGER
    if not ledger.is_file():
        raise MissingFileError(ledger)
    with ledger.open("rb+") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        data = stream.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            stream.truncate(whole)
        contest = read_contest(folder)
        hide_private_folders(folder)
        yield contest


def read_contest(folder: Path) -> LiveContest:
    """Return how a contest stands.

    Raises:
        InputError: the ledger is damaged, or no referee wrote it.
    """
    path = folder / LEDGER
    data = read_bytes(path)
    events, head = read_ledger(data[: data.rfind(b"\n") + 1], path)
    state = replay(events, path)
    if state.created is None:
        raise InputError(path, Said("the ledger is empty"))
    for name, digest in {RULES_FILE: state.created.rules, **(state.created.files or {})}.items():
        if digest_bytes(read_bytes(folder / name)) != digest:
            raise InputError(folder / name, Said("is not what the ledger says"))
    return LiveContest(
        folder=folder, rules=read_rulebook(str(folder / RULES_FILE)), state=state, events=events, head=head
    )


def create_contest(
    folder: Path, rules: str, originals: Mapping[str, Path], *, at: str, first_day: str, secret: Seed
) -> LiveContest:
    """Begin a contest in a new folder.

    Args:
        folder: must be new or empty.
        rules: a built-in contest, or a TOML file.
        originals: by round, a file, or a folder of TEAM.csv where teams have their own.
        at: when.
        first_day: of the schedule; empty where phases are opened by hand.
        secret: the referee's.

    Raises:
        InputError: the folder is in use, or an original cannot be read.
        RefusedEventError: the schedule or the originals do not fit the rules.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(folder, Said("is in use: a contest begins in a new folder"))
    book = read_rulebook(rules)
    contest = book.settle_contest()
    unknown = sorted(set(originals) - set(contest.round_names))
    if unknown:
        raise ParameterError(
            "original", Said("be of the rounds {round_names}", round_names=", ".join(contest.round_names)), unknown
        )
    files, digests = _copy_originals(folder, originals)
    for name, path in originals.items():
        if not path.is_dir():
            open_scorer(book, path, name)
    source = rules_path(rules)
    text = read_bytes(source)
    files[folder / RULES_FILE] = text
    named = [book.verdict.thresholds] if isinstance(book, HistoryRules) and book.verdict.thresholds else []
    beside = {name: read_bytes(source.parent / name) for name in named}
    files |= {folder / name: data for name, data in beside.items()}
    event = Created(
        at=at,
        name=book.name,
        rules=digest_bytes(text),
        contest=contest,
        originals=digests,
        first_day=first_day,
        commitment=commit_secret(secret, ""),
        files={name: digest_bytes(data) for name, data in {RULES_FILE: text, **beside}.items()},
        edition=EDITION,
    )
    ruling = step(ContestState(), event)
    if ruling.refusal is not None:
        raise RefusedEventError(ruling.refusal)
    line, head = chain_event(Head(), event)
    files[folder / SECRET] = f"{secret.value}\n".encode()
    files[folder / LEDGER] = line
    write_files(folder, files)
    return LiveContest(folder=folder, rules=book, state=ruling.state, events=(event,), head=head)


def write_files(folder: Path, files: Mapping[Path, bytes]) -> None:
    """Write files of a contest whole, having made their folders; what is the owner's, for him alone."""
    try:
        for parent in sorted({path.parent for path in files}):
            parent.mkdir(parents=True, exist_ok=True)
        hide_private_folders(folder)
    except OSError as error:
        raise InputError(
            folder, Said("cannot be made: {strerror}", strerror=say_failure(error, Said("unknown reason")))
        ) from error
    write_whole(files, private={path for path in files if _is_private(folder, path)})


def hide_private_folders(folder: Path) -> None:
    """Close what is the owner's alone to all others, also in a folder that an earlier version began."""
    places = (
        path for pattern in ("files", "truth", "truth/*", "truth/*/*", "rounds/*/*") for path in folder.glob(pattern)
    )
    for path in places:
        if path.is_dir() and not path.is_symlink() and _is_private(folder, path) and path.stat().st_mode & 0o077:
            path.chmod(OWNER_ONLY)


def _is_private(folder: Path, path: Path) -> bool:
    return path.is_relative_to(folder) and PRIVATE.fullmatch(path.relative_to(folder).as_posix()) is not None


def _copy_originals(folder: Path, originals: Mapping[str, Path]) -> tuple[dict[Path, bytes], dict[str, str]]:
    files: dict[Path, bytes] = {}
    digests: dict[str, str] = {}
    for name, path in originals.items():
        place = folder / "rounds" / name
        if path.is_dir():
            each = {source.name: read_bytes(source) for source in sorted(path.glob("*.csv"))}
            files |= {place / "originals" / team: data for team, data in each.items()}
            digests[name] = digest_text(write_canonical({team: digest_bytes(data) for team, data in each.items()}))
        else:
            files[place / "original.csv"] = read_bytes(path)
            digests[name] = digest_bytes(files[place / "original.csv"])
    return files, digests


def _append(path: Path, line: bytes) -> None:
    """Write a line behind a file, and see it on the disk before anybody is told."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(
            path, Said("cannot be written: {strerror}", strerror=say_failure(error, Said("unknown reason")))
        ) from error
