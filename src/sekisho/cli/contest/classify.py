"""``sekisho contest classify``: of which kind of table 5 releases of a history are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.files import Original, Rules
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.worlds.originals import open_and_say
from sekisho.contest.history.classify import MANY, ReleaseKind, classify_release
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import read_release
from sekisho.words import Said, join_words


def classify(
    rules: Rules,
    releases: Annotated[list[Path], typer.Argument(metavar="RELEASE…", help="The releases handed in.")],
    original: Original,
    many: Annotated[
        int, typer.Option("--many", min=1, help="From how many unique customers on there are too many.")
    ] = MANY,
    as_json: AsJson = False,
) -> None:
    """Tell what kind of release each is: k-anonymous, some raw and the rest k-anonymous, too many unique customers.

    The kinds are those of table 5 of the PWS Cup 2018 report.

    Example: `sekisho contest classify pwscup2018 A.csv --original T.csv`
    """
    data, book = open_and_say(original, read_history_rules(rules))
    with show_progress(Said("classifying")):
        kinds = {str(path): classify_release(data, read_release(path, book, data), many=many) for path in releases}
    keys = {"releases": [{"release": path, **kind.as_dict()} for path, kind in kinds.items()]}
    Answer(keys=keys, words=join_words((_describe(path, kind) for path, kind in kinds.items()), "\n")).deliver(
        as_json=as_json
    )


def _describe(path: str, kind: ReleaseKind) -> str:
    classes = ", ".join(Said("{count} of {size}", count=count, size=size) for size, count in kind.classes.items())
    return Said(
        "{path}: {en}; {unique} unique and {raw} raw of {people}; classes: {classes}",
        path=path,
        en=kind.name.en,
        unique=kind.unique,
        raw=kind.raw,
        people=kind.people,
        classes=classes,
    )
