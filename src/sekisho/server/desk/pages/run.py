"""Aim and run: what must hold, what it costs; candidates made in the background, each looked at by a click."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import ndiff
from hashlib import sha256
from re import DOTALL, findall
from typing import Annotated, cast

from fastapi import APIRouter, Form, HTTPException, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sekisho.data.files.whole_files import read_regular_file
from sekisho.data.shape import Shape
from sekisho.errors import Fault, FaultsError, ParameterError, SekishoError, say_rule
from sekisho.gate.names import NAMES, name_candidate, tell_candidates_apart
from sekisho.gate.outcome import Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.lines import Mark, Scatter
from sekisho.report.kit.html import open_in_language
from sekisho.report.pages.verdicts.ending import TONES, WORDS
from sekisho.server.desk.account_view import ShownAccount, show_account
from sekisho.server.desk.changes import Sent, SentForm, write_edits
from sekisho.server.desk.controls import read_number
from sekisho.server.desk.edits import RECIPE, DeskEdit
from sekisho.server.desk.frame import RecipeLine, find_desk, go_on, write_desk_page
from sekisho.server.desk.originals import OriginalState
from sekisho.server.desk.pages.aims import AimForm, Aims
from sekisho.server.desk.pages.disk import offer_disk
from sekisho.server.desk.pages.kept_aims import WITHIN, KeptAims
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.runs.details import read_rows, read_sections
from sekisho.server.desk.runs.jobs import Run, RunState
from sekisho.server.desk.runs.orders import RunOrder
from sekisho.server.desk.shown import OpenCase, find_run_folder, open_case
from sekisho.server.desk.versions import Version
from sekisho.server.web.forms import is_from_script
from sekisho.server.web.language import choose_language
from sekisho.words import Language, Said, join_words

router = APIRouter()
STEP = {Shape.RECORDS: "run", Shape.HISTORY: "run", Shape.TABLE: "table"}
SHOWN_KEYS = ("preset", "risk", "leave_out", "claim", "bound", "keep", "memory", "engine", "seed")
SHOWN_TABLES = ("[find]", "[[methods]]", "[[adversaries]]", "[guarantees]", "[limits]", "[policy]")
LEFT_OUT = ("verdict", "Provenance", "What was tried", "What leaves, and why it may")
"""Parts of a candidate's page that stand elsewhere here."""
LOOKED_BACK = 30
"""In so many versions is looked for the last run."""
Number = Annotated[int | None, Query(ge=0, le=9999)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCandidate:
    """A finished candidate among the others; ``short`` is what tells it apart from them."""

    number: int
    label: str
    short: str
    words: Said
    tone: str
    loss: float | None
    risk: float | None
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenCandidate:
    """The candidate that is looked at, with all that is known of it."""

    card: Plain
    shown: ShownCandidate
    sections: Sequence[Plain]
    rows: Plain | None


@router.get("/cases/{name}/run", response_class=HTMLResponse)
def show_run(request: Request, name: str, candidate: Number = None, rows: Number = None) -> Response:
    """Show the aims, how far the run is, and what came of it."""
    case = open_case(request, name)
    run = case.run
    if request.headers.get("hx-trigger") == "progress" and (run is None or run.state.is_over):
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    return write_run_page(request, case, candidate=candidate, rows=rows)


def write_run_page(
    request: Request,
    case: OpenCase,
    *,
    candidate: int | None = None,
    rows: int | None = None,
    faults: Sequence[Fault] = (),
    status: int = 200,
) -> HTMLResponse:
    """Return the page of a version: with what is wrong with a form where something is."""
    aims, run = Aims.read(case.files, case.shown.folder), case.run
    cards = [] if run is None else run.candidates
    best = _find_best(run)
    number = candidate if candidate is not None else best
    shorts = tell_candidates_apart([card["label"] for card in cards])
    looked_at = number if number is not None or not cards else cards[0]["number"]
    candidates = [_show_candidate(card, short, looked_at) for card, short in zip(cards, shorts, strict=True)]
    chosen = _read_chosen(run, cards, candidates, rows)
    address = f"{find_desk(request).entrance.prefix}/cases/{case.name}/run"
    earlier = None if run is not None else _find_earlier(request, case)
    return write_desk_page(
        request,
        "desk/run.html",
        case,
        step=STEP[case.shape],
        lines=list_aim_lines(case),
        command=case.command,
        status=status,
        aims=aims,
        run=run,
        state="" if run is None else run.state.value,
        polls=run is not None and not run.state.is_over,
        share=_find_share(run),
        faults=[fault.as_dict() for fault in faults],
        recipe_faults=[fault.as_dict() for fault in find_recipe_faults(case.shown)],
        original_same=case.original is OriginalState.SAME,
        elsewhere=case.original is OriginalState.ELSEWHERE,
        candidates=candidates,
        chosen=chosen,
        best=next((one for one in candidates if one.number == best), None),
        picture=draw_frontier(candidates, aims, choose_language(request), address=f"{address}?v={case.version}"),
        address=address,
        names=NAMES,
        read_label=name_candidate,
        earlier=earlier,
        account=_find_account(request, case, chosen, earlier),
        disk=offer_disk(request, case),
    )


def _find_best(run: Run | None) -> int | None:
    outcome = None if run is None else run.outcome
    return None if outcome is None else cast("int | None", outcome["best"])


def _find_share(run: Run | None) -> int:
    """Return how much is done, in per cent."""
    return 0 if run is None or not run.total else 100 * run.done // run.total


def _show_candidate(card: Plain, short: str, chosen: int | None) -> ShownCandidate:
    verdict = Verdict(card["verdict"])
    return ShownCandidate(
        number=card["number"],
        label=name_candidate(card["label"]),
        short=short,
        words=WORDS[verdict],
        tone=TONES[verdict].value,
        loss=card["loss"],
        risk=card["risk"],
        chosen=card["number"] == chosen,
    )


def _read_chosen(
    run: Run | None, cards: Sequence[Plain], candidates: Sequence[ShownCandidate], rows: int | None
) -> ChosenCandidate | None:
    for card, shown in zip(cards, candidates, strict=True):
        if shown.chosen and run is not None:
            sections = [each for each in read_sections(run.folder, shown.number) if each["key"] not in LEFT_OUT]
            page = None if rows is None else read_rows(run.folder, shown.number, rows)
            return ChosenCandidate(card=card, shown=shown, sections=sections, rows=page)
    return None


FOUND = {
    (True, True): Said("share of customers that anybody names rightly at most"),
    (True, False): Said("largest share of customers found by an attack"),
    (False, True): Said("largest share of people that the keys can give away"),
    (False, False): Said("largest share of people found by an attack"),
}
"""What the picture of candidates says of risk: of a history or of records, counted or attacked."""


def draw_frontier(candidates: Sequence[ShownCandidate], aims: Aims, language: Language, *, address: str) -> str:
    """Return loss against risk of the finished candidates, each a link; nothing where there is nothing to compare."""
    risk = next((number for number in aims.numbers if number.name == "risk"), None)
    history, counted = aims.shape is Shape.HISTORY, "memory" in aims.keys or "engine" in aims.keys
    picture = Scatter(
        title=Said("Loss against risk"),
        desc=Said(
            "{rows} {rows:candidate|candidates}; to the left is more useful, further down is safer.",
            rows=len(candidates),
        ),
        x=Axis(label=Said("error U (less is better)") if history else Said("loss (less is better)")),
        y=Axis(
            label=FOUND[history, counted],
            low=0.0,
        ),
        points=tuple(
            Mark(
                name=each.short,
                x=each.loss,
                y=each.risk,
                tone=next(tone for tone in TONES.values() if tone.value == each.tone),
                link=f"{address}&candidate={each.number}#candidate",
                words=Said(
                    "{label}: loss {loss:.4f}, largest share found {risk:.1%}, {verdict}",
                    label=each.label,
                    loss=each.loss,
                    risk=each.risk,
                    verdict=each.words,
                ),
                chosen=each.chosen,
            )
            for each in candidates
            if each.loss is not None and each.risk is not None
        ),
        front=True,
        allowed=None if risk is None else risk.usual if risk.value is None else risk.value,
    )
    return picture.draw(language) if picture.has_content else ""


def list_aim_lines(case: OpenCase) -> list[RecipeLine]:
    """Return the lines of the recipe that the page writes, with what the version changed."""
    now = list(_keep_lines(case.files[RECIPE].decode()))
    parent = case.shown.parent
    before = now if parent is None else list(_keep_lines(case.case.versions.read(parent).files[RECIPE].decode()))
    lines: list[RecipeLine] = []
    for line in ndiff(before, now):
        mark, text = line[:2], line[2:]
        kind = {"- ": "old", "+ ": "new", "  ": "table" if text.startswith("[") else ""}.get(mark)
        if kind is not None:
            key = text.partition(" =")[0].strip('"')
            lines.append(RecipeLine(text=text, kind=kind, key="" if kind == "old" or text.startswith("[") else key))
    return lines


def _keep_lines(text: str) -> Iterator[str]:
    """Give the lines of a recipe that are aims, without remarks."""
    inside = False
    at_top = True
    for line in text.splitlines():
        plain = line.partition("  #")[0].rstrip()
        if not plain or plain.startswith("#"):
            continue
        if plain.startswith("["):
            at_top, inside = False, plain in SHOWN_TABLES
        if inside or (at_top and plain.partition(" =")[0] in SHOWN_KEYS):
            yield plain


def find_recipe_faults(version: Version) -> tuple[Fault, ...]:
    """Return everything that is wrong with the recipe of a version; nothing where it can be run."""
    try:
        read_recipe(version.recipe)
    except FaultsError as error:
        return tuple(error.faults)
    except SekishoError as error:
        return (Fault(row=0, column=RECIPE, rule="recipe", value="", message=join_words((str(error),))),)
    return ()


def _find_earlier(request: Request, case: OpenCase) -> Version | None:
    """Return the last version before this one that was run; None where none was."""
    runs = find_desk(request).runs
    listed = [each for each in case.case.versions.list() if each.number != case.version]
    for version in reversed(listed[-LOOKED_BACK:]):
        if runs.find(find_run_folder(case.case, version)) is not None:
            return version
    return None


def _find_account(
    request: Request, case: OpenCase, chosen: ChosenCandidate | None, earlier: Version | None
) -> ShownAccount | None:
    """Return the account of the candidate that is looked at; of a version without a run that of the last one."""
    if chosen is not None or earlier is None:
        return None if chosen is None else show_account(chosen.card.get("account"), case.files)
    run = find_desk(request).runs.find(find_run_folder(case.case, earlier))
    outcome = None if run is None else run.outcome
    return None if outcome is None else show_account(outcome.get("account"), case.files, version=earlier.number)


@router.post("/cases/{name}/run/aim", response_class=HTMLResponse)
def change_aims(request: Request, name: str, form: Sent) -> Response:
    """Write what a form changes as a version; the same form sent again changes nothing more."""
    case = open_case(request, name, form.seen)
    fields: dict[str, list[str]] = {}
    for key, value in form.fields:
        fields.setdefault(key, []).append(value)
    aims = Aims.read(case.files, case.shown.folder)
    try:
        edits = AimForm(fields=fields, files=case.files, aims=aims, faults=[]).list_edits()
    except FaultsError as error:
        return write_run_page(request, case, faults=error.faults, status=422)
    return _write_aims(request, name, edits, form)


@router.post("/cases/{name}/run/keep", response_class=HTMLResponse)
def keep_more(request: Request, name: str, form: Sent) -> Response:
    """Keep a further pair or sum, as a version."""
    case = open_case(request, name, form.seen)
    faults: list[Fault] = []

    def note(column: str, rule: Said, value: object) -> None:
        faults.append(Fault(row=0, column=column, rule=rule, value=str(value), message=say_rule(column, rule, value)))

    within, edits = read_number(WITHIN.strip(), form.get("within").strip(), note), tuple[DeskEdit, ...]()
    try:
        edits = KeptAims.read(case.files).add(form.get("kind"), form.get("column"), form.get("other"), within)
    except ParameterError as error:
        note("keep", error.rule, error.value)
    if faults:
        return write_run_page(request, case, faults=faults, status=422)
    return _write_aims(request, name, edits, form)


def _write_aims(request: Request, name: str, edits: Sequence[DeskEdit], form: SentForm) -> Response:
    told = sha256(repr([(edit.file, edit.place, edit.value) for edit in edits]).encode()).hexdigest()[:16]
    once = replace(
        form, key=f"{form.key}-{told}" if form.key else ""
    )  # a page that came back may ask for another thing
    answer = write_edits(request, name, edits, once, back=f"/cases/{name}/run")
    if is_from_script(request) and "HX-Redirect" in answer.headers:  # the page comes without losing the focus
        return RedirectResponse(answer.headers["HX-Redirect"], status_code=303)
    return answer


def make_order(request: Request, case: OpenCase) -> RunOrder:
    """Return what is to be run for the version that a page shows; after a lack of memory in one process at a time."""
    order = RunOrder.of(
        case=case.name,
        recipe=case.shown.recipe,
        runs=case.case.runs,
        steps=case.case.steps,
        original=case.case.original.sha256,
        language=choose_language(request),
    )
    memory = find_desk(request).settings.memory
    order = order if memory is None else replace(order, memory=memory)
    failure = None if case.run is None else case.run.failure
    return order if failure is None or failure["key"] != "memory" else replace(order, jobs=1)


Shown = Annotated[int, Form(ge=1, le=999_999)]


@router.post("/cases/{name}/run/start", response_class=HTMLResponse)
def start_run(request: Request, name: str, v: Shown) -> Response:
    """Run a version, or go on with it; one that is under way or finished is not begun again."""
    case = open_case(request, name, v)
    runs = find_desk(request).runs
    if find_recipe_faults(case.shown) or case.case.check_original(digest=True) is not OriginalState.SAME:
        return write_run_page(request, case, status=409)
    runs.adopt(case.case.runs)
    runs.start(make_order(request, case))
    return _go_to_run(request, case)


@router.post("/cases/{name}/run/cancel", response_class=HTMLResponse)
def cancel_run(request: Request, name: str, v: Shown) -> Response:
    """End the run of a version; what is finished is kept."""
    case = open_case(request, name, v)
    runs = find_desk(request).runs
    runs.adopt(case.case.runs)
    if case.run is not None and not case.run.state.is_over:
        runs.cancel(case.run.folder, wait=True)
    return _go_to_run(request, case)


def _go_to_run(request: Request, case: OpenCase) -> Response:
    shown = "" if case.version == case.newest else f"?v={case.version}"
    return go_on(request, f"/cases/{case.name}/{STEP[case.shape]}{shown}")


@router.get("/cases/{name}/report", response_class=HTMLResponse)
def show_report(request: Request, name: str) -> Response:
    """Show the confidential page of a version's run as the report draws it."""
    case = open_case(request, name)
    if case.run is None or case.run.state is not RunState.FINISHED:
        raise HTTPException(404)
    return write_report(request, read_regular_file(case.run.report))


def write_report(request: Request, written: bytes) -> HTMLResponse:
    """Return a page of the report in the reader's language: its style is inside, and nothing else of it is let run."""
    page = open_in_language(written.decode(), choose_language(request))
    styles = findall(r"<style>(.*?)</style>", page, DOTALL)
    known = " ".join(f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" for style in styles) or "'none'"
    policy = f"default-src 'none'; style-src {known}; img-src data:; base-uri 'none'; frame-ancestors 'none'"
    return HTMLResponse(page, headers={"content-security-policy": f"{policy}; sandbox allow-modals"})
