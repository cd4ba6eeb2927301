"""``sekisho desk``: from a file to a verdict in a browser, on this machine alone."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, print_json, print_words, say
from sekisho.cli.kit.language import chosen_language, tell_words
from sekisho.errors import MissingFileError
from sekisho.extras import require_extra
from sekisho.words import Said

GIGABYTE = 1 << 30


def desk(
    source: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The data, which are read where they stand.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", help="Where cases are kept; the user's folder for the state of programs if not given."
        ),
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option("--memory", min=0.1, help="Gigabytes that a job may take; 60% of what is free if not given."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser; say which page leads in.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take a file from the question whether it may leave to a signed release, in a browser on this machine.

    Nothing leaves the machine. What is done is kept in the folder: closing the browser or this program loses nothing.
    While a desk is open, a second `sekisho desk FILE` hands its file to it.

    Example: `sekisho desk people.csv`
    """
    require_extra("server", Said("the desk"), "not installed")
    from sekisho.server.desk.cases import DeskFolder, find_state_folder
    from sekisho.server.desk.doorbell import ring
    from sekisho.server.desk.serving import run_desk

    if source is not None and not source.exists():
        raise MissingFileError(source)
    place = DeskFolder((folder or find_state_folder()).absolute())

    def show(page: Path, *, first: bool = True) -> None:
        _tell(page, place.root, first=first, opens=not no_browser, as_json=as_json)

    page = ring(place, source, chosen_language())
    if page is not None:
        show(page, first=False)
        raise typer.Exit(0)
    most = None if memory is None else int(memory * GIGABYTE)
    run_desk(place, file=source, language=chosen_language(), memory=most, opened=show)
    say(Said("the desk is closed; everything is kept in {folder}", folder=place.root))
    raise typer.Exit(0)


def _tell(page: Path, folder: Path, *, first: bool, opens: bool, as_json: bool) -> None:
    """Tell which page leads in, and open it."""
    if as_json:
        print_json({"page": str(page), "folder": str(folder), "first": first})
    else:
        lines = [Said("open in a browser within two minutes: {page}", page=page)]
        if opens:
            lines = [Said("the desk opens in your browser; if it does not, open {page}", page=page)]
        if first:
            lines += [Said("it ends with Ctrl+C or with its own button; nothing is lost")]
        else:
            lines += [Said("a desk was open already: it has the file now")]
        print_words("\n".join(map(tell_words, lines)))
    if opens:
        Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=not first).start()
