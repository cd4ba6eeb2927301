"""What is to be run, in which folder, and which process does it: files that a killed program leaves readable.

``runs/DIGEST`` is named by the recipe's folder and the original: the same version is the same run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from sekisho.server.desk.plain_data import Plain, read_plain, write_plain
from sekisho.server.desk.runs.memory import GIGABYTE, SHARE, find_free_memory
from sekisho.words import Language

ORDER, PID, OUTCOME, FAILURE, CANCELLED, NATIVE = (
    "order.json",
    "pid",
    "outcome.json",
    "failure.json",
    "cancelled",
    "native.txt",
)
CANDIDATES = "candidates"
LEAST_MEMORY = 2 * GIGABYTE
"""A process that makes candidates is given so much at least, if there is more than one."""
NO_MEMORY = (b"memory allocation of", b"MemoryError", b"bad_alloc", b"Cannot allocate memory", b"out of memory")
"""What libraries write that end the process because they were refused memory."""


class RunTask(StrEnum):
    """What is done with a recipe: it goes through the gate, or changes of it are tried."""

    RUN = "run"
    ADVISE = "advise"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """What is to be run.

    Attributes:
        case: whose run it is; of one case one run at a time.
        recipe: the file.
        folder: of the run; everything of it is written there.
        steps: the folder of finished steps, of all runs of the case.
        language: in which pages open.
        memory: how many bytes it may take; 0 for no limit.
        jobs: in how many processes candidates are made.
        task: what is done with the recipe.
    """

    case: str
    recipe: Path
    folder: Path
    steps: Path
    language: Language = Language.EN
    memory: int = 0
    jobs: int = 1
    task: RunTask = RunTask.RUN

    @classmethod
    def of(
        cls, *, case: str, recipe: Path, runs: Path, steps: Path, original: str, language: Language = Language.EN
    ) -> RunOrder:
        """Return the order of a version, with as much memory and as many processes as this machine has to spare.

        Args:
            case: whose run it is.
            recipe: of the version; its folder holds the version's other files.
            runs: the folder of the case's runs.
            steps: the folder of the case's finished steps.
            original: tells the data apart, such as their SHA-256.
            language: in which pages open.
        """
        memory = int(find_free_memory() * SHARE)
        spare = max(1, (os.cpu_count() or 1) - 1)
        return cls(
            case=case,
            recipe=recipe,
            folder=runs / name_run(recipe, original=original),
            steps=steps,
            language=language,
            memory=memory,
            jobs=max(1, min(spare, memory // LEAST_MEMORY)),
        )

    def ask_advice(self) -> RunOrder:
        """Return the order to try changes of the same recipe, in a folder of its own inside that of the run."""
        return replace(self, folder=self.folder / RunTask.ADVISE.value, task=RunTask.ADVISE)

    def pack(self) -> Plain:
        """Return it as plain data."""
        return {
            "case": self.case,
            "recipe": str(self.recipe),
            "steps": str(self.steps),
            "language": self.language.value,
            "memory": self.memory,
            "jobs": self.jobs,
            "task": self.task.value,
        }

    @classmethod
    def unpack(cls, folder: Path, plain: Plain) -> RunOrder:
        """Return the order in a folder."""
        return cls(
            case=str(plain["case"]),
            recipe=Path(plain["recipe"]),
            folder=folder,
            steps=Path(plain["steps"]),
            language=Language(plain["language"]),
            memory=int(plain["memory"]),
            jobs=int(plain["jobs"]),
            task=RunTask(plain.get("task", RunTask.RUN)),
        )


def name_run(recipe: Path, *, original: str) -> str:
    """Return the digest of a version's files and of what tells its original apart."""
    digest = sha256(original.encode())
    folder = recipe.parent
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()):
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def note_process(folder: Path, pid: int) -> None:
    """Write down which process runs an order, and when it started: numbers of processes are given again."""
    write_plain({folder / PID: {"pid": pid, "started": find_start(pid)}})


def find_process(folder: Path) -> int | None:
    """Return the process that runs an order; None if there is none any more."""
    noted = read_plain(folder / PID)
    if noted is None or not isinstance(noted.get("pid"), int):
        return None
    started = find_start(noted["pid"])
    return noted["pid"] if started and started == noted.get("started") else None


def find_start(pid: int) -> str:
    """Return when a process started, as the system tells it; empty if it has ended."""
    try:
        # the name in brackets may hold anything; state is the first field after it, the start the twentieth
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return "" if Path("/proc/self/stat").exists() else _ask_whether_alive(pid)
    return "" if fields[0] in {"Z", "X"} else f"{_read_boot()} {fields[19]}"


def _read_boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _ask_whether_alive(pid: int) -> str:
    """Return that a process is alive where the system does not tell since when."""
    try:
        os.kill(pid, 0)
    except OSError:
        return ""
    return "alive"


def lacked_memory(folder: Path) -> bool:
    """Tell whether a library ended the process of an order because it was refused memory."""
    try:
        with (folder / NATIVE).open("rb") as stream:
            text = stream.read(1 << 16)
    except OSError:
        return False
    return any(words in text for words in NO_MEMORY)
