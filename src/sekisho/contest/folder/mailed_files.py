"""A folder of files as they came by e-mail: which team each is of is in its name.

::

    original.csv                        or originals/TEAM.csv where teams have their own
    releases/TEAM.csv                   of records also releases/TEAM-deleted.csv
    guesses/ATTACKER-on-TARGET.csv      of records also answers/ATTACKER-on-TARGET.csv, as the referee drew them
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sekisho.contest.rulings.phases import LONGEST_NAME, TEAM
from sekisho.contest.scoring import DELETED, RELEASED
from sekisho.errors import Fault, FaultsError, InputError, MissingFileError, SekishoError, say_failure
from sekisho.words import Said, quote_words

ENDING = ".csv"
LINKED = Said("is a link or no plain file: it is not followed")
DELETED_ENDING = "-deleted"
ATTACK = re.compile(r"(.+?)-on-(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFault:
    """One thing wrong with one file; the file costs only its own team or attack."""

    file: str
    fault: Fault

    def as_dict(self) -> dict[str, object]:
        """Return the fault as plain data for JSON."""
        return {"file": self.file, **self.fault.as_dict()}

    def __str__(self) -> str:
        return Said("{source}: {reason}", source=self.file, reason=self.fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailedFiles:
    """What lies in the folder, sorted by whose it is.

    Attributes:
        folder: where.
        releases: by team the files of its release, by what they are.
        guesses: by attacker and target.
        faults: files whose names say nothing.
        answers: where the referee's answers lie; in the folder itself if None.
    """

    folder: Path
    releases: Mapping[str, Mapping[str, Path]]
    guesses: Mapping[tuple[str, str], Path]
    faults: tuple[FileFault, ...]
    answers: Path | None = None

    @property
    def teams(self) -> tuple[str, ...]:
        """Everybody who handed something in, sorted."""
        return tuple(sorted({*self.releases, *(attacker for attacker, _ in self.guesses)}))

    def find_original(self, team: str) -> Path:
        """Return the original that a team worked on: its own, where teams have their own."""
        own = self.folder / "originals"
        path = own / f"{team}{ENDING}" if own.is_dir() else self.folder / f"original{ENDING}"
        refuse_link(path)
        return path

    def find_answers(self, attacker: str, target: str) -> Path:
        """Return where the referee's answers for an attack lie."""
        path = (self.answers or self.folder / "answers") / f"{attacker}-on-{target}{ENDING}"
        refuse_link(path)
        return path


def list_mailed_files(folder: Path, kinds: tuple[str, ...]) -> MailedFiles:
    """Sort the files of a folder by team.

    Args:
        folder: of the contest.
        kinds: what the files of a release are.

    Raises:
        InputError: there is no such folder, or it has no releases.
    """
    if not folder.is_dir():
        raise InputError(folder, Said("there is no such folder"))
    if not (folder / "releases").is_dir():
        raise MissingFileError(folder / "releases")
    for name in ("releases", "guesses", "originals", "answers", f"original{ENDING}", "result"):
        refuse_link(folder / name)
    releases: dict[str, dict[str, Path]] = {}
    guesses: dict[tuple[str, str], Path] = {}
    faults: list[FileFault] = []
    for path in _list_folder(folder / "releases"):
        of_deleted = DELETED in kinds and path.stem.endswith(DELETED_ENDING)
        team = path.stem.removesuffix(DELETED_ENDING) if of_deleted else path.stem
        if not _is_plain(path):
            faults.append(_name_fault(folder, path, LINKED, rule="link"))
        elif _is_named(path, team):
            releases.setdefault(team, {})[DELETED if of_deleted else RELEASED] = path
        else:
            faults.append(_name_fault(folder, path, Said("a release must be called TEAM.csv")))
    for path in _list_folder(folder / "guesses"):
        names = ATTACK.fullmatch(path.stem)
        if not _is_plain(path):
            faults.append(_name_fault(folder, path, LINKED, rule="link"))
        elif names is not None and _is_named(path, *names.groups()):
            guesses[names[1], names[2]] = path
        else:
            faults.append(_name_fault(folder, path, Said("an attack must be called ATTACKER-on-TARGET.csv")))
    return MailedFiles(folder=folder, releases=releases, guesses=guesses, faults=tuple(faults))


def note_faults(folder: Path, paths: Iterable[Path], error: SekishoError) -> tuple[tuple[FileFault, ...], int]:
    """Return what is wrong with the files of one release or attack, and how many errors there are in all.

    Of a release of records, errors of the column X are of the list of deleted rows.
    """
    places = list(paths)
    if not isinstance(error, FaultsError):
        wrong = next((path for path in places if str(path) == getattr(error, "source", "")), places[0])
        message = error.reason if isinstance(error, InputError) else quote_words(str(error))
        fault = Fault(row=0, column="", rule="file", value="", message=message)
        return (FileFault(file=name_file(folder, wrong), fault=fault),), 1
    faults = tuple(
        FileFault(file=name_file(folder, places[-1] if fault.column == "X" else places[0]), fault=fault)
        for fault in error.faults
    )
    return faults, error.count


def name_file(folder: Path, path: Path) -> str:
    """Return a file's name as errors show it: its place in the folder."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(folder, say_failure(error, Said("cannot be read"))) from error


def _is_named(path: Path, *teams: str) -> bool:
    return path.suffix == ENDING and all(TEAM.fullmatch(team) and len(team) <= LONGEST_NAME for team in teams)


def refuse_link(path: Path) -> None:
    """Refuse a link: what it leads to is nobody's file of this folder.

    Raises:
        InputError: it is one.
    """
    if path.is_symlink():
        raise InputError(path, LINKED)


def _is_plain(path: Path) -> bool:
    """Tell whether a path is a file or a folder of its own: no link, and nothing that never ends."""
    return not path.is_symlink() and (path.is_file() or path.is_dir())


def _name_fault(folder: Path, path: Path, message: Said, *, rule: str = "name") -> FileFault:
    fault = Fault(row=0, column="", rule=rule, value=path.name, message=message)
    return FileFault(file=name_file(folder, path), fault=fault)
