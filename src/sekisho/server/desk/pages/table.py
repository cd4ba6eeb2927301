"""The table: what it may show, why a cell is hidden, and what a person wishes of a cell.

Controls write keys of the recipe, wishes lines of its a-priori file; what is hidden comes from the run alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request, UploadFile
from starlette.responses import HTMLResponse, Response

from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import parse_edges, write_tree
from sekisho.errors import SekishoError
from sekisho.gate.recipes.keys import ON_ENGINES
from sekisho.server.desk.changes import Sent, SentForm, write_edits
from sekisho.server.desk.edits import COST, RECIPE, STATUS, DeskEdit, Files, apply_edits, read_keys, set_tree
from sekisho.server.desk.frame import RecipeLine, find_desk, go_on, write_desk_page
from sekisho.server.desk.originals import OriginalState
from sekisho.server.desk.pages.disk import offer_disk
from sekisho.server.desk.pages.run import make_order
from sekisho.server.desk.pages.table_controls import (
    TABLE_KEYS,
    TableControls,
    TableTab,
    Wish,
    find_wishes,
    list_wishes,
    read_choices,
    read_further,
)
from sekisho.server.desk.pages.table_edits import (
    ENDING,
    TABLES,
    add_table,
    list_tables,
    remove_table,
    set_cell,
    take_back,
)
from sekisho.server.desk.pages.table_view import ShownCell, TableCells, list_chains
from sekisho.server.desk.places import HiddenNames
from sekisho.server.desk.plain_data import Plain, describe_error
from sekisho.server.desk.runs.details import read_cells
from sekisho.server.desk.runs.jobs import Run, RunState
from sekisho.server.desk.shown import OpenCase, find_run_folder, open_case
from sekisho.server.web.forms import take_file
from sekisho.server.web.language import choose_language

router = APIRouter()
TEMPLATE = "desk/table.html"
STEP = "table"
BLOCKS, NOT_COMPARED = (f"[[{TABLES}]]", "[[methods]]"), ("apriori", "seed", *ON_ENGINES)
"""Lines of a recipe that begin what the page shows; keys that may differ between two recipes of one table."""
MOST_BACK = 50
"""So many versions back an earlier run of the same table is looked for."""
MOST_COST = 1e9
MOST_TABLES = 20
LARGEST_TREE = 8 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRun:
    """A finished run, and the version that it is of."""

    version: int
    run: Run
    cells: Plain | None


def find_table_runs(request: Request, case: OpenCase) -> list[TableRun]:
    """Return the finished runs of this table, of this version first, then of those that it was made from: two at most.

    What was run with other columns or rules is another table's.
    """
    found: list[TableRun] = []
    asked, version = _find_question(case.files), case.shown
    for _ in range(MOST_BACK):
        if _find_question(version.files) == asked:
            run = find_desk(request).runs.find(find_run_folder(case.case, version))
            if run is not None and run.state is RunState.FINISHED and run.outcome is not None:
                best = run.outcome["best"]
                cells = None if best is None else _read_tables(run.folder, best)
                if version.number == case.version or cells is not None:
                    found.append(TableRun(version=version.number, run=run, cells=cells))
        if version.parent is None or len([one for one in found if one.cells is not None]) == 2:
            break
        version = case.case.versions.read(version.parent)
    return found


def _read_tables(folder: Path, number: int) -> Plain | None:
    """Return the cells that a run wrote; None where it wrote none, or did so before there were several tables."""
    cells = read_cells(folder, number)
    return cells if cells is not None and "tables" in cells else None


def _find_question(files: Files) -> tuple[object, object]:
    keys = read_keys(files, "recipe")
    tables = [_drop_uncompared(one) for one in keys.pop(TABLES, [])]
    return (_drop_uncompared(keys), tables), {
        name: data for name, data in files.items() if name != RECIPE and not name.endswith(ENDING)
    }


def _drop_uncompared(keys: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in keys.items() if key not in NOT_COMPARED and value != {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePage:
    """What the page shows of the runs.

    Attributes:
        outcome: of the run of this version.
        cells: of the table that is shown.
        tables: the cells of all tables, by name.
        of_version: whose cells they are.
        compared: with which version they are.
    """

    outcome: Plain | None
    cells: TableCells | None
    tables: Mapping[str, TableCells]
    of_version: int
    compared: int | None

    @classmethod
    def of(cls, runs: Sequence[TableRun], version: int, table: str) -> TablePage:
        """Arrange the runs of one table, or of several, for one version."""
        own = runs[0] if runs and runs[0].version == version else None
        with_cells = [one for one in runs if one.cells is not None]
        shown, before = [*with_cells, None, None][:2]
        earlier = None if before is None or own is not shown else before
        former = _list_plain(earlier)
        tables = {name: TableCells(plain, former.get(name)) for name, plain in _list_plain(shown).items()}
        return cls(
            outcome=None if own is None else own.run.outcome,
            cells=tables.get(table),
            tables=tables,
            of_version=version if shown is None else shown.version,
            compared=None if earlier is None else earlier.version,
        )


def _list_plain(run: TableRun | None) -> dict[str, Plain]:
    """Return what a run wrote of its tables, by name."""
    return {} if run is None or run.cells is None else {one["name"]: one for one in run.cells["tables"]}


@router.get("/cases/{name}/table", response_class=HTMLResponse)
def show_table(request: Request, name: str) -> HTMLResponse:
    """Show the table of a version, and how its run stands."""
    return write_table_page(request, open_case(request, name))


def write_table_page(
    request: Request, case: OpenCase, *, status: int = 200, wrong: Plain | None = None
) -> HTMLResponse:
    """Return the page; ``wrong`` is what is wrong with a tree that was sent."""
    if case.shape is not Shape.TABLE:
        return write_desk_page(request, TEMPLATE, case, step=STEP, status=status, controls=None)
    find_desk(request).runs.adopt(case.case.runs)
    layers = request.query_params.getlist("layer")[:20]
    places = find_desk(request).places
    table = _choose_table(case, places.read_last(request, "table"))
    page = TablePage.of(find_table_runs(request, case), case.version, table)
    wishes = find_wishes(case.files, table)
    cell = None if page.cells is None else page.cells.find(places.read_last(request, "cell"))
    return write_desk_page(
        request,
        TEMPLATE,
        case,
        step=STEP,
        status=status,
        lines=list_lines(case.files),
        command=case.command,
        controls=_read_controls(case, table),
        tabs=_list_tabs(case, places),
        run=case.run,
        failure=_tell_failure(case, wishes),
        wrong=wrong,
        page=page,
        grid=None if page.cells is None else page.cells.lay_out(layers),
        cell=cell,
        chains=[] if cell is None or page.cells is None else list_chains(page.cells, page.tables, cell),
        wish=None if cell is None else wishes.get(cell.codes),
        wishes=list_wishes(case.files),
        changed_file=case.original is not OriginalState.SAME,
        told=choose_language(request).value,
        disk=offer_disk(request, case),
        link=partial(_link_cell, places, case, layers, table),
    )


def _choose_table(case: OpenCase, asked: str) -> str:
    """Return which of several tables is meant: the one that is asked for, else the first."""
    names = list_tables(case.files)
    return asked if asked in names else next(iter(names), "")


def _read_controls(case: OpenCase, table: str) -> TableControls:
    return TableControls.read(case.files, [str(one["name"]) for one in case.case.columns], table)


def _list_tabs(case: OpenCase, places: HiddenNames) -> list[TableTab]:
    """Return the tabs of several tables; none where there is one."""
    shown = [] if case.version == case.newest else [("v", str(case.version))]
    return [
        TableTab(controls=_read_controls(case, name), address=f"?{places.write_query([*shown, ('table', name)])}")
        for name in list_tables(case.files)
    ]


def _link_cell(places: HiddenNames, case: OpenCase, layers: Sequence[str], table: str, cell: ShownCell) -> str:
    """Return the address that asks about a cell, on this page."""
    asked = [*([("table", table)] if table else []), *(("layer", one) for one in layers)]
    shown = [] if case.version == case.newest else [("v", str(case.version))]
    return f"?{places.write_query([*shown, *asked, ('cell', cell.key)])}#why"


def _link_table(request: Request, name: str, table: str, cell: str = "") -> str:
    """Return the page of a table, of several that of the named one, without the prefix."""
    pairs = [(key, value) for key, value in (("table", table), ("cell", cell)) if value]
    asked = find_desk(request).places.write_query(pairs)
    return f"/cases/{name}/table" + (f"?{asked}" if asked else "")


def list_lines(files: Files) -> list[RecipeLine]:
    """Return the lines that the page writes: keys of the recipe, then what is said of single cells."""
    text = files[RECIPE].decode().splitlines()
    lines = [
        RecipeLine(text=line, kind="table")
        if line in BLOCKS
        else RecipeLine(text=line.partition("  #")[0], key=line.partition("=")[0].strip())
        for line in text
        if line in BLOCKS or line.partition("=")[0].strip() in TABLE_KEYS
    ]
    for name in sorted(one for one in files if one.endswith(ENDING)):
        lines += [
            RecipeLine(text=name, kind="table"),
            *(RecipeLine(text=one) for one in files[name].decode().splitlines()),
        ]
    return lines


def _tell_failure(case: OpenCase, wishes: Mapping[tuple[str, ...], Wish]) -> Plain | None:
    """Return what went wrong with the run of this version, each fault of a wish with its cell."""
    failure = None if case.run is None else case.run.failure
    if failure is None:
        return None
    alone = not list_tables(case.files)  # of several files it is not known which one a row is of
    rows = [codes for wish in wishes.values() if alone for codes in [wish.codes] * len(wish.lines)]
    faults = [
        {**fault, "wish": wishes[rows[fault["row"] - 1]] if 0 < fault["row"] <= len(rows) else None}
        for fault in failure.get("faults", ())
    ]
    return {**failure, "faults": faults}


@router.post("/cases/{name}/table/choose", response_class=HTMLResponse)
def choose_table(request: Request, name: str, form: Sent) -> Response:
    """Write what rows, columns, measure and rules are to be."""
    case = open_case(request, name, form.seen)
    table = _read_table(case, form)
    _refuse_strange(_read_controls(case, table), form)
    called, edits = read_choices(case.files, form, table)
    return write_edits(request, name, edits, form, back=_link_table(request, name, called))


def _refuse_strange(controls: TableControls, form: SentForm) -> None:
    """Refuse columns that the file does not have."""
    chosen = [form.get("rows"), form.get("columns"), form.get("contributor"), *form.list("layers")]
    if not form.get("rows") or not {one for one in chosen if one} <= set(controls.columns):
        raise HTTPException(422)


def _read_table(case: OpenCase, form: SentForm) -> str:
    """Return which of several tables a form is of."""
    names, table = list_tables(case.files), form.get("table")
    if (names and table not in names) or (not names and table):
        raise HTTPException(422)
    return table


@router.post("/cases/{name}/table/add", response_class=HTMLResponse)
def add_one(request: Request, name: str, form: Sent) -> Response:
    """Add a table of the same records."""
    case = open_case(request, name, form.seen)
    controls = _read_controls(case, _choose_table(case, ""))
    _refuse_strange(controls, form)
    if not controls.microdata or len(controls.tables) >= MOST_TABLES:
        raise HTTPException(422)
    before, edits = list_tables(case.files), add_table(case.files, read_further(case.files, form))
    names = list_tables(apply_edits(case.files, edits))
    return write_edits(
        request, name, edits, form, back=_link_table(request, name, names[-1] if names != before else "")
    )


@router.post("/cases/{name}/table/remove", response_class=HTMLResponse)
def remove_one(request: Request, name: str, form: Sent) -> Response:
    """Remove one of several tables."""
    case = open_case(request, name, form.seen)
    table = _read_table(case, form)
    if not table:
        raise HTTPException(422)
    return write_edits(request, name, remove_table(case.files, table), form, back=_link_table(request, name, ""))


@router.post("/cases/{name}/table/cell", response_class=HTMLResponse)
def wish_cell(request: Request, name: str, form: Sent) -> Response:
    """Write what is wished of a cell: one edit."""
    case = open_case(request, name, form.seen)
    codes, table = form.list("code"), _read_table(case, form)
    if len(codes) != len(_read_controls(case, table).dims):
        raise HTTPException(422)
    back = f"{_link_table(request, name, table, cell=';'.join(codes))}#why"
    return write_edits(request, name, _wish(case.files, codes, form, table), form, back=back)


@router.post("/cases/{name}/table/tree", response_class=HTMLResponse)
def take_tree(request: Request, name: str, form: Sent, file: UploadFile | None = None) -> Response:
    """Take the tree of a dimension from a file of any form that ``--tree`` reads; without one, take it away."""
    case, dim = open_case(request, name, form.seen), form.get("dim")
    table = _read_table(case, form)
    if dim not in _read_controls(case, table).dims:
        raise HTTPException(422)
    chosen, text = take_file(file), None
    if chosen is not None:
        content = chosen.file.read(LARGEST_TREE + 1)
        if len(content) > LARGEST_TREE:
            raise HTTPException(413)
        try:
            text = write_tree(parse_edges(content, Path(Path(chosen.filename or "tree.csv").name)).build()).decode()
        except SekishoError as error:
            return write_table_page(request, case, status=422, wrong=describe_error(error))
    return write_edits(request, name, set_tree(dim, text), form, back=_link_table(request, name, table))


def _wish(files: Files, codes: Sequence[str], form: SentForm, table: str) -> tuple[DeskEdit, ...]:
    """Return the edit of one wish; a wish replaces the one before it."""
    letters = {"show": "P", "hide": "M"}
    wished = form.get("wish")
    if wished in letters:
        return set_cell(files, codes, STATUS, letters[wished], table=table)
    if wished == "cost":
        return set_cell(files, codes, COST, _read_cost(form.get("cost", "10")), table=table)
    return take_back(files, codes, table=table)


def _read_cost(text: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        cost = 10.0
    cost = min(max(cost, 0.0), MOST_COST)
    return int(cost) if cost == int(cost) else cost


Shown = Annotated[int, Form(ge=1, le=999_999)]


@router.post("/cases/{name}/table/run", response_class=HTMLResponse)
def run_table(request: Request, name: str, v: Shown) -> Response:
    """Run a version, or go on with it; one that is under way or finished is not begun again."""
    case = open_case(request, name, v)
    if case.case.check_original(digest=True) is not OriginalState.SAME:
        return write_table_page(request, case, status=409)
    runs = find_desk(request).runs
    runs.adopt(case.case.runs)
    runs.start(make_order(request, case))
    return _go_back(request, case)


@router.post("/cases/{name}/table/cancel", response_class=HTMLResponse)
def cancel_table(request: Request, name: str, v: Shown) -> Response:
    """End the run of a version."""
    case = open_case(request, name, v)
    if case.run is not None and not case.run.state.is_over:
        find_desk(request).runs.cancel(case.run.folder, wait=True)
    return _go_back(request, case)


@router.get("/cases/{name}/table/state", response_class=HTMLResponse)
def show_state(request: Request, name: str) -> Response:
    """Tell htmx to load the page again once the run is over."""
    case = open_case(request, name)
    over = case.run is None or case.run.state.is_over
    return Response(status_code=204, headers={"HX-Refresh": "true"} if over else {})


def _go_back(request: Request, case: OpenCase) -> Response:
    shown = "" if case.version == case.newest else f"?v={case.version}"
    return go_on(request, f"/cases/{case.name}/table{shown}")
