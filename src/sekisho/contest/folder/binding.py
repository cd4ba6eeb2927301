"""What every file of a contest must be: bound by its digest to the ledger, or found to be bound by nothing.

The ledger names the rules and the files beside them, the originals, everything that was handed in, what was published
of it, and, salted with the referee's secret, who is who, the test sets and their answers. A file that is another, that
is missing, that nobody handed in, or that is a link elsewhere is a fault with its name. Ledgers of earlier versions
name less: what they leave open is told, never passed over.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sekisho.contest.event import Created, Event, Published
from sekisho.contest.folder.mailed_files import name_release_file
from sekisho.contest.ledger import digest_text, read_ledger, write_canonical
from sekisho.contest.referee import replay
from sekisho.contest.rulebook import Rulebook
from sekisho.contest.rules import ContestRules
from sekisho.contest.scoring import GUESS
from sekisho.contest.state import ContestState
from sekisho.data.files.whole_files import read_bytes
from sekisho.data.files.zip_guard import blame_archive
from sekisho.errors import Fault, FaultsError, InputError
from sekisho.provenance import digest_file, list_parameters
from sekisho.seeds import Seed
from sekisho.words import Said

LEDGER, RULES_FILE, SECRET = "ledger.jsonl", "rules.toml", "truth/secret"
OTHER, MISSING, STRANGE, LINK = "digest", "missing", "unknown", "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingSurvey:
    """How files of a contest stand to its ledger.

    Attributes:
        faults: what the ledger contradicts, each with the file's name.
        unbound: files on which the outcome depends and of which the ledger, an older one, says nothing.
    """

    faults: tuple[Fault, ...] = ()
    unbound: tuple[str, ...] = ()


def digest_rules(rules: Rulebook) -> str:
    """Return the digest of rules: of what they say, not of how their file says it."""
    return digest_text(write_canonical(list_parameters(rules)))


def digest_files(files: Mapping[str, Path]) -> dict[str, str]:
    """Return the digests of files; one that cannot be read has none."""
    digests: dict[str, str] = {}
    for name, path in sorted(files.items()):
        with suppress(OSError):
            digests[name] = digest_file(path)
    return digests


def commit_secret(secret: Seed, what: str) -> str:
    """Return a digest that binds the referee to his secret, and to what he keeps, without telling either."""
    return digest_text(f"sekisho {secret.value} {what}")


def parse_secret(data: bytes, source: object) -> Seed:
    """Return the referee's secret as its file has it."""
    text = data.decode("ascii", errors="replace").strip()
    if not text.isdecimal() or len(text) > 20:
        raise InputError(source, Said("is no secret of a contest"))
    return Seed(int(text))


def survey_folder(folder: Path, *, whole: bool = True) -> BindingSurvey:
    """Compare every file of a contest's folder with its ledger.

    Args:
        folder: of the contest.
        whole: whether everything must be there; else, as in what was exported for everybody, only what is there counts.

    Raises:
        InputError: the ledger is missing, damaged, or no referee wrote it.
    """
    links, names = list_files(folder)
    if LEDGER in links or RULES_FILE in links:
        return BindingSurvey(faults=tuple(blame_file(LINK, name) for name in links))
    digests = {name: digest_file(folder / name) for name in names}
    secret = parse_secret(read_bytes(folder / SECRET), folder / SECRET) if SECRET in digests else None
    survey = survey_files(digests, read_bytes(folder / LEDGER), secret, folder, whole=whole)
    return BindingSurvey(faults=(*(blame_file(LINK, name) for name in links), *survey.faults), unbound=survey.unbound)


def require_bound(folder: Path) -> BindingSurvey:
    """Compare a whole folder with its ledger, and refuse what the ledger contradicts.

    Raises:
        FaultsError: everything that is not as the ledger says.
    """
    survey = survey_folder(folder)
    if survey.faults:
        raise FaultsError(folder, survey.faults)
    return survey


def list_files(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the links and other things of a folder that are no plain files, and the plain files, by name."""
    links: list[str] = []
    plain: list[str] = []
    for place, folders, names in os.walk(folder):
        for name in sorted((*folders, *names)):
            path = Path(place) / name
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                plain.append(path.relative_to(folder).as_posix())
            elif not stat.S_ISDIR(mode):
                links.append(path.relative_to(folder).as_posix())
    return tuple(sorted(links)), tuple(sorted(plain))


def survey_files(
    digests: Mapping[str, str], ledger: bytes, secret: Seed | None, source: object, *, whole: bool
) -> BindingSurvey:
    """Compare files, given by their digests, with a ledger.

    Raises:
        InputError: the ledger is damaged, or no referee wrote it.
    """
    events, _ = read_ledger(ledger, f"{source}, {LEDGER}")
    state = replay(events, f"{source}, {LEDGER}")
    if state.created is None:
        raise InputError(f"{source}, {LEDGER}", Said("the ledger is empty"))
    work = _Survey(digests=digests, state=state, created=state.created, secret=secret, whole=whole)
    work.compare_rules()
    work.compare_originals()
    work.compare_entries()
    for event in _find_published(events):
        work.compare_round(event)
    work.compare_strangers({event.round for event in _find_published(events)})
    return BindingSurvey(faults=tuple(work.faults), unbound=tuple(work.unbound))


def _find_published(events: tuple[Event, ...]) -> Iterator[Published]:
    yield from (event for event in events if isinstance(event, Published))


def blame_file(rule: str, name: str) -> Fault:
    """Return what is wrong with a file of a contest."""
    messages = {
        OTHER: Said("{name} is not what the ledger says", name=name),
        MISSING: Said("{name} is missing", name=name),
        STRANGE: Said(
            "{name} is not in the ledger: it was put there, or lines of ledger.jsonl are missing at its end", name=name
        ),
        LINK: Said("{name} is a link or no plain file: it is not followed", name=name),
    }
    return blame_archive(rule, name, messages[rule])


@dataclass(slots=True, kw_only=True)
class _Survey:
    digests: Mapping[str, str]
    state: ContestState
    created: Created
    secret: Seed | None
    whole: bool
    faults: list[Fault] = field(default_factory=list[Fault])
    unbound: list[str] = field(default_factory=list[str])

    def compare(self, name: str, digest: str, *, needed: bool = True) -> None:
        """Note a file that is missing or another."""
        if name not in self.digests:
            self.faults += [blame_file(MISSING, name)] if needed else []
        elif self.digests[name] != digest:
            self.faults.append(blame_file(OTHER, name))

    def compare_rules(self) -> None:
        for name, digest in {RULES_FILE: self.created.rules, **(self.created.files or {})}.items():
            self.compare(name, digest)
        if self.created.files is None:
            self.unbound += [name for name in self.digests if "/" not in name and name.endswith(".csv")]
        if self.secret is None:
            self.faults += [blame_file(MISSING, SECRET)] if self.whole else []
        elif not self.created.commitment:
            self.unbound.append(SECRET)
        elif commit_secret(self.secret, "") != self.created.commitment:
            self.faults.append(blame_file(OTHER, SECRET))

    def compare_originals(self) -> None:
        for name, digest in self.created.originals.items():
            shared, own = f"rounds/{name}/original.csv", f"rounds/{name}/originals/"
            each = {path.removeprefix(own): known for path, known in self.digests.items() if path.startswith(own)}
            if not self.whole and shared not in self.digests and not each:
                continue
            known = self.digests.get(shared, digest_text(write_canonical(each)))
            if known != digest or (shared in self.digests and each):
                place = shared if shared in self.digests or not each else own
                message = Said(
                    "{place}: the original of round {name} is not what the ledger says", place=place, name=name
                )
                self.faults.append(blame_archive(OTHER, place, message))

    def compare_entries(self) -> None:
        wanted = {digest for entry in self.state.entries for digest in entry.files.values()}
        held = {name.removeprefix("files/"): name for name in self.digests if name.startswith("files/")}
        if self.whole:
            self.faults += [
                blame_archive(
                    MISSING, f"files/{digest}", Said("files/{digest} was handed in and is missing", digest=digest)
                )
                for digest in sorted(wanted - held.keys())
            ]
        for digest, name in sorted(held.items()):
            if self.digests[name] != digest:
                self.faults.append(blame_archive(OTHER, name, Said("{name} is not what its name says", name=name)))
            elif digest not in wanted:
                self.faults.append(blame_file(STRANGE, name))

    def compare_round(self, event: Published) -> None:
        """Compare what was published, the releases behind it, and what the referee keeps of them."""
        place = f"rounds/{event.round}"
        for team, digest in event.files.items():
            name = name_published(self.created.contest, team)
            self.compare(f"{place}/published/{name}", digest, needed=self.whole)
        for name, digest in self.list_releases(event.round).items():
            self.compare(name, digest, needed=self.whole)
        if event.kept is None:
            self.compare_commitment(event)
            return
        for name, salted in event.kept.items():
            if name not in self.digests:
                self.faults += [blame_file(MISSING, name)] if self.whole else []
            elif self.secret is not None and commit_secret(self.secret, self.digests[name]) != salted:
                self.faults.append(blame_file(OTHER, name))

    def list_releases(self, round_name: str) -> dict[str, str]:
        """Return the files of the releases that were published, by name, with their digests."""
        entries = [self.state.entries[number - 1] for number in self.state.published.get(round_name, {}).values()]
        return {
            f"rounds/{round_name}/releases/{name_release_file(entry.team, kind)}": digest
            for entry in entries
            for kind, digest in entry.files.items()
        }

    def compare_commitment(self, event: Published) -> None:
        """Compare what an older ledger binds in one: all maps and answers of a round together."""
        truth = f"truth/{event.round}/"
        self.unbound += [name for name in self.digests if name.startswith(f"rounds/{event.round}/tests/")]
        if self.secret is None:
            return
        kept = {name: digest for name, digest in self.digests.items() if name.startswith(truth)}
        lines = "".join(f"{name.removeprefix(truth)} {digest}\n" for name, digest in sorted(kept.items()))
        if commit_secret(self.secret, digest_text(lines)) != event.commitment:
            message = Said(
                "{place}: these files together are not what the ledger says: {files}",
                place=truth,
                files=", ".join(kept),
            )
            self.faults.append(blame_archive(OTHER, truth, message))

    def compare_strangers(self, published: set[str]) -> None:
        """Note files of rounds that no line of the ledger tells of, and attacks that nobody handed in."""
        known = {name for event_round in published for name in self.list_releases(event_round)}
        for name, digest in self.digests.items():
            parts = name.split("/")
            if len(parts) != 4 or parts[0] not in ("rounds", "truth"):
                continue
            strange = (
                (parts[2] in ("published", "tests", "maps", "answers") and parts[1] not in published)
                or (parts[2] == "published" and Path(parts[3]).stem not in self.state.published[parts[1]])
                or (parts[2] == "releases" and name not in known)
                or (parts[2] == "guesses" and digest not in self.list_guesses(parts[1], parts[3]))
            )
            self.faults += [blame_file(STRANGE, name)] if strange else []

    def list_guesses(self, round_name: str, name: str) -> set[str]:
        attacker, _, target = Path(name).stem.partition("-on-")
        return {entry.files.get(GUESS, "") for entry in self.state.find_entries(round_name, attacker, target)}


def name_published(contest: ContestRules, team: str) -> str:
    """Return what is published of a team's release is called: a table, or an archive of several."""
    return f"{team}.csv" if contest.board is None else f"{team}.zip"


def name_answer(contest: ContestRules, name: str) -> str:
    """Return what an attack, or what the referee judges it by, is called: a table, or an archive of several."""
    several = contest.board is not None and len(contest.board.questions) > 1
    return f"{name}{'.zip' if several else '.csv'}"
