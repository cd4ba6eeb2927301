"""The referee's desk: what is done with files when teams hand them in, and when a round is published or judged again.

Each step asks the referee first, then does the work, then writes the result down as an event. If our own program fails
on a file, that is an event too, and the file costs its team nothing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sekisho.contest.event import (
    Attacked,
    Faulted,
    Opened,
    Published,
    RejudgeOpened,
    RejudgeScored,
    Requeued,
    Scored,
    Submitted,
)
from sekisho.contest.folder.binding import commit_secret, name_answer, name_published
from sekisho.contest.folder.live import LiveContest, write_files
from sekisho.contest.folder.mailed_files import ENDING, ENDINGS, name_release_file
from sekisho.contest.ledger import digest_bytes, digest_text
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.scoring import (
    ANSWERS,
    DELETED,
    GUESS,
    OWN,
    RELEASED,
    SCORER,
    AttackScore,
    ReadRelease,
    ReleaseScore,
    Scorer,
)
from sekisho.contest.state import ContestEntry, EntryStatus
from sekisho.data.files.whole_files import read_bytes
from sekisho.data.files.zip_guard import ExactNames, ZipLimits, read_zip
from sekisho.errors import BugError, Fault, FaultsError, InputError, SekishoError, UnreadableError
from sekisho.words import Said, quote_words


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReceipt:
    """What a team gets for a file.

    Attributes:
        contest: as it stands then.
        entry: the file's.
        repeated: whether it had been handed in before.
        faults: what is wrong with it.
    """

    contest: LiveContest
    entry: ContestEntry
    repeated: bool
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryResult:
    """What an entry is worth, or everything that is wrong with it."""

    worth: ReleaseScore | AttackScore | None
    faults: tuple[Fault, ...] = ()
    count: int = 0


def submit_release(
    contest: LiveContest, team: str, round_name: str, files: Mapping[str, Path], *, at: str, key: str = ""
) -> FileReceipt:
    """Take a release in and score it.

    Raises:
        RefusedEventError: the referee does not take it.
        InputError: a file cannot be read at all.
    """
    contents = {kind: read_bytes(path) for kind, path in files.items()}
    digests = {kind: digest_bytes(data) for kind, data in contents.items()}
    event = Submitted(at=at, team=team, round=round_name, files=digests, key=key)
    return _take_in(contest, event, contents.values(), at)


def submit_attack(
    contest: LiveContest, team: str, target: str, round_name: str, guess: Path, *, at: str, key: str = ""
) -> FileReceipt:
    """Take an attack in and judge it.

    Raises:
        RefusedEventError: the referee does not take it.
        InputError: the file cannot be read at all.
    """
    data = read_bytes(guess)
    files = {GUESS: digest_bytes(data)}
    event = Attacked(at=at, team=team, target=target, round=round_name, files=files, key=key)
    return _take_in(contest, event, [data], at)


def _take_in(contest: LiveContest, event: Submitted | Attacked, contents: Iterable[bytes], at: str) -> FileReceipt:
    """Keep what is handed in, have the referee rule on it, and score it.

    An original that cannot be read is found out before anything is written.
    """
    contest.ask(event)
    contest.open_scorer(event.round, event.target if isinstance(event, Attacked) else event.team)
    contest.keep_files(contents)
    contest, ruling = contest.send(event)
    return _settle(contest, ruling.entry, at, repeated=ruling.repeated)


def score_after_all(contest: LiveContest, number: int, *, at: str) -> FileReceipt:
    """Score a file on which our own program failed once more.

    Raises:
        RefusedEventError: it did not fail on it, or its result would come too late.
    """
    contest, _ = contest.send(Requeued(at=at, entry=number))
    return _settle(contest, number, at, repeated=False)


def _settle(contest: LiveContest, number: int, at: str, *, repeated: bool) -> FileReceipt:
    entry = contest.state.entries[number - 1]
    if entry.status is not EntryStatus.PENDING:
        return FileReceipt(contest=contest, entry=entry, repeated=repeated)
    try:
        result = score_entry(contest, entry)
    except Exception as error:
        contest.send(Faulted(at=at, entry=number, reason=f"{type(error).__name__}: {error}"[:300]))
        raise
    contest, _ = contest.send(_make_event(result, number, at))
    entry = contest.state.entries[number - 1]
    return FileReceipt(contest=contest, entry=entry, repeated=repeated, faults=result.faults)


def _make_event(result: EntryResult, number: int, at: str) -> Scored:
    worth = result.worth
    return Scored(
        at=at,
        entry=number,
        scorer=SCORER,
        faults=result.count,
        release=worth if isinstance(worth, ReleaseScore) else None,
        attack=worth if isinstance(worth, AttackScore) else None,
    )


def score_entry(contest: LiveContest, entry: ContestEntry) -> EntryResult:
    """Return what an entry is worth, from its files alone.

    Raises:
        OSError: a file that we keep cannot be read, or is not what was handed in: our fault, and no verdict.
    """
    contest.check_files(entry.files)
    if not entry.is_attack:
        scorer = contest.open_scorer(entry.round, entry.team)
        return _try(lambda: scorer.measure(read_entry_release(contest, scorer, entry)))
    scorer = contest.open_scorer(entry.round, entry.target)
    target = contest.state.entries[entry.against - 1]
    contest.check_files(target.files)
    try:
        release = read_entry_release(contest, scorer, target)
    except OSError:
        raise
    except (FaultsError, InputError):
        # it was valid when it was attacked; what is wrong with it now is not the attacker's to know
        message = Said("the release that it attacks is not valid")
        fault = Fault(row=0, column="", rule="target", value=entry.target, message=message)
        return EntryResult(worth=None, faults=(fault,), count=1)
    files = contest.find_files(entry.files)
    if not scorer.draws_tests and not scorer.keeps_truth:
        return _try(lambda: scorer.judge(release, files))
    files[OWN] = contest.find_original(entry.round, entry.team)
    if entry.round != PRACTICE_ROUND:
        files[ANSWERS] = (
            find_map(contest, entry.round, entry.target)
            if scorer.keeps_truth
            else find_answers(contest, entry.round, entry.team, entry.target)
        )
        contest.check_kept(files[ANSWERS])
        return _try(lambda: scorer.judge(release, files), kept=files[ANSWERS])
    with TemporaryDirectory() as place:
        files[ANSWERS] = Path(place) / ANSWERS
        files[ANSWERS].write_bytes(prepare_practice(contest, entry.team, entry.against).answers)
        return _try(lambda: scorer.judge(release, files), kept=files[ANSWERS])


def _try(score: Callable[[], ReleaseScore | AttackScore], kept: Path | None = None) -> EntryResult:
    """Return what a file is worth, or what is wrong with it.

    What was handed in was received whole: that it cannot be read now says nothing about it, nor does a file of the
    referee's own that is wrong.
    """
    try:
        return EntryResult(worth=score())
    except (BugError, OSError):
        raise
    except SekishoError as error:
        if kept is not None and getattr(error, "source", "") == str(kept):
            raise UnreadableError(kept, Said("is not as the referee wrote it")) from error
        if isinstance(error, FaultsError):
            return EntryResult(worth=None, faults=tuple(error.faults), count=error.count)
        reason = error.reason if isinstance(error, InputError) else quote_words(str(error))
        return EntryResult(
            worth=None, faults=(Fault(row=0, column="", rule="file", value="", message=reason),), count=1
        )


def read_entry_release(contest: LiveContest, scorer: Scorer, entry: ContestEntry) -> ReadRelease:
    """Return the release of an entry, or raise everything that is wrong with it."""
    missing = [kind for kind in scorer.release_files if kind not in entry.files]
    if missing:
        raise InputError(", ".join(missing), Said("was not handed in"))
    if entry.number not in contest.releases:
        contest.releases[entry.number] = scorer.read_release(contest.find_files(entry.files))
    return contest.releases[entry.number]


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """What a team attacks in practice: what would be published, a test set of its own, and the answers to that.

    Attributes:
        shown: of records, the test set; else empty.
        answers: the referee's; empty where there is no test set.
    """

    public: bytes
    shown: bytes
    answers: bytes


def prepare_practice(contest: LiveContest, attacker: str, number: int) -> Practice:
    """Return what an attacker needs for practice on a release; the same each time, for it follows from the secret.

    Raises:
        InfeasibleError: too few records are kept or deleted for a test set.
    """
    entry = contest.state.entries[number - 1]
    scorer = contest.open_scorer(entry.round, entry.team)
    secret = contest.secret.child(f"practice {number}")
    release = read_entry_release(contest, scorer, entry)
    made = scorer.publish(release, rng=secret.rng())
    drawn = scorer.draw_test(release, made, rng=secret.child(attacker).rng())
    kept = made.secret if scorer.keeps_truth else b""
    shown, answers = (b"", kept) if drawn is None else (drawn.shown, drawn.answers)
    return Practice(public=made.public, shown=shown, answers=answers)


def find_answers(contest: LiveContest, round_name: str, attacker: str, target: str) -> Path:
    """Return where the referee keeps the answers of an attacker's test set."""
    return contest.folder / "truth" / round_name / "answers" / f"{attacker}-on-{target}.csv"


def find_map(contest: LiveContest, round_name: str, team: str) -> Path:
    """Return where the referee keeps what the publication of a team's release left with him."""
    return contest.folder / "truth" / round_name / "maps" / name_answer(contest.state.contest, team)


def publish_round(contest: LiveContest, round_name: str, *, at: str) -> LiveContest:
    """Publish the final entries of a round: files for everybody, test sets for attackers, the truth for the referee.

    Raises:
        RefusedEventError: the phase does not allow it.
    """
    contest, _ = contest.send(Opened(at=at, phase=PhaseKind.PUBLISH, round=round_name))
    event, files = make_publication(contest, round_name, at=at)
    contest.ask(event)
    write_files(contest.folder, files)
    return contest.send(event)[0]


def make_publication(contest: LiveContest, round_name: str, *, at: str) -> tuple[Published, dict[Path, bytes]]:
    """Return the event that publishes a round, and the files to be written into the contest's folder before it."""
    place, truth = contest.find_round_folder(round_name), contest.folder / "truth" / round_name
    secret = contest.secret.child(f"publish {round_name}")
    if contest.state.withdrawn.get(round_name):  # what was taken back may have been seen: orders and tests are new
        secret = secret.child(f"after {contest.state.withdrawn[round_name]} withdrawn")
    files: dict[Path, bytes] = {}
    public: dict[str, str] = {}
    for team in sorted(contest.state.teams):
        entry = contest.state.find_final(round_name, team)
        if entry is None:
            continue
        scorer = contest.open_scorer(round_name, team)
        release = read_entry_release(contest, scorer, entry)
        made = scorer.publish(release, rng=secret.child(team).rng())
        published = name_published(contest.state.contest, team)
        files |= {place / "published" / published: made.public, find_map(contest, round_name, team): made.secret}
        contest.check_files(entry.files)
        for kind, path in contest.find_files(entry.files).items():
            files[place / "releases" / name_release_file(team, kind)] = read_bytes(path)
        public[team] = digest_bytes(made.public)
        if not scorer.draws_tests or (entry.release is not None and not entry.release.qualified):
            continue
        for attacker in contest.state.teams:
            drawn = scorer.draw_test(release, made, rng=secret.child(f"{attacker} on {team}").rng())
            if attacker != team and drawn is not None:
                files[place / "tests" / f"{attacker}-on-{team}.csv"] = drawn.shown
                files[truth / "answers" / f"{attacker}-on-{team}.csv"] = drawn.answers
    kept = "".join(
        f"{path.relative_to(truth).as_posix()} {digest_bytes(data)}\n"
        for path, data in sorted(files.items())
        if path.is_relative_to(truth)
    )
    commitment = commit_secret(contest.secret, digest_text(kept))
    salted = {
        path.relative_to(contest.folder).as_posix(): commit_secret(contest.secret, digest_bytes(data))
        for path, data in sorted(files.items())
        if path.is_relative_to(truth) or path.parent == place / "tests"
    }
    return Published(at=at, round=round_name, files=public, commitment=commitment, kept=salted), files


def write_final_guesses(contest: LiveContest, round_name: str) -> None:
    """Write the attacks that count beside the releases of a round, so that `contest evaluate` can judge them again."""
    files: dict[Path, bytes] = {}
    place = contest.find_round_folder(round_name)
    for attacker in contest.state.teams:
        for target in contest.state.published.get(round_name, {}):
            entry = contest.state.find_final(round_name, attacker, target)
            if entry is not None:
                source = contest.find_files(entry.files)[GUESS]
                name = name_answer(contest.state.contest, f"{attacker}-on-{target}")
                files[place / "guesses" / name] = read_bytes(source)
    write_files(contest.folder, files)


def rejudge_entries(contest: LiveContest, name: str, *, at: str) -> LiveContest:
    """Score every file again, practice aside; nothing changes before the rejudging is applied.

    Raises:
        RefusedEventError: there is such a rejudging already, or files are still to be scored.
    """
    contest, _ = contest.send(RejudgeOpened(at=at, name=name, scorer=SCORER))
    for number in sorted(contest.state.rejudgings[name].wanted):
        scored = _make_event(score_entry(contest, contest.state.entries[number - 1]), number, at)
        again = RejudgeScored(
            at=at,
            name=name,
            entry=number,
            scorer=SCORER,
            faults=scored.faults,
            release=scored.release,
            attack=scored.attack,
        )
        contest, _ = contest.send(again)
    return contest


def recheck_scores(contest: LiveContest) -> tuple[tuple[ContestEntry, EntryResult], ...]:
    """Score every file of the ledger again and return the entries whose results are not what the ledger says."""
    different: list[tuple[ContestEntry, EntryResult]] = []
    for entry in contest.state.entries:
        if entry.status not in (EntryStatus.VALID, EntryStatus.INVALID):
            continue
        result = score_entry(contest, entry)
        if (result.worth, result.count) != (entry.worth, entry.faults):
            different.append((entry, result))
    return tuple(different)


def list_release_files(released: Path, deleted: Path | None) -> dict[str, Path]:
    """Return the files of a release by what they are."""
    return {RELEASED: released} | ({} if deleted is None else {DELETED: deleted})


def name_part(kind: str) -> str:
    """Return what a part of a release is called in an archive."""
    return f"{kind}{ENDINGS.get(kind, ENDING)}"


def unpack_release(archive: Path, kinds: tuple[str, ...], place: Path) -> dict[str, Path]:
    """Unpack the parts of a release from a flat archive into a folder, and return them by what they are.

    Raises:
        FaultsError: the archive is dangerous, damaged, or holds other names than the parts'.
    """
    names = ExactNames(tuple(map(name_part, kinds)))
    found = read_zip(io.BytesIO(read_bytes(archive)), names, ZipLimits(), lambda _, pieces: b"".join(pieces))
    for name, data in found.items():
        (place / name).write_bytes(data)
    return {kind: place / name_part(kind) for kind in kinds if name_part(kind) in found}
