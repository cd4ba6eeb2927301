"""The counting process of a case: reads questions as lines of JSON, and writes an answer to each as a line of JSON.

It ends when nobody asks any more, or when whoever started it is gone. First rows are read beside everything else: they
show while the file is still being counted. A question that waits is dropped once one of a newer version comes.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Condition, Lock, Thread
from typing import Any, TextIO

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.settings import read_toml
from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, SekishoError
from sekisho.gate.profiling.look import look_at_file
from sekisho.seeds import Seed
from sekisho.server.desk.cases import Case
from sekisho.server.desk.counting.alone_counts import AloneCount
from sekisho.server.desk.counting.arriving import ARRIVE, UNSEAL, find_form, name_look, tell_arrival, unseal_arrival
from sekisho.server.desk.counting.columns import ColumnStore, StoredColumns, read_schema
from sekisho.server.desk.counting.key_steps import answer_steps
from sekisho.server.desk.counting.looked_part import LookedPart
from sekisho.server.desk.counting.looking import FirstRows, describe_columns, describe_look
from sekisho.server.desk.edits import SCHEMA
from sekisho.server.desk.originals import propose_files
from sekisho.server.desk.plain_data import Plain, describe_error, describe_fault, read_plain, write_plain
from sekisho.server.desk.questions import count_alone, count_found_by_rows, find_stand_outs, list_worst_classes
from sekisho.server.desk.runs.memory import SHARE, find_free_memory, lift_limit, limit_memory
from sekisho.words import Language, Said

IDLE_SECONDS = 600.0
QUICK, SLOW = frozenset({"rows"}), frozenset({"whole"})
"""Questions that are answered beside all others: those soon answered, and those that take long."""
ARRIVALS = {ARRIVE: tell_arrival, UNSEAL: unseal_arrival}
"""What can be asked about a file that comes and is no case yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what it is asked about.

    Attributes:
        case: whose data.
        folder: of the version.
        arguments: as they were sent.
        store: of coded columns.
        allowed: bytes that may be taken; 0: as many as there are.
    """

    case: Case
    folder: Path
    arguments: Mapping[str, Any]
    store: ColumnStore
    allowed: int = 0

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The keys of the version's recipe."""
        return read_toml(self.folder / "recipe.toml")

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape(str(self.recipe.get("shape", Shape.RECORDS)))

    @property
    def columns(self) -> StoredColumns:
        """The columns that the version reads."""
        return self.store.open(read_schema(self.folder))

    @property
    def keys(self) -> tuple[str, ...]:
        """What somebody may know: as is asked, else as the recipe says, else as the schema does."""
        said = self.arguments.get("keys")
        chosen = self.recipe.get("keys", ()) if said is None else said
        return tuple(map(str, chosen)) or (self.columns.list_role(Role.QUASI) if said is None else ())

    @property
    def form(self) -> CsvForm:
        """How the file is written, as far as the version says."""
        shape = self.shape
        return find_form(shape, self.recipe, None if shape is Shape.TABLE else read_schema(self.folder))


def tell_look(asked: Asked) -> Plain:
    """Return what was understood of the file; kept, since roles do not change it."""
    place = asked.store.folder / name_look(asked.store.digest, asked.shape, asked.form)
    kept = read_plain(place)
    if kept is None:
        kept = describe_look(look_at_file(asked.store.path, shape=asked.shape, form=asked.form))
        write_plain({place: kept})
    return kept


def tell_rows(asked: Asked) -> Plain:
    """Return the first rows as the version reads them."""
    is_table = asked.shape is Shape.TABLE
    rows = FirstRows(
        path=asked.case.file,
        folder=asked.store.folder,
        schema=None if is_table else read_schema(asked.folder),
        form=asked.form if is_table else None,
        shown=bool(asked.arguments.get("shown")),
    )
    return rows.read()


def tell_columns(asked: Asked) -> Plain:
    """Return what the version reads of some columns."""
    return describe_columns(asked.columns, [str(name) for name in asked.arguments.get("names", ())])


def tell_proposal(asked: Asked) -> Plain:
    """Return the recipe, schema and trees that are proposed for the file in a shape, written in a form."""
    shape, form = asked.arguments.get("shape"), asked.arguments.get("form")
    proposal = propose_files(
        asked.case.file,
        looked=asked.store.path,
        name=asked.case.title,
        shape=None if shape is None else Shape(shape),
        form=asked.form if form is None else CsvForm(**form),
        language=Language(asked.arguments.get("language", Language.EN)),
    )
    files = {name: data.decode() for name, data in proposal.files.items()}
    return {"shape": proposal.shape.value, "files": files, "columns": [dict(one) for one in proposal.columns]}


def tell_alone(asked: Asked) -> Plain:
    """Return who is alone on the keys, and without each."""
    return count_alone(asked.columns.select_codes(asked.keys))


def tell_worst(asked: Asked) -> Plain:
    """Return the smallest classes of the keys."""
    return {"worst": list_worst_classes(asked.columns.select_codes(asked.keys))}


def tell_stand_outs(asked: Asked) -> Plain:
    """Return who stands out, and who is found by at most three things."""
    columns, keys = asked.columns, asked.keys
    if not keys:
        return {"records": len(columns.rows), "known": [], "shares": {}, "stand_outs": []}
    return find_stand_outs(columns.select_codes(keys), rows=columns.rows)


def tell_found_by_rows(asked: Asked) -> Plain:
    """Return how many people of a history are found by one, two, three rows of theirs."""
    columns = asked.columns
    people = columns.list_role(Role.IDENTIFIER)
    if not people:
        raise ParameterError("columns", Said("hold exactly one identifier"), ())
    codes = columns.select_codes((*people, *asked.keys))
    owner = codes.pop(people[0])
    return count_found_by_rows(owner, codes, seed=Seed(asked.case.seed))


def tell_whole(asked: Asked) -> Plain:
    """Return who is alone on the keys in the whole file, of which the store holds the first rows only; kept."""
    keys: list[Plain] = list(asked.arguments["keys"])
    about = (asked.store.folder, asked.case.original.sha256, (asked.folder / SCHEMA).read_bytes(), keys)
    counted = AloneCount.read(*about)
    if counted is None:
        names = tuple(str(key["name"]) for key in keys)
        with lift_limit(asked.allowed):
            from sekisho.server.desk.counting.whole_counts import count_whole  # an engine, which few files need

            counted = count_whole(asked.case.file, read_schema(asked.folder), names, asked.allowed)
        counted.keep(*about)
    return asdict(counted)


def tell_steps(asked: Asked) -> Plain:
    """Return what keys come to that are written more coarsely, and what trees do."""
    answer = answer_steps(asked.columns, asked.arguments)
    counted = AloneCount.of(asked.arguments, answer)
    if counted is not None:
        keys, alone = counted
        alone.keep(asked.store.folder, asked.store.digest, (asked.folder / SCHEMA).read_bytes(), keys)
    return answer


QUESTIONS: Mapping[str, Callable[[Asked], Plain]] = {
    "look": tell_look,
    "rows": tell_rows,
    "columns": tell_columns,
    "propose": tell_proposal,
    "alone": tell_alone,
    "worst": tell_worst,
    "stand_outs": tell_stand_outs,
    "found_by_rows": tell_found_by_rows,
    "steps": tell_steps,
    "whole": tell_whole,
}
"""What can be asked."""


@dataclass(slots=True, kw_only=True)
class CountingDesk:
    """Answers the questions about one case.

    Attributes:
        folder: of the case, or of a file that comes; a question may name another, where that has become a case.
        allowed: bytes that may be taken; 0: as many as there are.
    """

    folder: Path
    allowed: int = 0
    _store: ColumnStore | None = None
    _known: tuple[str, Path] | None = None

    def answer(self, question: Mapping[str, Any]) -> Plain:
        """Return the answer to a question: what it came to, or what was wrong, with every fault."""
        folder = Path(question.get("folder", self.folder))
        try:
            if question["name"] in ARRIVALS:
                return {
                    "result": ARRIVALS[question["name"]](folder, question.get("arguments", {}), allowed=self.allowed)
                }
            asked = self._understand(question, folder)
            return {"result": QUESTIONS[question["name"]](asked)}
        except MemoryError:
            return {"failure": {"key": "memory"}}
        except SekishoError as error:
            return {"failure": {"key": "input", **describe_error(error)}}
        except Exception as error:
            return {"failure": {"key": "fault", "places": describe_fault(error)}}

    def _understand(self, question: Mapping[str, Any], folder: Path) -> Asked:
        case = Case.read(folder)
        store, known = self._store, (case.original.sha256, case.counts)
        if store is None or self._known != known:
            part = LookedPart.find(case.file, case.original.sha256, case.counts, self.allowed)
            part.tell(case.counts)
            store = ColumnStore(folder=case.counts, path=part.path, digest=part.digest)
            self._store, self._known = store, known
        version = folder / "versions" / f"{int(question['version']):04}"
        return Asked(
            case=case,
            folder=version,
            arguments=question.get("arguments", {}),
            store=store,
            allowed=self.allowed,
        )


@dataclass(slots=True, kw_only=True)
class Lane:
    """Questions that are answered one after the other.

    Attributes:
        answer: gives an answer.
        tell: sends it.
    """

    answer: Callable[[Mapping[str, Any]], Plain]
    tell: Callable[[Plain], None]
    _waiting: deque[Mapping[str, Any]] = field(default_factory=deque[Mapping[str, Any]])
    _change: Condition = field(default_factory=Condition)
    _busy: bool = False

    @property
    def busy(self) -> bool:
        """Whether a question is being answered or waits."""
        return self._busy or bool(self._waiting)

    def put(self, question: Mapping[str, Any]) -> None:
        """Have a question answered; those of older versions that wait are dropped."""
        with self._change:
            old = [one for one in self._waiting if one["version"] < question["version"]]
            self._waiting = deque(one for one in self._waiting if one["version"] >= question["version"])
            self._waiting.append(question)
            self._change.notify()
        for one in old:
            self.tell({"id": one["id"], "dropped": True})

    def work(self) -> None:
        """Answer questions for ever."""
        while True:
            with self._change:
                self._busy = False
                while not self._waiting:
                    self._change.wait()
                question, self._busy = self._waiting.popleft(), True
            self.tell({"id": question["id"], **self.answer(question)})


def serve(folder: Path, questions: TextIO, answers: TextIO, *, idle: float = IDLE_SECONDS, allowed: int = 0) -> None:
    """Answer questions until there are no more, or none comes for a while, within so many bytes if any are said."""
    desk, sending, lines = CountingDesk(folder=folder, allowed=allowed), Lock(), SimpleQueue[str]()

    def tell(answer: Plain) -> None:
        with sending, suppress(BrokenPipeError):
            answers.write(json.dumps(answer, ensure_ascii=True, allow_nan=False) + "\n")
            answers.flush()

    def listen() -> None:
        for line in questions:
            lines.put(line)
        lines.put("")

    usual, quick, slow = (Lane(answer=desk.answer, tell=tell) for _ in range(3))
    lanes = dict.fromkeys(QUICK, quick) | dict.fromkeys(SLOW, slow)
    for work in (listen, usual.work, quick.work, slow.work):
        Thread(target=work, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=idle)
        except Empty:
            if any(lane.busy for lane in (usual, quick, slow)):
                continue
            return
        if not line:
            return
        question = json.loads(line)
        lanes.get(question["name"], usual).put(question)


def main() -> None:
    """Answer questions about the case whose folder the command names, within so many bytes, if it says how many."""
    os.umask(0o077)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    allowed = int(sys.argv[3]) or int(find_free_memory() * SHARE)
    with limit_memory(allowed):
        serve(Path(sys.argv[1]), sys.stdin, answers, idle=float(sys.argv[2]), allowed=allowed)
    os._exit(0)  # a question that is being answered has nobody left who asked it


if __name__ == "__main__":
    main()
