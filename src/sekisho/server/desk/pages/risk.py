"""How easily people are found in the file as it stands: who is alone on what others may know.

Ticking another key is one edit of the recipe. Trying a key more coarsely writes nothing until it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from shlex import quote

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.shape import Shape
from sekisho.seeds import Seed
from sekisho.server.desk.counting.key_steps import find_outstanding, offer_tree, weigh_keys, write_keys
from sekisho.server.desk.edits import DeskEdit, set_keys, set_tree
from sekisho.server.desk.frame import RecipeLine, write_desk_page
from sekisho.server.desk.pages.asking import ChosenKeys, name_step, read_columns
from sekisho.server.desk.pages.writing import Fields, draw_form_key, read_field, read_list, write_edits
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.questions import count_found_by_rows
from sekisho.server.desk.shown import OpenCase, open_case
from sekisho.server.web.language import choose_language
from sekisho.words import Said, translate

router = APIRouter()
MANY = 0.1
"""From so large a share of people alone on the sentence is a red one."""


@router.get("/cases/{name}/risk", response_class=HTMLResponse)
def show_risk(request: Request, name: str) -> HTMLResponse:
    """Show who is alone by the keys, without each of them, and with coarser ones."""
    shown = open_case(request, name)
    if shown.shape is Shape.HISTORY:
        return _show_history(request, shown)
    return _show_records(request, shown)


def _show_records(request: Request, shown: OpenCase, *, refused: bool = False) -> HTMLResponse:
    chosen = ChosenKeys.of(shown, request)
    columns = read_columns(shown)
    weighed: Plain | None = None
    if chosen.keys and not refused:
        weighed = weigh_keys(columns, chosen.describe(), request.query_params.get("column", ""))
    asks_who = weighed is not None and "who" in request.query_params
    return write_desk_page(
        request,
        "desk/risk.html",
        shown,
        step="risk",
        lines=_list_lines(shown, chosen),
        command=_write_command(shown, chosen),
        status=422 if refused else 200,
        chosen=chosen,
        refused=refused,
        counts=None if weighed is None else weighed["counts"],
        sign="" if weighed is None else judge_share(weighed["counts"]["alone"], weighed["counts"]["records"]),
        focus="" if weighed is None else weighed["focus"],
        ladder=[] if weighed is None else _name_ladder(weighed),
        others=[] if weighed is None else _list_others(weighed, chosen),
        worst_key=None if weighed is None else _find_worst_key(weighed["counts"]),
        tried=[] if weighed is None else _tell_tried(weighed, chosen),
        who=find_outstanding(columns, chosen.describe()) if asks_who else None,
        query=chosen.write_query(),
        form_key=draw_form_key(),
    )


@router.get("/cases/{name}/risk/who", response_class=HTMLResponse)
def show_who(request: Request, name: str) -> HTMLResponse:
    """Show who stands out most, and what somebody who knows three things could do: a part of the page."""
    shown = open_case(request, name)
    chosen = ChosenKeys.of(shown, request)
    who = find_outstanding(read_columns(shown), chosen.describe()) if chosen.keys else None
    return write_desk_page(
        request, "desk/risk_who.html", shown, step="risk", who=who, chosen=chosen, query=chosen.write_query()
    )


@router.post("/cases/{name}/risk/keys", response_class=HTMLResponse)
def choose_keys(request: Request, name: str, fields: Fields) -> Response:
    """Take other keys: one edit; none at all are not taken."""
    shown = open_case(request, name)
    chosen = ChosenKeys.of(shown)
    wanted = set(read_list(fields, "key"))
    keys = [column.name for column in chosen.columns if column.name in wanted]
    if not keys:
        return _show_records(request, shown, refused=True)
    edits = set_keys(() if set(keys) == set(chosen.usual) else keys)
    return write_edits(request, shown, edits, fields, step="risk", then=f"/cases/{name}/risk")


@router.post("/cases/{name}/risk/coarser", response_class=HTMLResponse)
def make_coarser(request: Request, name: str, fields: Fields) -> Response:
    """Write the trees of the keys that were tried at a step, where they have none, and open the first of them."""
    shown = open_case(request, name)
    chosen = ChosenKeys.of(shown)
    columns, other = read_columns(shown), translate(Said("group|other"), choose_language(request))
    wanted = [name for name in read_list(fields, "column") if name in chosen.keys and name not in chosen.trees]
    edits: list[DeskEdit] = []
    for column in wanted:
        offer = offer_tree(columns, column, other=other)
        edits += set_tree(column, offer["tree"], rule=offer["rule"]) if offer["tree"] else ()
    query = read_field(fields, "query")
    return write_edits(request, shown, edits, fields, step="risk", then=f"/cases/{name}/trees?{query}")


def _show_history(request: Request, shown: OpenCase) -> HTMLResponse:
    chosen, columns = ChosenKeys.of(shown), read_columns(shown)
    wanted = [name for name in request.query_params.getlist("known") if name in chosen.keys]
    known = wanted or list(chosen.keys)
    found: Plain | None = None
    if known and chosen.holder:
        coded = write_keys(columns, [{"name": name} for name in (chosen.holder, *known)])
        found = count_found_by_rows(coded.pop(chosen.holder), coded, seed=Seed(shown.case.seed))
    most = 0 if found is None else found["known"][-1]["found"]
    return write_desk_page(
        request,
        "desk/risk_history.html",
        shown,
        step="risk",
        command=shown.command,
        chosen=chosen,
        known=known,
        found=found,
        sign="" if found is None else judge_share(most, found["drawn"]),
    )


def judge_share(alone: int, records: int) -> str:
    """Return with which sign so many people alone are told; it decides nothing."""
    if not alone:
        return "good"
    return "bad" if alone > MANY * records else "warn"


def _name_ladder(weighed: Plain) -> list[Plain]:
    steps: list[Plain] = weighed["ladder"]
    kind = weighed["kinds"].get(weighed["focus"], "")
    return [
        {**step, "words": name_step(step, kind=kind, last=step is steps[-1])}
        for step in steps
        if not step["step"] or step is steps[-1] or step["values"] < steps[step["step"] - 1]["values"]
    ]


def _list_others(weighed: Plain, chosen: ChosenKeys) -> list[Plain]:
    """Return the other keys that have steps, each with the words of its steps."""
    return [
        {"name": name, "steps": _name_steps(weighed, name), "step": chosen.steps.get(name, 0)}
        for name in weighed["steps"]
        if name != weighed["focus"]
    ]


def _name_steps(weighed: Plain, name: str) -> list[Plain]:
    steps: list[Plain] = weighed["steps"][name]
    kind = weighed["kinds"].get(name, "")
    return [
        {"step": step["step"], "words": name_step(step, kind=kind, last=step is steps[-1]), "shown": step["shown"][0]}
        for step in steps
        if not step["step"] or step is steps[-1] or step["values"] < steps[step["step"] - 1]["values"]
    ]


def _tell_tried(weighed: Plain, chosen: ChosenKeys) -> list[Plain]:
    """Return which keys are tried more coarsely, and at which step each."""
    tried: list[Plain] = []
    for name, step in chosen.steps.items():
        steps: Sequence[Plain] = weighed["steps"].get(name, ())
        if step and steps:
            at = steps[min(step, len(steps) - 1)]
            words = name_step(at, kind=weighed["kinds"].get(name, ""), last=at is steps[-1])
            tried.append({"name": name, "words": words, "shown": at["shown"][0], "written": name in chosen.trees})
    return tried


def _find_worst_key(counts: Mapping[str, dict[str, int]]) -> str | None:
    """Return the key without which the fewest are alone; None where none of them changes anything."""
    without = counts["without"]
    name = min(without, key=without.__getitem__, default=None)
    return name if name is not None and len(without) > 1 and without[name] < max(without.values()) else None


def _list_lines(shown: OpenCase, chosen: ChosenKeys) -> list[RecipeLine]:
    """Return the lines of the recipe that this page writes; what this version changed is marked."""
    lines = [RecipeLine(text="# recipe.toml", kind="table")]
    edit = next((one for one in shown.shown.edits if one.file == "recipe" and one.place == ("keys",)), None)
    if edit is not None and edit.old is not None:
        lines.append(RecipeLine(text=_write_line("keys", edit.old), kind="old"))
    from_recipe = chosen.keys != chosen.usual
    mark = "" if from_recipe else "# "
    lines.append(
        RecipeLine(
            text=mark + _write_line("keys", list(chosen.keys)), kind="new" if edit is not None else "", key="keys"
        )
    )
    lines.append(RecipeLine(text="# " + _write_line("sensitive", list(chosen.sensitive))))
    tried = [name for name, step in chosen.steps.items() if step and name not in chosen.trees]
    if chosen.trees or tried:
        lines.append(RecipeLine(text="[trees]", kind="table"))
    lines += [RecipeLine(text=_write_line(name, f"trees/{name}.csv")) for name in chosen.trees]
    lines += [RecipeLine(text="# " + _write_line(name, f"trees/{name}.csv")) for name in tried]
    return lines


def _write_line(key: str, value: object) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _write_command(shown: OpenCase, chosen: ChosenKeys) -> str:
    hidden = f" \\\n  --sensitive {quote(','.join(chosen.sensitive))}" if chosen.sensitive else ""
    return (
        f"sekisho risk {quote(shown.case.data)} --schema schema.toml \\\n"
        f"  --keys {quote(','.join(chosen.keys))}{hidden} --suda"
    )
