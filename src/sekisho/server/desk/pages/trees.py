"""How values may be written more coarsely: one column at a time, its tree step by step, and an editor for its kind.

A tree that nobody wrote yet is offered; what is shown of it is counted from the text that would be written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shlex import quote
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, Response

from sekisho.data.files.settings import build_settings, parse_toml
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_edits import add_group, add_values, move_codes, remove_groups, rename_group
from sekisho.data.trees.tree_files import parse_edges, write_tree
from sekisho.data.trees.tree_rule import DateUnit, RuleFile, TreeKind
from sekisho.errors import SekishoError
from sekisho.server.desk.changes import Sent, SentForm, write_edits
from sekisho.server.desk.counter import CountAnswer
from sekisho.server.desk.counting.key_steps import read_tree_text
from sekisho.server.desk.edits import name_tree_file, set_tree
from sekisho.server.desk.frame import RecipeLine, find_desk, go_on, write_desk_page
from sekisho.server.desk.pages.asking import (
    FAULT,
    ChosenKeys,
    ask,
    ask_for,
    list_others,
    name_ladder,
    name_others,
    show_failure,
    stay_on_page,
    tell_failure,
)
from sekisho.server.desk.pages.tree_groups import show_groups
from sekisho.server.desk.plain_data import Plain, describe_error
from sekisho.server.desk.shown import OpenCase, open_case
from sekisho.server.web.language import choose_language
from sekisho.words import Said

router = APIRouter()
LARGEST_FILE = 8 << 20
"""So many bytes a tree that is brought may have."""
SHOWN_LINES = 2
UNITS: Mapping[DateUnit, Said] = {
    DateUnit.MONTH: Said("period|month"),
    DateUnit.QUARTER: Said("period|quarter"),
    DateUnit.YEAR: Said("period|year"),
    DateUnit.FIVE_YEARS: Said("{years} years", years=5),
    DateUnit.TEN_YEARS: Said("{years} years", years=10),
}
EMPTY_RULES: Mapping[str, Plain] = {
    "number": {"width": "", "low": "", "high": "", "edges": [], "quantiles": "", "joins": []},
    "date": {"units": [], "first_year": ""},
    "code": {"lengths": []},
}
"""What stands in the fields of a rule that is not said."""


@router.get("/cases/{name}/trees", response_class=HTMLResponse)
def show_trees(request: Request, name: str) -> HTMLResponse:
    """Show the tree of one column, and what edits it."""
    shown = open_case(request, name)
    return _show(request, shown, find_desk(request).places.read_last(request, "column"))


def _show(request: Request, shown: OpenCase, wanted: str, *, wrong: Plain | None = None) -> HTMLResponse:
    chosen = ChosenKeys.of(shown, request)
    names = tuple(dict.fromkeys((*chosen.keys, *chosen.trees)))
    if shown.shape is Shape.HISTORY or not names:
        return write_desk_page(request, "desk/trees_none.html", shown, step="trees", command=shown.command)
    name = wanted if wanted in names else names[0]
    text, others = chosen.trees.get(name, ""), chosen.describe(without=name)
    answer = ask(request, shown, "steps", about="tree", column=name, tree=text, keys=others, other=name_others(request))
    if isinstance(answer, CountAnswer) and answer.failure is not None:
        return show_failure(request, shown, answer.failure, step="trees")
    told = answer.result if isinstance(answer, CountAnswer) else {}
    return write_desk_page(
        request,
        "desk/trees.html",
        shown,
        step="trees",
        lines=_list_lines(shown, chosen, name),
        command=_write_command(shown, name),
        status=200 if wrong is None else 422,
        names=names,
        column=name,
        chosen=chosen,
        written=bool(text),
        wrong=_tell_wrong(request, wrong),
        again=urlencode({**dict(request.query_params.multi_items()), "column": find_desk(request).places.hide(name)}),
        query=chosen.write_query(find_desk(request).places),
        units=UNITS,
        told=told or None,
        **_describe(request, shown, chosen, name, told),
    )


def _describe(request: Request, shown: OpenCase, chosen: ChosenKeys, name: str, told: Plain) -> dict[str, object]:
    """Return what the page shows of a column's tree, written or offered; nothing as long as it is counted."""
    if not told:
        return {"kind": "", "ladder": [], "now": 0, "others": [], "groups": None, "strangers": []}
    text = chosen.trees.get(name, "") or told["offer"]["tree"]
    rule = read_rule_of(shown, name) if told["offer"] is None else told["offer"]["settings"]
    kind = told["column"]["kind"]
    by_hand = not rule or "category" in rule or "hand" in request.query_params
    ladder: Plain = told["ladder"] or {"steps": [], "strangers": [], "missing_in_tree": 0}
    return {
        "kind": kind,
        "rule": {one: {**empty, **rule[one]} if one in rule else None for one, empty in EMPTY_RULES.items()},
        "empty": EMPTY_RULES,
        "by_rule": bool(rule) and "category" not in rule,
        "ladder": name_ladder(ladder["steps"], kind),
        "now": min(chosen.steps.get(name, 0), max(0, len(ladder["steps"]) - 1)),
        "others": list_others(told, chosen, name),
        "groups": _open_groups(request, text, told) if by_hand and text else None,
        "strangers": ladder["strangers"],
    }


def _open_groups(request: Request, text: str, told: Plain) -> Plain:
    places = find_desk(request).places
    group, wanted = places.read_last(request, "group"), places.read_last(request, "find")
    return show_groups(read_tree_text(text), told["column"]["people"], group, wanted)


@router.post("/cases/{name}/trees/find", response_class=HTMLResponse)
def look_for_values(request: Request, name: str, form: Sent) -> Response:
    """Show only the values with a text in them: what is looked for is of the data, and stands in no address."""
    pairs = [(key, form.get(key)) for key in ("column", "hand", "group", "find")]
    seen = [] if form.seen is None else [("v", str(form.seen))]
    return go_on(request, f"/cases/{name}/trees?" + find_desk(request).places.write_query([*seen, *pairs]))


def read_rule_of(shown: OpenCase, name: str) -> Plain:
    """Return the rule that made the tree of a column; empty of one made by hand, or changed since."""
    file = name_tree_file(name)
    beside = shown.files.get(file.removesuffix(".csv") + ".rule.toml")
    if beside is None or file not in shown.files:
        return {}
    known = build_settings(parse_toml(beside.decode(), file), RuleFile, source=file)
    return known.rule.as_dict() if known.digest == sha256(shown.files[file]).hexdigest() else {}


def _tell_wrong(request: Request, failure: Plain | None) -> Plain | None:
    if failure is None:
        return None
    language = choose_language(request)
    faults = tell_failure(failure, language)
    if len(faults) == 1 and not faults[0].get("row"):
        return {"words": faults[0]["message"], "faults": []}  # what no line of a file is to be named for
    words = failure.get("reason", {}).get(str(language)) or FAULT
    return {"words": "" if faults else words, "faults": faults}


def _list_lines(shown: OpenCase, chosen: ChosenKeys, name: str) -> list[RecipeLine]:
    fresh = {edit.place[1] for edit in shown.shown.edits if edit.file == "recipe" and edit.place[:1] == ("trees",)}
    lines = [RecipeLine(text="[trees]", kind="table")]
    for one in chosen.trees:
        kind, key = "new" if one in fresh else "", "tree" if one == name else ""
        lines.append(RecipeLine(text=f'{one} = "{name_tree_file(one)}"', kind=kind, key=key))
    if name not in chosen.trees:
        lines.append(RecipeLine(text=f'# {name} = "{name_tree_file(name)}"', key="tree"))
        return lines
    rows = chosen.trees[name].splitlines()
    lines.append(RecipeLine(text=f"# {name_tree_file(name)}, {len(rows):,}", kind="table"))
    return [*lines, *(RecipeLine(text=row) for row in rows[:SHOWN_LINES])]


def _write_command(shown: OpenCase, name: str) -> str:
    data, column, file = quote(shown.case.data), quote(name), quote(name_tree_file(name))
    return (
        f"sekisho tree propose {data} --schema schema.toml \\\n  --column {column} --out {file}\n"
        f"sekisho tree check {file} --data {data} \\\n  --schema schema.toml --column {column}"
    )


@router.get("/cases/{name}/trees/file")
def take_tree(request: Request, name: str) -> Response:
    """Give the file of a column's tree, as ``--tree`` reads it."""
    shown = open_case(request, name)
    column = find_desk(request).places.read_last(request, "column")
    text = ChosenKeys.of(shown).trees.get(column)
    if text is None:
        raise HTTPException(404)
    headers = {"Content-Disposition": 'attachment; filename="tree.csv"'}
    return Response(text.encode(), media_type="text/csv; charset=utf-8", headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTree:
    """What a form makes of a column's tree: the text of its file, and of its rule's; no text takes the tree away."""

    text: str | None
    rule: str | None = None

    @classmethod
    def by_hand(cls, tree: Tree) -> NewTree:
        """Return a tree that no rule gives."""
        return cls(text=write_tree(tree).decode())


MakeTree = Callable[[OpenCase, str, str], NewTree | Plain]
"""Makes a tree by the case, the column and the text of its tree as it is; or says what is wrong."""


def _write(request: Request, name: str, form: SentForm, make: MakeTree) -> Response:
    """Write what a form makes of a column's tree, or show all that is wrong with it beside the form."""
    shown, column = open_case(request, name), form.get("column")
    chosen = ChosenKeys.of(shown)
    if column not in (*chosen.keys, *chosen.trees):
        raise HTTPException(404)
    try:
        tree = make(shown, column, chosen.trees.get(column, ""))
    except SekishoError as error:
        tree = describe_error(error)
    if not isinstance(tree, NewTree):
        return _show(request, shown, column, wrong=tree)
    kept = [(key, form.get(key)) for key in ("group", "hand") if form.get(key)]
    then = f"/cases/{name}/trees?" + find_desk(request).places.write_query([("column", column), *kept])
    query = form.get("query")
    edits = set_tree(column, tree.text, rule=tree.rule)
    back = f"{then}&{query}" if query else then
    return stay_on_page(write_edits(request, name, edits, form, back=back))


def _ask_tree(request: Request, shown: OpenCase, about: str, **given: object) -> NewTree | Plain:
    answer = ask_for(request, shown, about, **given)
    if answer.failure is not None:
        return answer.failure
    return NewTree(text=answer.result["tree"] or None, rule=answer.result["rule"] or None)


@router.post("/cases/{name}/trees/take", response_class=HTMLResponse)
def take_offer(request: Request, name: str, form: Sent) -> Response:
    """Write the tree that is offered; of another kind, or with rare values joined, if that is said."""
    kind, rare = form.get("kind"), form.get("rare")
    if kind not in ("", *TreeKind) or not (not rare or (rare.isascii() and rare.isdecimal() and len(rare) < 10)):
        raise HTTPException(422)
    given = {"kind": kind, "rare": int(rare or 0), "other": name_others(request)}
    return _write(
        request, name, form, lambda shown, column, _: _ask_tree(request, shown, "offer", column=column, **given)
    )


@router.post("/cases/{name}/trees/rule", response_class=HTMLResponse)
def take_rule(request: Request, name: str, form: Sent) -> Response:
    """Make the tree anew by a rule: intervals, periods or prefixes."""
    rule = read_rule_fields(form)
    return _write(
        request, name, form, lambda shown, column, _: _ask_tree(request, shown, "make", column=column, rule=rule)
    )


def read_rule_fields(form: SentForm) -> Plain:
    """Return a rule as the fields of its form say it; what it must be is said by the rule itself."""
    kind = form.get("kind")
    if kind == TreeKind.DATE:
        units = [unit for unit in UNITS if unit in form.list("unit")]
        return {"date": {"units": units, **_take_numbers(form, "first_year")}}
    if kind == TreeKind.CODE:
        lengths = sorted({int(one) for one in form.list("length") if one.isdecimal()}, reverse=True)
        return {"code": {"lengths": lengths}}
    way = form.get("way")
    wanted = {"width": ("width", "low", "high"), "edges": ("edges",), "quantiles": ("quantiles",)}.get(way, ())
    told: Plain = {one: form.get(one).strip() for one in wanted if form.get(one).strip()}
    if "edges" in told:
        told["edges"] = _split(told["edges"])
    joins = [int(one) if one.isdecimal() else one for one in _split(form.get("joins"))]
    return {"number": {**told, **_take_numbers(form, *(["quantiles"] if way == "quantiles" else [])), "joins": joins}}


def _take_numbers(form: SentForm, *names: str) -> Plain:
    """Return whole numbers where they are; other texts stay, and are refused where they are read."""
    texts = {name: form.get(name).strip() for name in names}
    return {name: int(text) if text.isascii() and text.isdecimal() else text for name, text in texts.items() if text}


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"[\s,;、，]+", text.strip()) if part]


@router.post("/cases/{name}/trees/move", response_class=HTMLResponse)
def move_values(request: Request, name: str, form: Sent) -> Response:
    """Put values, or groups, into a group: one that is there, or a new one."""
    codes, target, title = form.list("code"), form.get("to"), form.get("title").strip()

    def move(shown: OpenCase, column: str, text: str) -> NewTree | Plain:
        tree = _find_tree(request, shown, column, text)
        if not isinstance(tree, Tree):
            return tree
        return NewTree.by_hand(move_codes(tree, codes, target) if target else add_group(tree, title, codes))

    return _write(request, name, form, move)


@router.post("/cases/{name}/trees/add", response_class=HTMLResponse)
def add_strangers(request: Request, name: str, form: Sent) -> Response:
    """Put values of the data that the tree lacks into a group."""
    values, target = form.list("value"), form.get("to")

    def add(shown: OpenCase, column: str, text: str) -> NewTree | Plain:
        tree = _find_tree(request, shown, column, text)
        return tree if not isinstance(tree, Tree) else NewTree.by_hand(add_values(tree, values, target or tree.root))

    return _write(request, name, form, add)


@router.post("/cases/{name}/trees/group", response_class=HTMLResponse)
def change_group(request: Request, name: str, form: Sent) -> Response:
    """Call a group something else, or dissolve it: what it held stands below what it stood below."""
    group, title = form.get("named"), form.get("title").strip()

    def change(shown: OpenCase, column: str, text: str) -> NewTree | Plain:
        tree = _find_tree(request, shown, column, text)
        if not isinstance(tree, Tree):
            return tree
        dissolved = form.get("act") == "dissolve"
        return NewTree.by_hand(remove_groups(tree, [group]) if dissolved else rename_group(tree, group, title))

    return _write(request, name, form, change)


def _find_tree(request: Request, shown: OpenCase, column: str, text: str) -> Tree | Plain:
    """Return a column's tree as it is written, or the one that is offered, which the change takes."""
    if text:
        return read_tree_text(text)
    offer = _ask_tree(request, shown, "offer", column=column, kind="", other=name_others(request), rare=0)
    return read_tree_text(offer.text or "") if isinstance(offer, NewTree) else offer


@router.post("/cases/{name}/trees/remove", response_class=HTMLResponse)
def remove_tree(request: Request, name: str, form: Sent) -> Response:
    """Take a column's tree away."""

    def remove(*whatever: object) -> NewTree:
        del whatever
        return NewTree(text=None)

    return _write(request, name, form, remove)


@router.post("/cases/{name}/trees/import", response_class=HTMLResponse)
async def import_tree(request: Request, name: str, form: Sent) -> Response:
    """Take a tree of one's own: a file of any form that ``--tree`` reads."""
    async with request.form() as sent:
        file = sent.get("file")
        content = await file.read(LARGEST_FILE + 1) if isinstance(file, UploadFile) else b""
    if len(content) > LARGEST_FILE:
        raise HTTPException(413)
    called = Path(file.filename or "").name if isinstance(file, UploadFile) else ""

    def read(*whatever: object) -> NewTree:
        del whatever  # the file takes the place of what is there
        return NewTree.by_hand(parse_edges(content, Path(called or "tree.csv")).build())

    return await run_in_threadpool(_write, request, name, form, read)
