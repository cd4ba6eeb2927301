"""The page of a file: what was understood, and what is asked; every control is an edit of the recipe or the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.frame.dataset import Kind
from sekisho.data.shape import Shape
from sekisho.server.desk.changes import Sent, SentForm, write_edits
from sekisho.server.desk.counter import CountAnswer, CountQuestion, Later
from sekisho.server.desk.edits import (
    DeskEdit,
    read_keys,
    set_file_form,
    set_kind,
    set_missing_texts,
    set_role,
    set_shape,
)
from sekisho.server.desk.frame import StepMark, find_desk, go_on, list_steps, write_desk_page
from sekisho.server.desk.pages.asking import count_ahead
from sekisho.server.desk.pages.file_view import (
    KINDS,
    MEANINGS,
    ROLES,
    SHAPES,
    FileView,
    note_answers,
    read_answers,
)
from sekisho.server.desk.pages.table_edits import set_parts
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.shown import OpenCase, open_case
from sekisho.server.web.forms import is_from_script
from sekisho.server.web.language import choose_language
from sekisho.words import Said

router = APIRouter()

MOST_AHEAD = 5_000_000
"""The risk of a file with more rows is counted only when it is asked for."""
ROWS_SECONDS, LOOK_SECONDS, PROPOSE_SECONDS = 3.0, 0.7, 120.0
ENCODINGS = {
    "utf-8": "UTF-8",
    "cp932": "CP932 (Shift_JIS)",
    "euc_jp": "EUC-JP",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
}
SEPARATORS = {",": Said("comma ,"), ";": Said("semicolon ;"), "\t": Said("separator|tab"), "|": Said("bar |")}
DECIMALS = {".": Said("point ."), ",": Said("decimal comma ,")}
DATES = {
    "": "2024-01-03",
    "%d.%m.%Y": "03.01.2024",
    "%d/%m/%Y": "03/01/2024",
    "%m/%d/%Y": "01/03/2024",
    "%Y年%m月%d日": "2024年01月03日",
    "%Y%m%d": "20240103",
}
COLUMN_DATES = {
    "": Said("as in the whole file"),
    **{form: text for form, text in DATES.items() if form},
    "wareki": "令和6年1月3日",
}
FORM_KEYS = ("separator", "encoding", "header", "header_line", "sheet")
"""What decides which columns there are."""
SHOWN_FAULTS = 8
OFFERED_LINES, MOST_LINES = 8, 9999
"""So many lines are offered for the names of columns, and so many are taken."""
CONFLICT, RETARGET = 409, "hx-retarget"
FAILURES: Mapping[str, Said] = {
    "memory": Said("It needs more memory than it may take."),
    "fault": Said("A fault of ours: the file could not be looked at."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePage:
    """A case whose file is shown, and who counts for it."""

    request: Request
    case: OpenCase

    @classmethod
    def open(cls, request: Request, name: str, version: int | None = None) -> FilePage:
        """Return the page of a case."""
        return cls(request=request, case=open_case(request, name, version))

    def ask(self, name: str, seconds: float, **arguments: object) -> CountAnswer | Later:
        """Ask who counts."""
        counter = find_desk(self.request).counters.open(self.case.case.folder)
        return counter.ask(CountQuestion(name=name, version=self.case.version, arguments=arguments), seconds=seconds)

    def view(self, look: CountAnswer | Later) -> FileView:
        """Return what the version says beside what was understood."""
        seen = look.result if isinstance(look, CountAnswer) and look.failure is None else None
        return FileView(
            files=self.case.files,
            shape=self.case.shape,
            look=seen,
            columns=self.case.case.columns,
            answers=read_answers(self.case.case),
            language=choose_language(self.request),
        )

    def write(self, edits: tuple[DeskEdit, ...], form: SentForm, chips: Mapping[str, str] | None = None) -> Response:
        """Write edits as a version; answer script with the page as it is then, others by sending them on to it.

        Args:
            edits: what is to be changed.
            form: that was sent.
            chips: by column what a person said, which is kept if the edits are.
        """
        name = self.case.name
        back = f"/cases/{name}/file"
        answer = write_edits(self.request, name, edits, form, back=back) if edits else go_on(self.request, back)
        if answer.status_code == CONFLICT or RETARGET in answer.headers:
            return answer
        note_answers(self.case.case, chips or {})
        return FilePage.open(self.request, name).show() if is_from_script(self.request) else answer

    def show(self, *, shown: bool = False, refused: CountAnswer | None = None) -> HTMLResponse:
        """Return the page.

        Args:
            shown: whether what says who it is is shown, which is asked for here and now and not remembered.
            refused: how the file could not be looked at, which changed nothing.
        """
        rows = self.ask("rows", ROWS_SECONDS, shown=shown)
        look = self.ask("look", LOOK_SECONDS)
        view = self.view(look)
        changed = view.list_changed() if view.look is not None else []
        facts = self.ask("columns", LOOK_SECONDS, names=changed) if changed else None
        if isinstance(facts, CountAnswer):
            view = replace(view, facts=facts.result.get("columns", {}))
        if view.look is not None and view.look["rows"] <= MOST_AHEAD:
            count_ahead(self.request, self.case)
        columns = view.list_columns()
        waiting = [one for one in columns if one.asked]
        parent = self.case.shown.parent
        before = None if parent is None else self.case.case.versions.read(parent).files
        return write_desk_page(
            self.request,
            "desk/file.html",
            self.case,
            step="file",
            lines=view.list_lines(before),
            command=self._tell_command(),
            view=view,
            columns=sorted(columns, key=lambda one: not one.asked),
            waiting=waiting,
            steps=list_steps(self.case, {"file": StepMark.LOOK} if waiting else {}),
            waits=any(isinstance(answer, Later) for answer in (rows, look, facts)),
            look=view.look,
            rows=rows.result if isinstance(rows, CountAnswer) else None,
            failures=_list_failures(self.request, refused, rows, look, facts),
            status=200 if refused is None else 422,
            form=self.read_form(view.look),
            choices=_list_choices({one.form for one in columns if one.kind == Kind.DATE}),
            header_lines=_list_header_lines(self.read_form(view.look)),
            sheets={name: name for name in (view.look or {}).get("sheets", ())},
            shown=shown,
            **({"arrived": False} if is_from_script(self.request) else {}),
        )

    def read_form(self, look: Plain | None) -> dict[str, Any]:
        """Return how the file is written: as the version says, and what it leaves open as it was found."""
        is_table = self.case.shape is Shape.TABLE
        keys = (
            read_keys(self.case.files, "recipe") if is_table else read_keys(self.case.files, "schema").get("file", {})
        )
        written = {key: keys[key] for key in (*FORM_KEYS, "decimal", "date_format") if key in keys}
        found: Mapping[str, Any] = {} if look is None else look["form"]
        return {**{key: value for key, value in found.items() if value is not None}, **written}

    def _tell_command(self) -> str:
        form = self.read_form(None)
        options = [f"--{key} {quote(str(form[key]))}" for key in ("separator", "encoding") if form.get(key)]
        return " ".join(["sekisho init", quote(self.case.file_name), f"--shape {self.case.shape.value}", *options])


def _list_header_lines(form: Mapping[str, Any]) -> dict[str, Said]:
    """Return the lines that may name the columns: the first ones, and the one that does."""
    lines = sorted({*range(1, OFFERED_LINES + 1), int(form.get("header_line") or 1)})
    return {**{str(line): Said("in line {line}", line=line) for line in lines}, "no": Said("in no line")}


def _list_choices(forms: set[str]) -> dict[str, object]:
    """Return what may be chosen; where each column of dates has a form of its own, that is what the file has.

    Args:
        forms: of the columns of dates; empty for that of the file.
    """
    usual = "、".join(str(COLUMN_DATES.get(form, form)) for form in sorted(forms)) if forms and "" not in forms else ""
    return {
        "encoding": ENCODINGS,
        "separator": SEPARATORS,
        "decimal": DECIMALS,
        "date_format": {**DATES, "": usual or DATES[""]},
        "column_form": COLUMN_DATES,
        "kinds": KINDS,
        "means": MEANINGS,
        "shapes": SHAPES,
    }


def _list_failures(request: Request, *answers: CountAnswer | Later | None) -> list[dict[str, Any]]:
    """Return what is wrong with the file, in the reader's language, each thing once."""
    language, failures = choose_language(request).value, list[dict[str, Any]]()
    for answer in answers:
        wrong = (answer.failure or answer.result.get("failure")) if isinstance(answer, CountAnswer) else None
        if wrong is None:
            continue
        words = wrong.get("reason", {}).get(language) or FAILURES.get(wrong.get("key", ""), FAILURES["fault"])
        faults = [{**one, **_choose(one, language)} for one in wrong.get("faults", ())]
        if faults:
            words = Said("{count:,} {count:cell does|cells do} not fit what is said of the columns.", count=len(faults))
        if all(words != one["words"] for one in failures):
            failures.append({"words": words, "faults": faults[:SHOWN_FAULTS], "count": len(faults)})
    return failures


def _choose(fault: Mapping[str, Any], language: str) -> dict[str, str]:
    return {name: value[language] for name, value in fault.items() if isinstance(value, dict)}


@router.get("/cases/{case}/file", response_class=HTMLResponse)
def show_file(request: Request, case: str) -> HTMLResponse:
    """Show what was understood of a file."""
    return FilePage.open(request, case).show(shown=request.query_params.get("shown") == "1")


@router.post("/cases/{case}/file/roles", response_class=HTMLResponse, response_model=None)
def set_roles(request: Request, case: str, form: Sent) -> Response:
    """Say what columns are: those that were changed on the page."""
    page = FilePage.open(request, case, form.seen)
    view = page.view(page.ask("look", PROPOSE_SECONDS))
    said = {one.name: form.get(f"role-{one.place}", one.chip) for one in view.list_columns()}
    chosen = {
        one.name: said[one.name]
        for one in view.list_columns()
        if said[one.name] != one.chip and said[one.name] in view.choices
    }
    edits: tuple[DeskEdit, ...] = ()
    if page.case.shape is Shape.TABLE:
        edits = set_parts(page.case.files, chosen)
    else:
        for name, chip in chosen.items():
            edits += set_role(page.case.files, view.rules, name, ROLES[chip])
    return page.write(edits, form, chosen)


@router.post("/cases/{case}/file/shape", response_class=HTMLResponse, response_model=None)
def choose_shape(request: Request, case: str, form: Sent) -> Response:
    """Take the file for another shape: with the recipe and the schema that are proposed for it."""
    page = FilePage.open(request, case, form.seen)
    shape = form.get("shape")
    if shape not in SHAPES:
        raise HTTPException(422)
    if shape == page.case.shape:
        return page.write((), form)
    return _take_proposal(page, form, shape=shape)


@router.post("/cases/{case}/file/form", response_class=HTMLResponse, response_model=None)
def choose_form(request: Request, case: str, form: Sent) -> Response:
    """Say how the file is written. Where that makes other columns of it, they are proposed anew."""
    page = FilePage.open(request, case, form.seen)
    look = page.ask("look", PROPOSE_SECONDS)
    old = page.read_form(look.result if isinstance(look, CountAnswer) and look.failure is None else None)
    sent = {key for key, _ in form.fields} & {*FORM_KEYS, "decimal", "date_format"}
    new: dict[str, str | bool | int] = {key: form.get(key) for key in sorted(sent)}
    if "header" in new:
        new |= _read_header(form.get("header"))
    before = {"header": True, "header_line": 1, **old}
    changed = {key: value for key, value in new.items() if value != (before.get(key) or type(value)())}
    if changed.keys() & set(FORM_KEYS):
        written = {key: value for key, value in {**old, **changed}.items() if key in FORM_KEYS}
        if "sheet" in changed or not written.get("header", True):
            written.pop("header_line", None)  # it is found anew
        return _take_proposal(page, form, shape=page.case.shape.value, form=written)
    edits: tuple[DeskEdit, ...] = ()
    for key, value in changed.items():
        edits += set_file_form(page.case.files, key, value or None)
    return page.write(edits, form)


def _read_header(text: str) -> dict[str, str | bool | int]:
    """Return whether a line names the columns, and which."""
    if text.isascii() and text.isdecimal() and 0 < int(text) <= MOST_LINES:
        return {"header": True, "header_line": int(text)}
    return {"header": False}


def _take_proposal(page: FilePage, sent: SentForm, **arguments: object) -> Response:
    """Take the files that are proposed for a file looked at in another way; where it cannot be, say why and stay."""
    answer = page.ask("propose", PROPOSE_SECONDS, language=page.case.case.language.value, **arguments)
    if isinstance(answer, Later):
        raise HTTPException(503)
    if answer.failure is not None:
        return page.show(refused=answer)
    files = {name: text.encode() for name, text in answer.result["files"].items()}
    return page.write(set_shape(files, page.case.files), sent)


@router.post("/cases/{case}/file/column", response_class=HTMLResponse, response_model=None)
def set_column(request: Request, case: str, form: Sent) -> Response:
    """Say how the cells of one column are read: kind, form, which texts mean missing, what it says of an event."""
    page = FilePage.open(request, case, form.seen)
    columns = {one.name: one for one in page.view(page.ask("look", PROPOSE_SECONDS)).list_columns()}
    column = columns.get(form.get("column"))
    if column is None or not column.read or form.get("kind") not in {*KINDS, ""}:
        raise HTTPException(422)
    edits: tuple[DeskEdit, ...] = ()
    kind, written = form.get("kind", column.kind), form.get("format", column.form)
    if (kind, written) != (column.kind, column.form) and kind:
        edits += set_kind(column.name, Kind(kind), written if Kind(kind).numeric else "")
    texts = tuple(text.strip() for text in form.get("missing").split(",") if text.strip())
    if form.list("missing") and texts != column.missing_texts:
        edits += set_missing_texts(column.name, texts)
    if form.get("means", column.means) != column.means:
        means = form.get("means") or None
        edits += (DeskEdit(file="schema", place=("columns", column.name, "means"), value=means),)
    return page.write(edits, form)


@router.post("/cases/{case}/file/confirm", response_class=HTMLResponse, response_model=None)
def confirm_columns(request: Request, case: str, form: Sent) -> Response:
    """Confirm what is proposed for the columns that are asked about, and go on."""
    page = FilePage.open(request, case, form.seen)
    view = page.view(page.ask("look", PROPOSE_SECONDS))
    asked = {one.name: one.chip for one in view.list_columns() if one.asked}
    note_answers(page.case.case, asked, is_confirmed=True)
    step = "table" if page.case.shape is Shape.TABLE else "risk"
    return go_on(request, f"/cases/{page.case.name}/{step}")
