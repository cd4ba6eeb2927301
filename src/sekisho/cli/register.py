"""``sekisho register``: what has already left, chained, so that the next release is attacked together with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, give_answer
from sekisho.cli.kit.choices import TYPER
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.data.files.whole_files import is_same_file
from sekisho.errors import ParameterError
from sekisho.gate.certificate.canonical import list_entries
from sekisho.gate.register.book import Register
from sekisho.gate.register.entries import RegisterEntry
from sekisho.gate.register.erasing import erase_people
from sekisho.gate.register.key import RegisterKey
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.registering import add_release
from sekisho.journey.run_start import tell_time
from sekisho.report.kit.blocks import TableBlock
from sekisho.report.kit.text import Plain
from sekisho.report.pages.register import render_register_page
from sekisho.words import Said, join_words

app = typer.Typer(
    help="What has already left: a register that the next release is attacked together with.",
    no_args_is_help=True,
    **TYPER,
)
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the register.")]


@app.command("start")
def start(
    folder: Folder,
    *,
    key: Annotated[Path, typer.Option("--key", help="Where the new key is written, outside DIR; keep it apart.")],
    as_json: AsJson = False,
) -> None:
    """Start a register in a folder of its own, and draw the key under which people are known again.

    The key is a file that only its owner reads. Without it nobody is known again in a later release; with it and the
    register, anybody finds out who was in which. So it must lie elsewhere, and be kept as long as the register.

    Example: `sekisho register start releases --key releases.key`
    """
    register = Register.start_with_key(folder, key, made=tell_time())
    words = Said(
        "a register was started in {folder}; its key is {key}: keep it apart, and do not lose it",
        folder=folder,
        key=key,
    )
    Answer(keys={"register": register.head.number, "folder": str(folder), "key": str(key)}, words=words).deliver(
        as_json=as_json
    )


@app.command("list")
def list_releases(folder: Folder, *, report: Report = None, as_json: AsJson = False) -> None:
    """List what has left: when, what, how many people, and the least class alone and together with what left before.

    The page draws the least class over time.

    Example: `sekisho register list releases`
    """
    register = _settle(folder)
    keys = {
        "register": register.head.number,
        "entries": [list_entries(entry) for entry in register.entries],
        "least_over_time": [_list_least(entry) for entry in register.entries],
    }
    pages = {} if report is None else {report: render_register_page(register.entries, language=chosen_language())}
    files = {path: page.encode() for path, page in pages.items()}
    Answer(keys=keys, words=_show_entries(register), files=files).deliver(as_json=as_json)


@app.command("show")
def show(
    folder: Folder,
    *,
    number: Annotated[int | None, typer.Option("--number", min=1, help="Of the release; the last one if none.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show one entry of a register; nothing in it names anybody.

    Example: `sekisho register show releases --number 3`
    """
    register = _settle(folder)
    asked = len(register.entries) if number is None else number
    if not 1 <= asked <= len(register.entries):
        rule = Said("be the number of an entry, 1 to {most}", most=len(register.entries))
        raise ParameterError("--number", rule, number)
    entry = register.entries[asked - 1]
    keys = {"entry": list_entries(entry), "digest": entry.digest, "least_over_time": _list_least(entry)}
    Answer(keys=keys, words=join_words(_tell_entry(entry), "\n")).deliver(as_json=as_json)


@app.command("add")
def add(
    folder: Folder,
    *,
    published: Annotated[Path, typer.Option("--published", help="The file that left.")],
    recipe: Annotated[
        Path, typer.Option("--recipe", help="A recipe with the original that it was made of, its keys and [register].")
    ],
    note: Annotated[str, typer.Option("--note", help="What else is to be said of it, such as why it left.")] = "",
    as_json: AsJson = False,
) -> None:
    """Enter a release that left without the gate, was withdrawn, or left before there was a register.

    What was seen stays seen: the next release is attacked together with it. Whoever its cells admit counts as being in
    it.

    Example: `sekisho register add releases --published R.csv --recipe march.toml`
    """
    entry = ReadRecipe.read(recipe).open()
    if entry.register is None:
        raise ParameterError("--recipe", Said("name its register in [register]"), str(recipe))
    if not is_same_file(entry.register.register.folder, folder):
        raise ParameterError("DIR", Said("be the register that the recipe names"), str(folder))
    added = add_release(entry.register, published, made=tell_time(), note=note)
    words = Said("entered as release {number}", number=added.number)
    Answer(keys={"entry": list_entries(added), "digest": added.digest}, words=words).deliver(as_json=as_json)


@app.command("erase")
def erase(
    folder: Folder,
    *,
    key: Annotated[Path, typer.Option("--key", help="The register's key.")],
    ids: Annotated[list[str], typer.Option("--id", help="Who is erased, as the data name him; repeated.")],
    fold_case: Annotated[
        bool, typer.Option("--fold-case", help="Large and small letters of identifiers are the same, as in the recipe.")
    ] = False,
    note: Annotated[str, typer.Option("--note", help="What else is to be said of it; it must name nobody.")] = "",
    as_json: AsJson = False,
) -> None:
    """Erase people from what is kept of all releases: an entry of its own says so, and the chain still verifies.

    What has left stays: published files, and so the sizes of classes, are not changed. Who comes again counts as new.

    Exit status 1 if nobody of them was in any release.

    Example: `sekisho register erase releases --key releases.key --id 4711`
    """
    register = Register.open(folder)
    entry = erase_people(
        register, RegisterKey.read(key, register=folder), ids, made=tell_time(), fold=fold_case, note=note
    )
    if entry is None:
        nobody = Said("nobody of them is known in any release; nothing was changed")
        give_answer({"erased": 0, "releases": [], "entry": None}, nobody, as_json=as_json, good=False)
        return
    releases = [int(number) for number in entry.erased or {}]
    words = Said(
        "entry {number}: {people:,} {people:person is|people are} erased from what is kept of release {releases}",
        number=entry.number,
        people=entry.people.count,
        releases=", ".join(map(str, releases)),
    )
    keys = {"erased": entry.people.count, "releases": releases, "entry": list_entries(entry), "digest": entry.digest}
    Answer(keys=keys, words=words).deliver(as_json=as_json)


@app.command("verify")
def verify(folder: Folder, *, as_json: AsJson = False) -> None:
    """Check that every entry follows from the one before, and that what left is still what was entered.

    A stranger checks the chain with register.json and entries/ alone.

    Exit status 0 if it does, 1 if not.

    Example: `sekisho register verify releases`
    """
    register = Register.open(folder)
    faults = list(register.list_faults())
    keys = {
        "valid": not faults,
        "entries": len(register.entries),
        "last": register.last,
        "errors": [{"place": fault.column, "message": fault.message} for fault in faults],
        "least_over_time": [_list_least(entry) for entry in register.entries],
    }
    if faults:
        words = join_words(
            [Said("{source}: {reason}", source=each.column, reason=each.message) for each in faults], "\n"
        )
    else:
        words = Said("all {entries:,} entries follow from one another", entries=len(register.entries))
    give_answer(keys, words, as_json=as_json, good=not faults)


def _settle(folder: Path) -> Register:
    """Return a register; an act that was cut short is settled first, where one may."""
    register = Register.open(folder)
    if not register.is_unsettled:
        return register
    with register.hold() as held:
        return held


def _list_least(entry: RegisterEntry) -> dict[str, object]:
    together = entry.together
    return {
        "number": entry.number,
        "made": entry.made,
        "least_alone": together.least_alone,
        "least_joint": together.least_joint,
        "disclosed_alone": together.disclosed_alone,
        "disclosed_joint": together.disclosed_joint,
    }


def _show_entries(register: Register) -> str:
    if not register.entries:
        return Said("nothing has left yet")
    rows = tuple(
        (
            str(entry.number),
            entry.made,
            entry.shape.value,
            entry.population,
            entry.method,
            "" if entry.people.count is None else f"{entry.people.count:,}",
            _tell_count(entry.together.least_alone),
            _tell_count(entry.together.least_joint),
        )
        for entry in register.entries
    )
    head = (
        Said("register|number"),
        Said("register|made"),
        Said("register|shape"),
        Said("register|population"),
        Said("method"),
        Said("people"),
        Said("register|least class alone"),
        Said("register|together"),
    )
    return TableBlock(head=head, rows=rows, numeric=(0, 5, 6, 7)).render(Plain(language=chosen_language()))


def _tell_count(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def _tell_entry(entry: RegisterEntry) -> Iterator[str]:
    together = entry.together
    if entry.erased is not None:
        yield Said(
            "entry {number} of {made}: {people:,} {people:person is|people are} erased from what is kept of release "
            "{releases}",
            number=entry.number,
            made=entry.made,
            people=entry.people.count,
            releases=", ".join(entry.erased),
        )
        yield Said("digest of the entry: {digest}", digest=entry.digest)
        return
    yield Said(
        "release {number} of {made}, {population}",
        number=entry.number,
        made=entry.made,
        population=entry.population,
    )
    for name, file in entry.files.items():
        yield Said("{name}: {bytes:,} bytes, SHA-256 {digest}", name=name, bytes=file.bytes, digest=file.sha256)
    if together.least_joint is not None and together.least_alone is not None:
        yield Said(
            "least class alone {alone:,}, together with what left before {joint:,}",
            alone=together.least_alone,
            joint=together.least_joint,
        )
    yield Said("digest of the entry: {digest}", digest=entry.digest)
