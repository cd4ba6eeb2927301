"""Files of a run by name: those that may leave, those that await a person's look, and those that stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from sekisho.data.files.plain_files.form import OrdinaryForm
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.files.sheet import FileForm, SheetRules
from sekisho.errors import BugError
from sekisho.gate.certificate.claims import Claims
from sekisho.gate.certificate.document import FileEntry
from sekisho.gate.certificate.recount import PublishedForm
from sekisho.gate.outcome import Verdict
from sekisho.gate.recipes.keys import FileKind
from sekisho.provenance import digest_file

PUBLIC, CONFIDENTIAL = "public", "confidential"
PROPOSED = f"{CONFIDENTIAL}/proposed"
"""The folders of a run."""
RELEASES = {FileKind.CSV: "release.csv", FileKind.PARQUET: "release.parquet"}
RELEASE = RELEASES[FileKind.CSV]
REPORT, TEXT_REPORT, ADVICE, SHEET = "report.html", "report.txt", "advice.html", "to-sign.html"
CERTIFICATE, OPENING = "certificate.json", "opening.json"
REVIEWS = "reviews.json"
"""What persons asked and decided about all runs at a place; no run removes it."""
TO_REGISTER, TO_REGISTER_PEOPLE = "to-register.json", "to-register.parquet"
"""What is entered in the register once the release becomes public."""
TRUTH, DELETED, BY_ROW = "truth.csv", "deleted.csv", "release-by-row.csv"
PATTERN, TABLE_PROOF = "pattern.csv", "table-certificate.json"
UNSAFE_IN_NAMES = re.compile(r"[^\w.=+-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOnDisk:
    """A file that is too large to be held in memory, complete and waiting for its place.

    Attributes:
        path: where it waits.
        sha256: its digest.
        bytes: how many it has.
    """

    path: Path
    sha256: str
    bytes: int

    @classmethod
    def of(cls, path: Path) -> FileOnDisk:
        """Return a file as it stands."""
        return cls(path=path, sha256=digest_file(path), bytes=path.stat().st_size)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFiles:
    """What is written of the chosen candidate.

    Attributes:
        offered: what leaves if the verdict, or later a person, lets it, by name; nothing where it is refused.
        confidential: what stays.
        claims: what the certificate says of the offered files, to be counted again by anybody.
        release: the name of the release among the offered files, of several the first; None where nothing may leave.
        on_disk: offered files that wait on disk, by name.
    """

    offered: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    confidential: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    claims: Claims = field(default_factory=Claims)
    release: str | None = None
    on_disk: Mapping[str, FileOnDisk] = field(default_factory=dict[str, FileOnDisk])

    @property
    def offered_entries(self) -> dict[str, FileEntry]:
        """Digest and size of everything that is offered, by name, in the order in which it was offered."""
        waiting = {name: FileEntry(sha256=one.sha256, bytes=one.bytes) for name, one in self.on_disk.items()}
        return {**waiting, **list_digests(self.offered)}

    @property
    def releases(self) -> dict[str, str]:
        """The digest of the release, or of those of several tables that leave together, by name."""
        tables = [claim.published.file for claim in self.claims.patterns]
        names = dict.fromkeys(tables or ([] if self.release is None else [self.release]))
        entries = self.offered_entries
        return {name: entries[name].sha256 for name in names if name in entries}

    def read_in(self) -> OutputFiles:
        """Return the same with every offered file in memory."""
        content = {name: one.path.read_bytes() for name, one in self.on_disk.items()}
        return replace(self, offered={**content, **self.offered}, on_disk={})


def list_digests(files: Mapping[str, bytes]) -> dict[str, FileEntry]:
    """Return the digests of files by name."""
    return {name: FileEntry(sha256=sha256(data).hexdigest(), bytes=len(data)) for name, data in files.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFiles:
    """Every file of a run where it belongs, by name.

    Attributes:
        public: what may leave; nothing unless the verdict is *release*.
        proposed: what would leave if the person who reviews it says so; it stays until then.
        confidential: what stays in any case.
        moved: by place below the run's folder what waits on disk and is moved there, such as ``public/release.csv``.
    """

    public: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    proposed: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    confidential: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    moved: Mapping[str, FileOnDisk] = field(default_factory=dict[str, FileOnDisk])

    def _choose(self, folder: str) -> tuple[Mapping[str, bytes], dict[str, FileOnDisk]]:
        """Return the files of a folder by name: those in memory, and those that wait on disk."""
        held = {PUBLIC: self.public, PROPOSED: self.proposed, CONFIDENTIAL: self.confidential}[folder]
        waiting = {Path(place).name: one for place, one in self.moved.items() if Path(place).parent == Path(folder)}
        return held, waiting

    def list_names(self, folder: str) -> list[str]:
        """Return what the files of a folder are called."""
        held, waiting = self._choose(folder)
        return [*waiting, *held]

    def list_entries(self, folder: str) -> dict[str, FileEntry]:
        """Return digest and size of the files of a folder, by name."""
        held, waiting = self._choose(folder)
        return {name: FileEntry(sha256=one.sha256, bytes=one.bytes) for name, one in waiting.items()} | list_digests(
            held
        )

    @property
    def certificate(self) -> str:
        """Where the certificate stands, below the run's folder."""
        folders = {PUBLIC: self.public, PROPOSED: self.proposed, CONFIDENTIAL: self.confidential}
        return next(f"{folder}/{CERTIFICATE}" for folder, files in folders.items() if CERTIFICATE in files)


def place_files(
    verdict: Verdict,
    *,
    offered: Mapping[str, bytes],
    confidential: Mapping[str, bytes],
    certificate: bytes,
    on_disk: Mapping[str, FileOnDisk] | None = None,
) -> PlacedFiles:
    """Return where the files of a run belong: among the public ones only under the verdict *release*.

    The certificate stands beside the files that it speaks of; of a refused run it speaks of none and stays.
    """
    sealed, waiting = {CERTIFICATE: certificate}, on_disk or {}
    if verdict is Verdict.RELEASE:
        moved = {f"{PUBLIC}/{name}": one for name, one in waiting.items()}
        return PlacedFiles(public={**offered, **sealed}, confidential=confidential, moved=moved)
    if verdict is Verdict.REVIEW:
        moved = {f"{PROPOSED}/{name}": one for name, one in waiting.items()}
        return PlacedFiles(proposed={**offered, **sealed}, confidential=confidential, moved=moved)
    return PlacedFiles(confidential={**confidential, **sealed})


def name_table_file(file: str, table: str) -> str:
    """Return what a file of one of several tables is called, such as ``release-jobs.csv``; of the only one as it is."""
    stem, dot, ending = file.rpartition(".")
    return f"{stem}-{table}{dot}{ending}" if table else file


def name_guess_file(adversary: str) -> str:
    """Return the file of an adversary's guess; what no file can be called is a dash."""
    return f"guess-{UNSAFE_IN_NAMES.sub('-', adversary).strip('-')}.csv"


def name_guess_files(adversaries: Mapping[str, object]) -> dict[str, str]:
    """Return the files of all adversaries' guesses by label, no two the same."""
    names: dict[str, str] = {}
    for number, label in enumerate(adversaries, 1):
        plain = name_guess_file(label)
        names[label] = plain if plain not in names.values() else plain.replace(".csv", f"-{number}.csv")
    return names


def describe_form(form: FileForm, file: str = RELEASE) -> PublishedForm:
    """Return how a published file is written, for those who read it again."""
    if is_parquet(Path(file)):
        return PublishedForm(file=file)
    if isinstance(form, SheetRules):
        return PublishedForm(file=file, separator=form.separator, header=False, encoding="ascii")
    if isinstance(form, OrdinaryForm):
        return PublishedForm(file=file, separator=form.separator or ",", encoding=form.encoding or "utf-8")
    raise BugError(f"a form of files that no certificate describes: {form!r}")
