"""A register of releases in a folder: entries that each hold the digest of the one before, and what later runs need.

::

    register.json             its number, and by what it knows its key
    entries/0001.json         what may be shown to strangers; the chain
    published/0001/           what left, and the trees of its labels: what has been seen stays seen
    confidential/0001.parquet who was in it, as digests under the key, and in which class; without who was erased

An entry is made in the same act as the release it speaks of: what is to be entered is completed first, together with
the digest of the certificate that goes with the release; then the release takes its place; then the entry. A program
that is killed in between leaves an intent, and whoever opens the register next settles it by looking whether the
release stands there. Where nobody can tell any more, it counts as having left.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import polars as pl

from sekisho.data.files.settings import build_settings
from sekisho.data.files.whole_files import read_bytes, read_regular_file, sync_folder
from sekisho.errors import Fault, InputError, ParameterError, SekishoError, say_failure
from sekisho.gate.certificate.canonical import digest_bytes, list_entries, read_json, write_canonical, write_readable
from sekisho.gate.certificate.document import FileEntry
from sekisho.gate.register.entries import RegisterEntry
from sekisho.gate.register.key import RegisterKey
from sekisho.seeds import draw_salt
from sekisho.words import Said

REGISTER_FORMAT = "sekisho register 1"
REGISTER, ENTRIES, PUBLISHED, CONFIDENTIAL = "register.json", "entries", "published", "confidential"
INTENT, INTENT_FILE, TREES, LEFT = ".intent", "intent.json", "trees", "left"
MOST_ENTRIES = 9_999
PEOPLE_SCHEMA = pl.Schema({"person": pl.Binary(), "class": pl.UInt32(), "own": pl.Boolean()})
OWNER_ONLY = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterHead:
    """What a register is known by.

    Attributes:
        format: of the file.
        number: drawn once; people's digests are of this register only.
        made: when it was started, in UTC.
        mark: by what it knows its key again.
    """

    format: str = REGISTER_FORMAT
    number: str
    made: str
    mark: str

    def __post_init__(self) -> None:
        if self.format != REGISTER_FORMAT:
            raise ParameterError("format", Said("be {format!r}", format=REGISTER_FORMAT), self.format)

    @property
    def digest(self) -> str:
        """What the first entry holds as that of the one before."""
        return digest_bytes(write_canonical(list_entries(self)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegisterProposal:
    """A release that is to be entered.

    Attributes:
        entry: as it will stand there.
        published: what leaves, by name.
        trees: by column the file of its tree.
        people: who is in it and in which class, as its file has it; nothing where people are not bound.
        left: where people are erased, by the number of each release that they were in, who is left in it.
    """

    entry: RegisterEntry
    published: Mapping[str, bytes]
    trees: Mapping[str, bytes]
    people: bytes = b""
    left: Mapping[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """That a release is about to take its place.

    Attributes:
        place: the certificate that will stand beside it; empty where the register alone changes.
        certificate: its digest.
    """

    place: str
    certificate: str

    @classmethod
    def of_register(cls) -> Intent:
        """Return the intent of an act that concerns the register alone: once it is complete, it is done."""
        return cls(place="", certificate="")

    @property
    def happened(self) -> bool:
        """Whether the release stands there, or nobody can tell: then it has left."""
        if not self.place:
            return True
        certificate = Path(self.place)
        if not certificate.parent.parent.is_dir():
            return True
        try:
            return digest_bytes(read_regular_file(certificate)) == self.certificate
        except SekishoError:
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """A register as it was read."""

    folder: Path
    head: RegisterHead
    entries: tuple[RegisterEntry, ...] = ()

    @classmethod
    def start(cls, folder: Path, key: RegisterKey, *, made: str) -> Register:
        """Make a new register in a folder that does not exist or is empty.

        Raises:
            InputError: something lies there, or it cannot be written.
        """
        number = draw_salt()[:32]
        head = RegisterHead(number=number, made=made, mark=key.mark(number))
        with _say_unwritable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise InputError(folder, Said("is not empty: a register starts in a folder of its own"))
            (folder / CONFIDENTIAL).mkdir(mode=OWNER_ONLY)
            for name in (ENTRIES, PUBLISHED):
                (folder / name).mkdir()
            _write_synced(folder / REGISTER, write_readable(list_entries(head)))
            sync_folder(folder)
        return cls(folder=folder, head=head)

    @classmethod
    def start_with_key(cls, folder: Path, place: Path, *, made: str) -> Register:
        """Make a new register and the file of its key; where one of the two cannot be made there is neither.

        Raises:
            InputError: something lies there, the key would lie inside, or it cannot be written.
        """
        key = RegisterKey.draw()
        key.write(place, register=folder)
        try:
            return cls.start(folder, key, made=made)
        except SekishoError:
            place.unlink()
            raise

    @classmethod
    def open(cls, folder: Path) -> Register:
        """Return the register in a folder, every entry read; an act that was cut short is settled by :meth:`hold`.

        Raises:
            InputError: there is none, or a file cannot be read.
            SettingsError: keys or values are wrong.
        """
        place = folder / REGISTER
        if not place.is_file():
            raise InputError(folder, Said("holds no register: sekisho register start makes one"))
        head = build_settings(read_json(place), RegisterHead, source=str(place))
        paths = sorted((folder / ENTRIES).glob("[0-9]*.json"))
        if len(paths) > MOST_ENTRIES:
            most = Said("holds {count:,} entries; the limit is {most:,}", count=len(paths), most=MOST_ENTRIES)
            raise InputError(folder / ENTRIES, most)
        return cls(folder=folder, head=head, entries=tuple(RegisterEntry.read(path) for path in paths))

    @property
    def last(self) -> str:
        """The digest that the next entry holds."""
        return self.entries[-1].digest if self.entries else self.head.digest

    @property
    def is_unsettled(self) -> bool:
        """Whether an act was cut short, which :meth:`hold` settles."""
        return (self.folder / CONFIDENTIAL / INTENT / INTENT_FILE).exists()

    def check_key(self, key: RegisterKey) -> None:
        """Refuse another key than the register's: under it nobody would be known again.

        Raises:
            InputError: it is another one.
        """
        if key.mark(self.head.number) != self.head.mark:
            raise InputError(self.folder, Said("has another key: under this one nobody would be known again"))

    def list_faults(self) -> Iterator[Fault]:
        """Give what is not as the chain says; a file of people that is not there, as for strangers, is no fault."""
        previous = self.head.digest
        for position, entry in enumerate(self.entries, 1):
            place = f"{ENTRIES}/{position:04}.json"
            if entry.number != position:
                yield _fault(place, Said("it says it is number {number}", number=entry.number))
            if entry.previous != previous:
                yield _fault(place, Said("it does not follow from the entry before: one of the two was changed"))
            previous = entry.digest
            yield from self._list_file_faults(entry)

    def _list_file_faults(self, entry: RegisterEntry) -> Iterator[Fault]:
        own = {f"{PUBLISHED}/{entry.number:04}/{name}": file for name, file in entry.files.items()}
        own |= {
            f"{PUBLISHED}/{entry.number:04}/{TREES}/{number}.csv": entry.trees[name]
            for number, name in enumerate(sorted(entry.trees), 1)
        }
        kept = self.find_kept(entry)
        if kept is not None:
            own[f"{CONFIDENTIAL}/{entry.number:04}.parquet"] = kept
        for name, file in own.items():
            path = self.folder / name
            if path.exists() and digest_bytes(read_bytes(path)) != file.sha256:
                yield _fault(name, Said("it is not what was entered"))
            elif not path.exists() and (self.folder / name.partition("/")[0]).is_dir():
                yield _fault(name, Said("it is missing: what has left can no longer be attacked"))

    def find_published(self, entry: RegisterEntry) -> Path:
        """Return the folder of what left."""
        return self.folder / PUBLISHED / f"{entry.number:04}"

    def find_trees(self, entry: RegisterEntry) -> dict[str, Path]:
        """Return by column the tree in whose labels a release is written."""
        folder = self.find_published(entry) / TREES
        return {name: folder / f"{number}.csv" for number, name in enumerate(sorted(entry.trees), 1)}

    def find_kept(self, entry: RegisterEntry) -> FileEntry | None:
        """Return what must be kept of a release now: as it was entered, or without people who were erased since."""
        own = str(entry.number)
        since = [later.erased[own] for later in self.entries if later.erased is not None and own in later.erased]
        return since[-1] if since else entry.people.file

    def read_kept(self, entry: RegisterEntry) -> bytes:
        """Return what stays of a release: of people who was in it, of a table its cells.

        Raises:
            InputError: it is not there, or not what was entered.
        """
        place = self.folder / CONFIDENTIAL / f"{entry.number:04}.parquet"
        content, kept = read_bytes(place), self.find_kept(entry)
        if kept is None or digest_bytes(content) != kept.sha256:
            raise InputError(place, Said("is not what was entered"))
        return content

    def read_people(self, entry: RegisterEntry) -> pl.DataFrame:
        """Return who was in a release: the digest of each person, the classes that fit him, and which is his own.

        Raises:
            InputError: it is not there, or not what was entered.
        """
        return pl.read_parquet(BytesIO(self.read_kept(entry))).cast(PEOPLE_SCHEMA)

    @contextmanager
    def hold(self) -> Generator[Register]:
        """Give the register as it stands now, and keep others from entering anything meanwhile.

        Raises:
            InputError: somebody else is entering a release.
        """
        place = self.folder / CONFIDENTIAL / ".lock"
        with _say_unwritable(self.folder):
            place.parent.mkdir(mode=OWNER_ONLY, exist_ok=True)
            handle = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(self.folder, Said("somebody else is entering a release")) from error
            self._settle()
            yield Register.open(self.folder)
        finally:
            os.close(handle)

    def prepare(self, proposal: RegisterProposal, intent: Intent) -> None:
        """Complete what is to be entered, before the release takes its place; held.

        Raises:
            InputError: another release was entered since this one was judged, or it cannot be written.
        """
        if proposal.entry.previous != self.last or proposal.entry.number != len(self.entries) + 1:
            raise InputError(
                self.folder, Said("another release was entered since this one was judged: run the gate again")
            )
        folder = self.folder / CONFIDENTIAL / INTENT
        with _say_unwritable(self.folder):
            shutil.rmtree(folder, ignore_errors=True)
            (folder / PUBLISHED / TREES).mkdir(parents=True)
            for name, data in proposal.published.items():
                _write_synced(folder / PUBLISHED / name, data)
            for number, name in enumerate(sorted(proposal.trees), 1):
                _write_synced(folder / PUBLISHED / TREES / f"{number}.csv", proposal.trees[name])
            if proposal.entry.people.file is not None:
                _write_synced(folder / "people.parquet", proposal.people)
            (folder / LEFT).mkdir()
            for number, data in proposal.left.items():
                _write_synced(folder / LEFT / f"{number:04}.parquet", data)
            _write_synced(folder / "entry.json", proposal.entry.write())
            _write_synced(folder / INTENT_FILE, write_readable(list_entries(intent)))
            for each in (folder / PUBLISHED / TREES, folder / PUBLISHED, folder / LEFT, folder, folder.parent):
                sync_folder(each)

    def commit(self) -> None:
        """Enter what was prepared: its release stands in its place; held.

        Raises:
            InputError: it cannot be written.
        """
        folder = self.folder / CONFIDENTIAL / INTENT
        with _say_unwritable(self.folder):
            number = RegisterEntry.read(folder / "entry.json").number
            if (folder / PUBLISHED).exists():
                (folder / PUBLISHED).rename(self.folder / PUBLISHED / f"{number:04}")
            if (folder / "people.parquet").exists():
                (folder / "people.parquet").rename(self.folder / CONFIDENTIAL / f"{number:04}.parquet")
            for path in sorted((folder / LEFT).glob("*.parquet")):
                path.replace(self.folder / CONFIDENTIAL / path.name)
            for name in (PUBLISHED, CONFIDENTIAL):
                sync_folder(self.folder / name)
            shutil.copyfile(folder / "entry.json", folder / "last.json")
            (folder / "last.json").replace(self.folder / ENTRIES / f"{number:04}.json")
            sync_folder(self.folder / ENTRIES)
            (folder / INTENT_FILE).unlink()  # what is left without it is no intent
            shutil.rmtree(folder)

    def drop(self) -> None:
        """Forget what was prepared: its release did not take its place; held."""
        shutil.rmtree(self.folder / CONFIDENTIAL / INTENT, ignore_errors=True)

    def _settle(self) -> None:
        place = self.folder / CONFIDENTIAL / INTENT / INTENT_FILE
        if place.exists() and build_settings(read_json(place), Intent, source=str(place)).happened:
            self.commit()
        else:
            self.drop()


def pack_people(people: pl.DataFrame) -> bytes:
    """Return who is in a release as its file has it: digests in order, which tells nothing of the rows' order."""
    stream = BytesIO()
    listed = people.cast(PEOPLE_SCHEMA).unique().sort("person", "class")
    listed.write_parquet(stream, compression="zstd", statistics=False)
    return stream.getvalue()


def list_file(data: bytes) -> FileEntry:
    """Return a file as an entry has it."""
    return FileEntry(sha256=digest_bytes(data), bytes=len(data))


@contextmanager
def _say_unwritable(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = say_failure(error, Said("unknown reason"))
        raise InputError(error.filename or folder, Said("cannot be written: {strerror}", strerror=reason)) from error


def _write_synced(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if CONFIDENTIAL in path.parts else 0o644)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _fault(place: str, message: Said) -> Fault:
    return Fault(row=0, column=place, rule="register", value="", message=message)
