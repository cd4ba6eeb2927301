"""How easily people are found in the file as it stands: who is alone on what others may know.

Ticking another key is one edit of the recipe. Trying a key more coarsely writes nothing until it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.shape import Shape
from sekisho.server.desk.changes import Sent, write_edits
from sekisho.server.desk.counter import CountAnswer
from sekisho.server.desk.edits import DeskEdit, set_keys, set_tree
from sekisho.server.desk.frame import RecipeLine, find_desk, write_desk_page
from sekisho.server.desk.pages.asking import (
    ChosenKeys,
    ask,
    ask_for,
    list_others,
    name_ladder,
    name_others,
    name_step,
    show_failure,
    stay_on_page,
    weigh,
)
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.shown import OpenCase, open_case

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
    weighed, counting = Plain(), False
    if chosen.keys and not refused:
        focus = find_desk(request).places.read_last(request, "column")
        answer = ask(request, shown, "steps", **weigh(chosen, focus))
        if isinstance(answer, CountAnswer) and answer.failure is not None:
            return show_failure(request, shown, answer.failure, step="risk")
        weighed, counting = (answer.result, False) if isinstance(answer, CountAnswer) else ({}, True)
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
        counting=counting,
        again=urlencode(request.query_params.multi_items()),
        who=_find_who(request, shown, chosen) if weighed and "who" in request.query_params else None,
        query=chosen.write_query(find_desk(request).places),
        whole=_find_whole(request, shown),
        **_describe_weighed(weighed, chosen),
    )


def _describe_weighed(weighed: Plain, chosen: ChosenKeys) -> dict[str, object]:
    """Return what the page shows of the counts; as long as there are none, nothing."""
    if not weighed:
        return {"counts": None, "sign": "", "focus": "", "ladder": [], "others": [], "worst_key": None, "tried": []}
    counts = weighed["counts"]
    return {
        "counts": counts,
        "sign": judge_share(counts["alone"], counts["records"]),
        "focus": weighed["focus"],
        "ladder": name_ladder(weighed["ladder"], weighed["kinds"].get(weighed["focus"], "")),
        "others": list_others(weighed, chosen, weighed["focus"]),
        "worst_key": _find_worst_key(counts),
        "tried": _tell_tried(weighed, chosen),
    }


def _find_who(request: Request, shown: OpenCase, chosen: ChosenKeys) -> Plain | None:
    """Return who stands out; None as long as it is counted."""
    if not chosen.keys:
        return None
    answer = ask(request, shown, "steps", about="outstanding", keys=chosen.describe())
    return answer.result if isinstance(answer, CountAnswer) and answer.failure is None else None


@router.get("/cases/{name}/risk/who", response_class=HTMLResponse)
def show_who(request: Request, name: str) -> HTMLResponse:
    """Show who stands out most, and what somebody who knows three things could do: a part of the page."""
    shown = open_case(request, name)
    chosen = ChosenKeys.of(shown, request)
    who = _find_who(request, shown, chosen)
    return write_desk_page(
        request,
        "desk/risk_who.html",
        shown,
        who=who,
        chosen=chosen,
        query=chosen.write_query(find_desk(request).places),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeCount:
    """Who is alone in the whole file, where a page is of its first rows.

    Attributes:
        counts: ``alone`` and ``records``; None as long as it is counted, or where it cannot be.
        failed: whether it cannot be.
    """

    counts: Plain | None = None
    failed: bool = False

    @property
    def waits(self) -> bool:
        """Whether it is being counted."""
        return self.counts is None and not self.failed


def _find_whole(request: Request, shown: OpenCase) -> WholeCount | None:
    """Return who is alone in the whole file, where the page is of its first rows; None where it is of all."""
    keys = [] if shown.part is None else ChosenKeys.of(shown).describe()
    if not keys:
        return None
    answer = ask(request, shown, "whole", keys=keys)
    if not isinstance(answer, CountAnswer):
        return WholeCount()
    return WholeCount(failed=True) if answer.failure is not None else WholeCount(counts=answer.result)


@router.get("/cases/{name}/risk/whole", response_class=HTMLResponse)
def show_whole(request: Request, name: str) -> HTMLResponse:
    """Show who is alone in the whole file, where the page is of its first rows: a part of the page."""
    shown = open_case(request, name)
    return write_desk_page(request, "desk/risk_whole.html", shown, whole=_find_whole(request, shown))


@router.post("/cases/{name}/risk/keys", response_class=HTMLResponse)
def choose_keys(request: Request, name: str, form: Sent) -> Response:
    """Take other keys: one edit; none at all are not taken."""
    shown = open_case(request, name)
    chosen = ChosenKeys.of(shown)
    wanted = set(form.list("known"))
    keys = [column.name for column in chosen.columns if column.name in wanted]
    if not keys:
        return _show_records(request, shown, refused=True)
    edits = set_keys(() if set(keys) == set(chosen.usual) else keys)
    return stay_on_page(write_edits(request, name, edits, form, back=f"/cases/{name}/risk"))


@router.post("/cases/{name}/risk/coarser", response_class=HTMLResponse)
def make_coarser(request: Request, name: str, form: Sent) -> Response:
    """Write the trees of the keys that were tried at a step, where they have none, and open the first of them."""
    shown = open_case(request, name)
    chosen = ChosenKeys.of(shown)
    wanted = [one for one in form.list("column") if one in chosen.keys and one not in chosen.trees]
    edits: list[DeskEdit] = []
    for column in wanted:
        offer = ask_for(request, shown, "offer", column=column, kind="", other=name_others(request), rare=0)
        if offer.failure is not None:
            return show_failure(request, shown, offer.failure, step="risk")
        edits += set_tree(column, offer.result["tree"], rule=offer.result["rule"]) if offer.result["tree"] else ()
    query = form.get("query")
    return write_edits(request, name, edits, form, back=f"/cases/{name}/trees?{query}")


def _show_history(request: Request, shown: OpenCase) -> HTMLResponse:
    chosen = ChosenKeys.of(shown)
    wanted = [name for name in find_desk(request).places.read_all(request, "known") if name in chosen.keys]
    known, found, counting = wanted or list(chosen.keys), None, False
    if known and chosen.holder:
        answer = ask(request, shown, "found_by_rows", keys=known)
        if isinstance(answer, CountAnswer) and answer.failure is not None:
            return show_failure(request, shown, answer.failure, step="risk")
        found, counting = (answer.result, False) if isinstance(answer, CountAnswer) else (None, True)
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
        counting=counting,
        again=urlencode(request.query_params.multi_items()),
        sign="" if found is None else judge_share(most, found["drawn"]),
    )


def judge_share(alone: int, records: int) -> str:
    """Return with which sign so many people alone are told; it decides nothing."""
    if not alone:
        return "good"
    return "bad" if alone > MANY * records else "warn"


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
