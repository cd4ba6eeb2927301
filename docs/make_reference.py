"""Build what is made from the program itself: the manual, the figures, and the reference pages of the site.

``make manual`` writes ``src/sekisho/cli/kit/manual.json``, which the program shows, ``make figures`` writes
``docs/figures.md`` from ``bench/*.json``: both are kept, and a test sees that they are fresh. ``make docs`` builds the
pages of commands (from the manual) and of Python names (from the docstrings), which are kept nowhere else.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.make_figures import figures_page

ROOT = Path(__file__).parents[1]
MANUAL = "src/sekisho/cli/kit/manual.json"
WIDTH = 100


def command_pages() -> dict[str, dict[str, Any]]:
    """Return the manual: each command's page, sub-commands and options by its words."""
    os.environ |= {"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}
    from typer.main import get_command

    from sekisho.cli import door

    return dict(_walk(get_command(door.app), "", None))


def _walk(command: Any, words: str, parent: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    name = words.rpartition(" ")[2] or "sekisho"
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    names = command.list_commands(context) if hasattr(command, "list_commands") else []
    children = {name: command.get_command(context, name) for name in names}
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        text = command.get_help(context)
    options = {
        name + ("" if part.is_flag or part.count else "="): _line(part.help or "")
        for part in command.params
        if part.param_type_name == "option"
        for name in (*part.opts, *part.secondary_opts)
    } | {"--help": "Show this page.", "-h": "Show this page."}
    yield (
        words,
        {
            "text": "\n".join(line.rstrip() for line in (shown.getvalue() or text).splitlines()).strip("\n") + "\n",
            "commands": {name: _line(child.help or "") for name, child in children.items()},
            "options": options,
        },
    )
    for name, child in children.items():
        yield from _walk(child, f"{words} {name}".strip(), context)


def _line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return first.partition(": `")[0].replace("`", "")


def manual_text() -> str:
    """Return the manual as it is shipped."""
    return json.dumps(command_pages(), ensure_ascii=False, indent=0, sort_keys=False) + "\n"


def commands_page() -> str:
    """Return the reference page of all commands."""
    parts = ["# Commands", "", "Every command's own help, from the manual that `sekisho COMMAND --help` shows.", ""]
    for words, page in json.loads((ROOT / MANUAL).read_text(encoding="utf-8")).items():
        if not page["commands"]:
            parts += [f"## sekisho {words}", "", "```text", page["text"].strip("\n"), "```", ""]
    return "\n".join(parts)


def python_page() -> str:
    """Return the reference page of the public Python names."""
    import sekisho

    parts = [
        "# Python names",
        "",
        "Everything that `import sekisho` offers. Made from the docstrings by `make docs`.",
        "",
    ]
    for name in sekisho.__all__:
        thing = getattr(sekisho, name)
        parts += [f"## {name}", ""]
        if callable(thing):
            with contextlib.suppress(ValueError, TypeError):
                parts += ["```python", f"{name}{inspect.signature(thing)}", "```", ""]
        parts += [inspect.getdoc(thing) or "", ""]
    return "\n".join(parts).rstrip() + "\n"


BUILT = {MANUAL: manual_text, "docs/figures.md": figures_page}
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
