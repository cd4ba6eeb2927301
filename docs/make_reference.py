"""Build what is made from the program itself: the manual, the figures, and the reference pages of the site.

``make manual`` writes ``src/sekisho/cli/kit/manual.json``, which the program shows, and ``manual.ja.json``, the same
pages in the Japanese of ``docs/help.ja.json``; ``make figures`` writes
``docs/figures.md`` from ``bench/*.json``: all are kept, and a test sees that they are fresh. ``make docs`` builds the
pages of commands (from the manual) and of Python names (from the docstrings), which are kept nowhere else.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from docs.make_figures import figures_page

ROOT = Path(__file__).parents[1]
MANUAL = "src/sekisho/cli/kit/manual.json"
JAPANESE_MANUAL = "src/sekisho/cli/kit/manual.ja.json"
JAPANESE = ROOT / "docs/help.ja.json"
"""The Japanese of every paragraph of help, by its English."""
NO_LINE_BEGINS_WITH = "。、）」』：；！？…ー"
WIDTH = 100
EXAMPLE = "Example:"


def command_pages() -> dict[str, dict[str, Any]]:
    """Return the manual: each command's page, sub-commands and options by its words."""
    return {words: _make_page(command, context) for words, command, context in _walk()}


def _walk() -> Iterator[tuple[str, Any, Any]]:
    """Yield every command with its words and its context, a group before what is below it."""
    os.environ |= {"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}
    from typer.main import get_command

    from sekisho.cli import door

    yield from _walk_below(get_command(door.app), "", None)


def _walk_below(command: Any, words: str, parent: Any) -> Iterator[tuple[str, Any, Any]]:
    name = words.rpartition(" ")[2] or "sekisho"
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    yield words, command, context
    for name, child in _list_children(command, context).items():
        yield from _walk_below(child, f"{words} {name}".strip(), context)


def _list_children(command: Any, context: Any) -> dict[str, Any]:
    names = command.list_commands(context) if hasattr(command, "list_commands") else []
    return {name: command.get_command(context, name) for name in names}


def _make_page(command: Any, context: Any) -> dict[str, Any]:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        text = command.get_help(context)
    options = {
        name + ("" if part.is_flag or part.count else "="): _line(part.help or "")
        for part in command.params
        if part.param_type_name == "option"
        for name in (*part.opts, *part.secondary_opts)
    } | {"--help": "Show this page.", "-h": "Show this page."}
    return {
        "text": "\n".join(line.rstrip() for line in (shown.getvalue() or text).splitlines()).strip("\n") + "\n",
        "commands": {name: _line(child.help or "") for name, child in _list_children(command, context).items()},
        "options": options,
    }


def _line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return first.partition(": `")[0].replace("`", "")


def manual_text() -> str:
    """Return the manual as it is shipped."""
    return json.dumps(command_pages(), ensure_ascii=False, indent=0, sort_keys=False) + "\n"


def japanese_manual_text() -> str:
    """Return the pages of the manual in Japanese, as they are shipped; a paragraph without Japanese stays English."""
    known: dict[str, str] = json.loads(JAPANESE.read_text(encoding="utf-8"))
    texts = {words: _make_japanese_page(words, command, context, known) for words, command, context in _walk()}
    return json.dumps(texts, ensure_ascii=False, indent=0) + "\n"


def list_help() -> list[str]:
    """Return every paragraph of help, in English."""
    texts = [
        text
        for _, command, _ in _walk()
        for text in (command.help or "", *(part.help or "" for part in command.params))
    ]
    return list(dict.fromkeys(paragraph for text in texts for paragraph in _split_help(text) if paragraph != EXAMPLE))


def _split_help(text: str) -> list[str]:
    """Return the paragraphs of a text of help; of one that is an example alone the word and the command."""
    paragraphs = [" ".join(each.split()) for each in text.partition("\f")[0].strip().split("\n\n")]
    return [each for each in paragraphs if each and not _is_example(each)]


def _is_example(paragraph: str) -> bool:
    return paragraph.startswith(f"{EXAMPLE} `") and paragraph.count("`") == 2


def _make_japanese_page(words: str, command: Any, context: Any, known: dict[str, str]) -> str:
    usage = " ".join(("使い方: sekisho", words, *command.collect_usage_pieces(context))).replace("  ", " ")
    lines = [f" {usage}", ""]
    for paragraph in (" ".join(each.split()) for each in (command.help or "").partition("\f")[0].split("\n\n")):
        shown = paragraph.replace(EXAMPLE, "例:", 1) if _is_example(paragraph) else known.get(paragraph, paragraph)
        lines += [*_fill(shown.replace("`", "").replace("**", ""), 1), ""]
    arguments = [part for part in command.params if part.param_type_name == "argument"]
    options = [part for part in command.params if part.param_type_name == "option"]
    for title, parts in (("引数", arguments), ("オプション", options)):
        if parts:
            lines += [f" {title}", *(line for part in parts for line in _tell_part(part, context, known)), ""]
    children = _list_children(command, context)
    if children:
        width = max(map(len, children)) + 4
        lines.append(" コマンド")
        for name, child in children.items():
            first = next(iter(_split_help(child.help or "")), "")
            told = _fill(known.get(first, first).replace("`", ""), width)
            lines += [f"  {name}".ljust(width) + told[0].strip(), *told[1:]]
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def _tell_part(part: Any, context: Any, known: dict[str, str]) -> list[str]:
    """Return an option or an argument: its names, what it takes, and below it what it is for."""
    option = part.param_type_name == "option"
    names = ", ".join((*part.opts, *part.secondary_opts)) if option else part.display_name_raw
    takes = f" {part.display_type(context)}" if option and not part.is_flag else ""
    required = " [必須]" if part.required else ""
    plain = isinstance(part.default, str | int | float) and not isinstance(part.default, bool) and part.default != ""
    default = f" [既定: {part.default}]" if plain and part.show_default else ""
    helps = [known.get(paragraph, paragraph) for paragraph in _split_help(part.help or "")]
    return [f"  {names}{takes}{required}{default}", *(line for each in helps for line in _fill(each, 6))]


def _fill(text: str, indent: int) -> list[str]:
    """Return a text in lines of at most so many columns; Japanese may break anywhere but before a closing mark."""
    lines, line, width = list[str](), "", indent
    for piece in re.findall(r"[!-~]+|\s|[^!-~\s]", text):
        cells = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in piece)
        if width + cells > WIDTH - 2 and piece not in NO_LINE_BEGINS_WITH and line.strip():
            lines.append(" " * indent + line.strip())
            line, width = "", indent
        line, width = line + piece, width + cells
    return [*lines, " " * indent + line.strip()]


def commands_page() -> str:
    """Return the reference page of all commands."""
    parts = ["# Commands", "", "Every command's own help, from the manual that `sekisho COMMAND --help` shows.", ""]
    for words, page in json.loads((ROOT / MANUAL).read_text(encoding="utf-8")).items():
        if not page["commands"]:
            parts += [f"## sekisho {words}", "", "```text", page["text"].strip("\n"), "```", ""]
    return "\n".join(parts)


TASKS = {
    "Ask": ("journey.frames", "journey.frame_answers", "journey.advice"),
    "Read": ("data", "utility.schema_terms", "seeds", "provenance"),
    "Protect": ("protect", "data.review"),
    "Attack": ("attack",),
    "Judge": ("safety", "attack.history.referee"),
    "Measure": ("utility",),
    "Tables": ("tables", "gate.tables"),
    "Contest": ("contest",),
    "Gate": ("gate", "journey"),
}
"""The tasks in the order of the work, each with the rooms and modules whose public names serve it."""
PYTHON_GUIDE = ROOT / "docs/guide/python.md"


def python_page() -> str:
    """Return the reference page of the public Python names: by task, each with its methods, and an example a task."""
    examples = read_examples(PYTHON_GUIDE.read_text(encoding="utf-8"))
    parts = [
        "# Python names",
        "",
        "Everything that `import sekisho` offers, by task. Made from the docstrings by `make docs`.",
        "",
    ]
    for task, names in list_tasks().items():
        parts += [f"## {task}", "", "```python", examples[task].strip(), "```", ""]
        parts += ["| name | what |", "|---|---|"]
        parts += [f"| [`{name}`](#{name.lower()}) | {_first_line(_find_public(name))} |" for name in names]
        parts.append("")
        for name in names:
            parts += _describe_name(name)
    return "\n".join(parts).rstrip() + "\n"


def read_examples(page: str) -> dict[str, str]:
    """Return the block of each section of the guide, which the tests execute."""
    return dict(re.findall(r"^## (\w+)\n.*?^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def list_tasks() -> dict[str, list[str]]:
    """Return the public names by task; the nearest room or module of a name decides."""
    import sekisho

    tasks: dict[str, list[str]] = {task: [] for task in TASKS}
    homes = {home: task for task, places in TASKS.items() for home in places}
    for name in sekisho.__all__:
        own = str(_find_public(name).__module__).removeprefix("sekisho.")
        fitting = [home for home in homes if own == home or own.startswith(f"{home}.")]
        tasks[homes[max(fitting, key=len)]].append(name)
    return tasks


def _find_public(name: str) -> Any:
    """Return a public thing; a room that is asked for by its name is the function that answers."""
    import sekisho

    return sekisho.__getattr__(name)


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", "\\|")


def _describe_name(name: str) -> list[str]:
    thing, parts = _find_public(name), [f"### {name}", ""]
    if callable(thing):
        with contextlib.suppress(ValueError, TypeError):
            parts += ["```python", f"{name}{inspect.signature(thing)}", "```", ""]
    parts += [inspect.getdoc(thing) or "", ""]
    methods = _list_methods(thing) if inspect.isclass(thing) else {}
    return [*parts, *(f"- `{call}`: {line}" for call, line in methods.items()), *([""] if methods else [])]


def _list_methods(kind: type) -> dict[str, str]:
    """Return the public methods and properties that a class has of its own or from ours, each with its first line."""
    ours = [cls for cls in kind.__mro__ if cls.__module__.startswith("sekisho.")]
    names = dict.fromkeys(name for cls in ours for name in vars(cls) if not name.startswith("_"))
    methods: dict[str, str] = {}
    for name in sorted(names):
        raw = inspect.getattr_static(kind, name)
        if isinstance(raw, property) or type(raw).__name__ == "cached_property":
            methods[f".{name}"] = _first_line(raw)
        elif inspect.isroutine(raw):
            methods[f".{name}{_sign(getattr(kind, name))}"] = _first_line(getattr(kind, name))
    return methods


def _sign(method: Any) -> str:
    """Return the parameters of a method, without itself and without their types."""
    call = inspect.signature(method)
    parts = [part.replace(annotation=inspect.Parameter.empty) for part in call.parameters.values()]
    shown = [part for part in parts if part.name != "self"]
    return str(call.replace(parameters=shown, return_annotation=inspect.Signature.empty))


BUILT = {MANUAL: manual_text, JAPANESE_MANUAL: japanese_manual_text, "docs/figures.md": figures_page}
"""What is kept, and must be fresh."""
PAGES = {"docs/reference/commands.md": commands_page, "docs/reference/python.md": python_page}
"""What only the site has."""


def main() -> None:
    """Write the built files that are asked for by their names, or all that are kept."""
    chosen = {place: build for place, build in (BUILT | PAGES).items() if place in sys.argv[1:]}
    for place, build in (chosen or BUILT).items():
        (ROOT / place).write_text(build(), encoding="utf-8")
        sys.stdout.write(f"{place}\n")


if __name__ == "__main__":
    main()
