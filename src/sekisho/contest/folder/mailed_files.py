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

ENDING, ARCHIVE = ".csv", ".zip"
"""Of tables, and of attacks that answer several questions."""
LINKED = Said("is a link or no plain file: it is not followed")
DELETED_ENDING, PART_MARK = "-deleted", "-part-"
ENDINGS = {"seed": ".txt", "choice": ".txt", "model": ".json"}
"""Of the parts of a release that are no tables."""
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

    def find_answers(self, name: str) -> Path:
        """Return where the referee's answers for an attack, or for all attacks on a target, lie."""
        path = (self.answers or self.folder / "answers") / name
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
        team, kind = _split_name(path, kinds)
        if not _is_plain(path):
            faults.append(_name_fault(folder, path, LINKED, rule="link"))
        elif kind and _is_team(team):
            releases.setdefault(team, {})[kind] = path
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

    Of a release of records, errors of the column X are of the list of deleted rows; of one of several parts, the part
    stands before the column.
    """
    places = list(paths)
    if not isinstance(error, FaultsError):
        wrong = next((path for path in places if str(path) == getattr(error, "source", "")), places[0])
        message = error.reason if isinstance(error, InputError) else quote_words(str(error))
        fault = Fault(row=0, column="", rule="file", value="", message=message)
        return (FileFault(file=name_file(folder, wrong), fault=fault),), 1
    faults = tuple(FileFault(file=name_file(folder, _find_place(places, fault)), fault=fault) for fault in error.faults)
    return faults, error.count


def _find_place(places: list[Path], fault: Fault) -> Path:
    if fault.column == "X":
        return places[-1]
    part = fault.column.split("/")[0]
    return next((path for path in places if path.stem.endswith(f"{PART_MARK}{part}")), places[0])


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


def name_release_file(team: str, kind: str) -> str:
    """Return what a file of a release is called in a folder."""
    if kind in (RELEASED, DELETED):
        return f"{team}{ENDING}" if kind == RELEASED else f"{team}{DELETED_ENDING}{ENDING}"
    return f"{team}{PART_MARK}{kind}{ENDINGS.get(kind, ENDING)}"


def _split_name(path: Path, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Return whose file of a release it is by its name, and which; an empty word where the name says nothing."""
    for kind in kinds:
        ending = name_release_file("", kind)
        if kind != RELEASED and path.name.endswith(ending):
            return path.name.removesuffix(ending), kind
    return path.stem, RELEASED if RELEASED in kinds and path.suffix == ENDING else ""


def _is_team(team: str) -> bool:
    return TEAM.fullmatch(team) is not None and len(team) <= LONGEST_NAME


def _is_named(path: Path, *teams: str) -> bool:
    return path.suffix in (ENDING, ARCHIVE) and all(map(_is_team, teams))


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
