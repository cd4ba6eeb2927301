"""What a register says of one release; nothing in it names anybody, so that a stranger may check the chain.

Who was in it, and where, is a file of its own, which stays; of that an entry has the digest and the length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from sekisho.data.files.settings import build_settings
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.certificate.canonical import digest_bytes, list_entries, read_json, write_canonical, write_readable
from sekisho.gate.certificate.document import FileEntry, check_digest
from sekisho.gate.certificate.recount import check_name
from sekisho.gate.outcome import Verdict
from sekisho.words import Said

ENTRY_FORMAT = "sekisho register entry 1"


class Binding(StrEnum):
    """How people of one release are known again in another.

    Attributes:
        KEYED: by a digest of their lasting identifier under the register's key.
        ASSUMED: they are not: everybody counts as being in every release of the same population.
        DECLARED: of tables: the recipe says how one population is to the other.
    """

    KEYED = "keyed"
    ASSUMED = "assumed"
    DECLARED = "declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedColumns:
    """What the columns of a release are.

    Attributes:
        keys: what others may know.
        stable: columns in which a person has one value for ever.
        sensitive: what must stay hidden.
        household: the column that says who lives together; empty if none does.
    """

    keys: tuple[str, ...] = ()
    stable: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    household: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredPeople:
    """Who is in a release, as far as everybody may know.

    Attributes:
        binding: how they are known again.
        count: how many they are; None where nobody knows.
        file: who they are and where, which stays; None where they are not bound.
    """

    binding: Binding
    count: int | None = None
    file: FileEntry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What a release gives away together with those before it.

    Attributes:
        least_alone: the least number of rows of it alone that can be a person's; None where it was not counted.
        least_joint: the same after linking it with all that left before.
        disclosed_alone: how many people's sensitive value is settled by it alone.
        disclosed_joint: the same together with all that left before.
        against: whom it was counted against: what he knows of the method, and of the people.
        linked: the numbers of the releases that it was attacked with.
    """

    least_alone: int | None = None
    least_joint: int | None = None
    disclosed_alone: int = 0
    disclosed_joint: int = 0
    against: str = ""
    linked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterEntry:
    """One release in a register.

    Attributes:
        format: of the file.
        number: from 1 on, without a gap.
        previous: the digest of the entry before; of the first one that of the register itself.
        made: when it was made, in UTC.
        shape: of the data.
        population: which people it is about, as the recipe calls them.
        method: what made it.
        recipe: the digest of the public settings; empty where it was made elsewhere.
        columns: what its columns are.
        files: what was published, by name.
        trees: by column the tree in whose labels it is written.
        people: who is in it.
        verdict: under which it left; None where it was made elsewhere.
        together: what it gives away with those before it.
        certificate: the digest of the certificate; empty where it was made elsewhere.
        versions: of the program and its libraries.
        note: what else is to be said, such as that it was withdrawn.
        erased: of an entry that erases people instead of entering a release: by the number of each release that they
            were in, what is kept of its people now; None in the entry of a release.
    """

    format: str = ENTRY_FORMAT
    number: int
    previous: str
    made: str
    shape: Shape
    population: str
    method: str = ""
    recipe: str = ""
    columns: ReleasedColumns = field(default_factory=ReleasedColumns)
    files: Mapping[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    trees: Mapping[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    people: RegisteredPeople
    verdict: Verdict | None = None
    together: Together = field(default_factory=Together)
    certificate: str = ""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    note: str = ""
    erased: Mapping[str, FileEntry] | None = None

    def __post_init__(self) -> None:
        if self.format != ENTRY_FORMAT:
            raise ParameterError("format", Said("be {format!r}", format=ENTRY_FORMAT), self.format)
        for name in self.files:
            check_name("files", name)
        if self.number < 1:
            raise ParameterError("number", Said("be at least 1"), self.number)
        check_digest("previous", self.previous)
        strange = [name for name in self.erased or {} if not name.isdecimal() or not 1 <= int(name) < self.number]
        if strange:
            raise ParameterError("erased", Said("name releases that were entered before"), strange)

    @classmethod
    def read(cls, path: Path) -> RegisterEntry:
        """Return the entry in a file.

        Raises:
            InputError: it is no JSON object.
            SettingsError: keys or values are wrong.
        """
        return build_settings(read_json(path), cls, source=str(path))

    def write(self) -> bytes:
        """Return it as its file has it."""
        return write_readable(list_entries(self))

    @property
    def digest(self) -> str:
        """By what the next entry knows it, however its file is laid out."""
        return digest_bytes(write_canonical(list_entries(self)))
