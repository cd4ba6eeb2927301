"""On disk: a file that is too large for memory stays with an engine, by one key of the recipe.

Of records and of tables of records; a history passes the gate in memory, and a file of cells is no large one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.engines.engine import LEAST
from sekisho.data.engines.need import BYTES_A_CELL, BYTES_A_TABULATED_CELL, MemoryNeed
from sekisho.data.shape import Shape
from sekisho.gate.names import NAMES
from sekisho.gate.recipe_files.engine_keys import list_engine_methods, list_measured
from sekisho.gate.recipes.keys import ON_ENGINES
from sekisho.gate.tables.recipe import SUPPRESS, list_cell_methods
from sekisho.server.desk.changes import Sent, write_edits
from sekisho.server.desk.edits import DeskEdit, Files, find_shape, read_keys, set_key
from sekisho.server.desk.frame import find_desk
from sekisho.server.desk.pages.aims import Aims
from sekisho.server.desk.runs.memory import SHARE, find_free_memory
from sekisho.server.desk.shown import OpenCase, open_case
from sekisho.words import Said, join_words

router = APIRouter()
UNIT = 100_000_000
GIGABYTE = 1_000_000_000
LEFT_OUT = "leave_out"
DROPPED = (
    *("adversaries", "keep", "coarser", "weights", "controls", "reference", "releases", "release", "register"),
    LEFT_OUT,
)
"""Keys that have no way there; what must hold stays, whatever it is."""
LISTS = ("adversaries", "keep", "releases")
COUNTED = {
    Shape.RECORDS: Said("Nobody attacks; what the keys can give away is counted instead."),
    Shape.HISTORY: Said("Nobody attacks; who publishes the same rows is counted instead."),
}
USUAL_METHODS: Mapping[Shape, Mapping[str, Any]] = {
    Shape.RECORDS: {"name": "partition", "k": 5},
    Shape.HISTORY: {"name": "groups", "k": 7},
}
"""By shape what protects on disk where the recipe names nothing that does; groups of 7 prove the claim of a history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskOffer:
    """Whether a version's rows stay on disk, or may.

    Attributes:
        memory: what the engine may take, as the recipe says it; empty where the rows are in memory.
        need: what the file takes in memory.
        allowed: how many bytes a run may take.
        failed: whether the run of this version lacked memory.
        lost: what the recipe says that has no way there.
        shape: what a row is; of a table the engine tabulates the rows, and nothing else becomes of them.
    """

    memory: str
    need: MemoryNeed
    allowed: int
    failed: bool
    lost: tuple[Said | str, ...]
    shape: Shape

    @property
    def standing(self) -> Said:
        """What is done while the rows stay on disk, in words."""
        if self.shape is Shape.TABLE:
            return Said(
                "The records stay on disk: an engine tabulates them piece by piece, within {memory}. Cells, rules and "
                "attacks are those of memory.",
                memory=self.memory,
            )
        return Said(
            "The rows stay on disk: an engine reads them piece by piece, within {memory}. {counted}",
            memory=self.memory,
            counted=COUNTED[self.shape],
        )

    @property
    def offer(self) -> Said:
        """What would be done if they stayed there, in words."""
        if self.shape is Shape.TABLE:
            return Said(
                "An engine then tabulates the file piece by piece. Cells, rules and attacks are those of memory; it "
                "takes longer."
            )
        return Said("An engine then reads the file piece by piece. {counted}", counted=COUNTED[self.shape])

    @property
    def is_chosen(self) -> bool:
        """Whether the rows stay on disk."""
        return bool(self.memory)

    @property
    def is_needed(self) -> bool:
        """Whether the file would pass the memory, by its rows and columns."""
        return self.need.bytes > self.allowed

    @property
    def shown(self) -> bool:
        """Whether the page speaks of it."""
        return self.is_chosen or self.is_needed or self.failed

    @property
    def need_gigabytes(self) -> float:
        """What the file takes in memory."""
        return self.need.bytes / GIGABYTE

    @property
    def allowed_gigabytes(self) -> float:
        """What a run may take."""
        return self.allowed / GIGABYTE

    @property
    def taken_away(self) -> Said | None:
        """What goes from the recipe, in words; None where nothing does."""
        return join_words(self.lost, ", ", "、") if self.lost else None


def offer_disk(request: Request, case: OpenCase) -> DiskOffer | None:
    """Return whether the rows of a version may stay on disk; None for a file of finished cells."""
    keys = Aims.read(case.files, case.shown.folder).keys
    tabulated = case.shape is Shape.TABLE
    if tabulated and not keys.get("microdata"):
        return None
    failure = None if case.run is None else case.run.failure
    columns = case.case.columns if tabulated else read_keys(case.files, "schema").get("columns", [])
    each = BYTES_A_TABULATED_CELL if tabulated else BYTES_A_CELL
    return DiskOffer(
        memory=str(keys.get("memory") or keys.get("engine") or ""),
        need=MemoryNeed.estimate(Path(case.case.original.path), len(columns), each=each),
        allowed=_find_allowed(request),
        failed=failure is not None and failure["key"] == "memory",
        lost=tuple(_tell_lost_tables(keys) if tabulated else _tell_lost(keys, case.shape)),
        shape=case.shape,
    )


def _find_allowed(request: Request) -> int:
    return find_desk(request).settings.memory or int(find_free_memory() * SHARE)


def _tell_lost_tables(keys: Mapping[str, Any]) -> Iterator[Said | str]:
    """Give the ways to publish a table that need every record, in words."""
    for method in _list_methods(keys):
        if method.get("name") not in list_cell_methods():
            yield NAMES.get(str(method.get("name")), str(method.get("name")))


def _tell_lost(keys: Mapping[str, Any], shape: Shape) -> Iterator[Said | str]:
    """Give what a recipe of people says that has no way on disk, in words."""
    if keys.get("adversaries"):
        yield Said("who attacks")
    if keys.get("keep"):
        yield Said("what is kept if possible")
    able = list_engine_methods(shape)
    for method in _list_methods(keys):
        if method.get("name") not in able:
            yield NAMES.get(str(method.get("name")), str(method.get("name")))
    if keys.get("coarser"):
        yield Said("columns that are told more coarsely")
    if _list_guarantees(keys).get(LEFT_OUT) or keys.get(LEFT_OUT):
        yield Said("that rows may be left out")
    if [name for name in keys.get("limits", {}) if name not in list_measured(shape)]:
        yield Said("limits of measures that need both files side by side")


def _list_guarantees(keys: Mapping[str, Any]) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", keys.get("guarantees", {}))


def _list_methods(keys: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(cast("Sequence[Mapping[str, Any]]", keys.get("methods", [])))


def list_disk_edits(files: Files, folder: Path, memory: str) -> tuple[DeskEdit, ...]:
    """Return the edits that leave the rows on disk: one key, and without what has no way there.

    Args:
        files: of the version.
        folder: of the version, for its preset.
        memory: what the engine may take, such as ``2GB``.
    """
    aims = Aims.read(files, folder)
    own, keys, shape = aims.own, aims.keys, aims.shape
    measured, able = list_measured(shape), list_engine_methods(shape)
    edits = [*set_key("memory", memory)]
    for name in (*DROPPED, "utility", "find"):
        given = keys.get(name)
        stays = (name == "utility" and given in measured) or (name == "find" and _finds_there(given, shape))
        if given and not stays:
            edits += set_key(name, [] if "preset" in own and name in LISTS else None)  # a preset may say it as well
    methods = _list_methods(keys)
    kept = [method for method in methods if method.get("name") in able]
    if kept != methods or (not kept and not _finds_there(keys.get("find"), shape)):
        usual = USUAL_METHODS[shape]
        k = _list_guarantees(keys).get("k", usual["k"])
        edits += set_key("methods", kept or [{**usual, "k": k}])
    if _list_guarantees(keys).get(LEFT_OUT):
        edits.append(DeskEdit(file="recipe", place=("guarantees", LEFT_OUT), value=0 if "preset" in own else None))
    gone = [name for name in keys.get("limits", {}) if name not in measured]
    return (*edits, *(DeskEdit(file="recipe", place=("limits", name)) for name in gone))


def list_table_edits(files: Files, folder: Path, memory: str) -> tuple[DeskEdit, ...]:
    """Return the edits that leave the records of a table on disk: one key, and without ways that need every record.

    Args:
        files: of the version.
        folder: of the version, for its preset.
        memory: what the engine may take, such as ``2GB``.
    """
    methods = _list_methods(Aims.read(files, folder).keys)
    kept = [method for method in methods if method.get("name") in list_cell_methods()]
    edits = set_key("memory", memory)
    return edits if kept == methods else (*edits, *set_key("methods", kept or [{"name": SUPPRESS}]))


def _finds_there(find: object, shape: Shape) -> bool:
    if not isinstance(find, Mapping):
        return False
    usual = USUAL_METHODS[shape]["name"]
    return cast("Mapping[str, object]", find).get("method", usual) in list_engine_methods(shape)


def choose_memory(allowed: int) -> str:
    """Return what the engine may take of what a run may: half of it, in whole steps."""
    amount = max(LEAST, allowed // 2) // UNIT * UNIT
    return f"{amount // GIGABYTE}GB" if amount % GIGABYTE == 0 else f"{max(amount, 600_000_000) // 1_000_000}MB"


@router.post("/cases/{name}/run/disk", response_class=HTMLResponse)
def change_place(request: Request, name: str, form: Sent) -> Response:
    """Leave the rows on disk, or take them back into memory; one version, which Undo takes back."""
    case = open_case(request, name, form.seen)
    shape = find_shape(case.files)
    if form.get("to") == "memory":
        edits = tuple(edit for key in ON_ENGINES for edit in set_key(key, None))
    else:
        list_edits = list_table_edits if shape is Shape.TABLE else list_disk_edits
        edits = list_edits(case.files, case.shown.folder, choose_memory(_find_allowed(request)))
    return write_edits(request, name, edits, form, back=f"/cases/{name}/{'table' if shape is Shape.TABLE else 'run'}")
