"""What stands around every page of the desk: whose file it is, its steps, what the page writes, the same by command.

A page's route ends with ``return write_desk_page(request, "desk/risk.html", case, step="risk", lines=…, command=…)``.
Its template extends ``desk/layout.html`` and fills the blocks ``title``, ``main`` and ``bar``. Forms bear
``{{ form_token() }}``, those that change a case ``{{ edit_fields() }}``, and post to ``{{ at }}/cases/…``; whatever
changed something ends with ``go_on(request, "/…")``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from html import escape
from importlib.metadata import version
from typing import Protocol, cast
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.shape import Shape
from sekisho.seeds import draw_token
from sekisho.server.desk.entry import FORM_FIELD, FORM_HEADER
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.settings import Desk
from sekisho.server.web.assets import name_assets, read_assets
from sekisho.server.web.forms import go_to, is_from_script
from sekisho.server.web.language import keep_language
from sekisho.server.web.render import write_page
from sekisho.words import Said, join_words

ASSETS = read_assets("sekisho.server.desk", ["desk.css", "desk.js"])
SEEN_FIELD, KEY_FIELD, TAB_FIELD = "v", "key", "step"
KEPT = (
    *("v", "candidate", "rows", "column", "step", "known", "who", "hand", "group", "find"),
    *("cell", "layer", "table", "old", "new"),
)
"""What is kept of a query when the reader chooses another language; never that identifiers are shown."""
PLACES, PLACE_FIELD = ("column", "step", "hand", "group", "known", "table", "layer"), "place"
"""What of a query says where on its page the reader is, whichever version it shows; and the field that keeps it."""


class StepMark(StrEnum):
    """What a step's mark says."""

    OPEN = ""
    DONE = "done"
    LOOK = "look"


MARK_WORDS = {
    StepMark.OPEN: Said("not yet"),
    StepMark.DONE: Said("step|done"),
    StepMark.LOOK: Said("needs a look"),
}
STEP_WORDS: Mapping[str, Said] = {
    "file": Said("step|File"),
    "risk": Said("step|Risk"),
    "trees": Said("step|Trees"),
    "run": Said("Aim and run"),
    "table": Said("step|Table"),
    "decide": Said("step|Decide"),
}
STEPS: Mapping[Shape, tuple[str, ...]] = {
    Shape.RECORDS: ("file", "risk", "trees", "run", "decide"),
    Shape.HISTORY: ("file", "risk", "trees", "run", "decide"),
    Shape.TABLE: ("file", "table", "decide"),
}
TAKEN_AWAY: Mapping[str, Said] = {
    "recipe": Said("take|recipe"),
    "sh": Said("take|shell script"),
    "ipynb": Said("take|notebook"),
}


class ShownCase(Protocol):
    """What the frame shows of a case, at the version that the page is of."""

    @property
    def name(self) -> str:
        """How its addresses call it."""
        ...

    @property
    def file_name(self) -> str:
        """The original's; the folder that it lies in is nobody's business."""
        ...

    @property
    def shape(self) -> Shape:
        """Which steps it has."""
        ...

    @property
    def version(self) -> int:
        """The version that the page shows."""
        ...

    @property
    def newest(self) -> int:
        """The current version."""
        ...

    @property
    def saved(self) -> str:
        """When the version was saved, as it is to be read; empty for nothing to say."""
        ...

    @property
    def can_undo(self) -> bool:
        """Whether there is a version before."""
        ...

    @property
    def can_redo(self) -> bool:
        """Whether there is one to go on to."""
        ...

    @property
    def marks(self) -> Mapping[str, StepMark]:
        """The steps' marks; those left out are not done yet."""
        ...

    @property
    def settled(self) -> str:
        """Whether the version is only to be read: ``released`` or ``refused``; empty if it can be changed."""
        ...

    @property
    def part(self) -> Plain | None:
        """What part of the file was looked at: its first ``rows`` of ``whole``; None where it was all."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeLine:
    """A line of what a page writes.

    Attributes:
        text: of the line.
        kind: ``new``, ``old`` (struck out), ``table`` (the name of a file or table), or nothing.
        key: of the control that writes it, which bears it as ``data-key``; the line is marked while it has the focus.
    """

    text: str
    kind: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """A step of the way, as the frame shows it."""

    name: str
    number: int
    words: Said
    mark: StepMark
    note: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenField:
    """A field of a form that nobody sees; templates write it as it is."""

    name: str
    value: str

    def __html__(self) -> str:
        """Return the field."""
        return f'<input type="hidden" name="{escape(self.name)}" value="{escape(self.value)}">'


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenFields:
    """Fields of a form that nobody sees."""

    fields: tuple[HiddenField, ...]

    def __html__(self) -> str:
        """Return the fields."""
        return "".join(field.__html__() for field in self.fields)


def find_desk(request: Request) -> Desk:
    """Return the desk that a request is sent to."""
    return cast("Desk", request.app.state.desk)


def go_on(request: Request, address: str) -> Response:
    """Send the reader on to a page of the desk after a form; the address is written without the prefix."""
    return go_to(find_desk(request).entrance.prefix + address, request)


def list_steps(case: ShownCase, seen: Mapping[str, StepMark] | None = None) -> list[ShownStep]:
    """Return the steps of a case in order; a page that has seen more than the case tells of a step says its mark."""
    marks = {**case.marks, **(seen or {})}
    steps: list[ShownStep] = []
    for number, name in enumerate(STEPS[case.shape], 1):
        mark = marks.get(name, StepMark.OPEN)
        steps.append(ShownStep(name=name, number=number, words=STEP_WORDS[name], mark=mark, note=MARK_WORDS[mark]))
    return steps


def write_desk_page(
    request: Request,
    template: str,
    case: ShownCase | None = None,
    *,
    step: str = "",
    lines: Sequence[RecipeLine] = (),
    command: str = "",
    status: int = 200,
    **values: object,
) -> HTMLResponse:
    """Return a page in its frame.

    Args:
        request: that asks for it.
        template: its name, such as ``desk/risk.html``.
        case: whose page it is; None for the desk's own pages.
        step: of the case, which the navigation marks as the current one.
        lines: that the page writes, for the aside; none for no such part.
        command: which does the same, for the aside.
        status: of the answer.
        values: that the template shows.
    """
    frame: dict[str, object] = {"step": step, "lines": lines, "command": command}
    text = write_framed(request, template, {**frame, "case": case, **values})
    response = HTMLResponse(text, status_code=status)
    keep_language(request, response, secure=False)
    return response


def write_framed(request: Request, template: str, values: Mapping[str, object]) -> str:
    """Return a page's text: what it shows, and what the frame shows around it."""
    entrance, case = find_desk(request).entrance, cast("ShownCase | None", values.get("case"))
    field, step = HiddenField(name=FORM_FIELD, value=entrance.token), str(values.get("step", ""))
    shown: dict[str, object] = {
        "at": entrance.prefix,
        "assets": name_assets(ASSETS, prefix=entrance.prefix),
        "form_token": lambda: field,
        "edit_fields": lambda: write_edit_fields(field, case, step),
        "hide": find_desk(request).places.hide,
        "listed": _list_names,
        "place_field": lambda: HiddenField(name=PLACE_FIELD, value=keep_place(request.query_params.multi_items())),
        "form_header": f'{{"{FORM_HEADER}": "{entrance.token}"}}',
        "program": find_program(),
        "arrived": request.headers.get("sec-fetch-site") == "same-origin" and not is_from_script(request),
        "case": None,
        "step": "",
        "steps": [] if case is None else list_steps(case),
        "lines": (),
        "command": "",
        "taken_away": TAKEN_AWAY,
        **values,
    }
    here = None if request.method == "GET" else _find_page(entrance.prefix, case, step)
    return write_page(request, template, kept=KEPT, values=shown, here=here)


def _list_names(names: Iterable[str]) -> Said:
    return join_words(names, ", ")


def _find_page(prefix: str, case: ShownCase | None, step: str) -> str:
    """Return the page that a form stands on: what a form answers has no address of its own."""
    return f"{prefix}/" if case is None or step not in STEP_WORDS else f"{prefix}/cases/{case.name}/{step}"


def keep_place(query: Iterable[tuple[str, str]]) -> str:
    """Return what of a query says where on a page the reader is, as a query."""
    return urlencode([(name, value) for name, value in query if name in PLACES])


def write_edit_fields(token: HiddenField, case: ShownCase | None, step: str) -> HiddenFields:
    """Return what a form that changes a case bears: its token, the version that is seen, a key of its own."""
    own = {SEEN_FIELD: "" if case is None else str(case.version), KEY_FIELD: draw_token()[:22], TAB_FIELD: step}
    return HiddenFields(fields=(token, *(HiddenField(name=name, value=value) for name, value in own.items())))


@cache
def find_program() -> str:
    """Return which version of the program this is."""
    return version("sekisho")
