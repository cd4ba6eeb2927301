"""What may leave and what stays are kept apart: nothing in public names a person, a refused release is not there."""

from __future__ import annotations

import fcntl
from contextlib import suppress
from pathlib import Path
from shutil import copytree, rmtree

import polars as pl
import pytest
from tests.gate.runs import write_history, write_keyed, write_table
from tests.journey.test_review import KILLER, Killed

from sekisho.errors import InputError
from sekisho.gate.outcome import Verdict
from sekisho.gate.output_files import PlacedFiles, name_guess_files
from sekisho.journey.folders import OutputFolders
from sekisho.journey.run import pass_gate
from sekisho.words import quote_words

LEAVING: tuple[str, ...] = ("certificate.json", "release.csv", "report.html")


def read_public(out: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (out / "public").iterdir()}


def test_no_public_file_of_a_history_tells_a_customer_a_row_or_the_truth(tmp_path: Path) -> None:
    recipe = write_history(tmp_path)
    original = (tmp_path / "T.csv").read_text()
    # customers' names are numbers, as much else is: give them some that nothing else has
    named = "".join(f"7531{line}\n" for line in original.splitlines())
    (tmp_path / "T.csv").write_text(named)
    result = pass_gate(recipe, out=tmp_path / "gate")
    assert result.verdict is not Verdict.REFUSE
    customers = {line.split(",")[0] for line in named.splitlines()}
    truth = (tmp_path / "gate" / "confidential" / "truth.csv").read_text().splitlines()
    assert len(truth) == len(customers) == 21
    public = read_public(tmp_path / "gate")
    assert set(public) == {"release.csv", "report.html", "certificate.json"}
    for name, text in public.items():
        assert not [customer for customer in customers if customer in text], name
        assert not [line for line in [*named.splitlines(), *truth] if line in text], name
        assert "987654321" not in text, name
        assert "Purchases of March" in text or name == "release.csv"


def test_no_public_file_of_records_tells_a_person_or_a_row(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    result = pass_gate(recipe, out=tmp_path / "gate")
    assert result.verdict is not Verdict.REFUSE
    rows = (tmp_path / "people.csv").read_text().splitlines()[1:]
    for name, text in read_public(tmp_path / "gate").items():
        assert "person-" not in text, name
        assert "987654321" not in text, name
        assert not [row for row in rows if row in text or f"\n{row.split(',', 1)[1]}\n" in text], name
    # the rows leave in another order than they came
    kept = (tmp_path / "gate" / "confidential" / "release-by-row.csv").read_text().splitlines()
    shown = (tmp_path / "gate" / "public" / "release.csv").read_text().splitlines()
    assert sorted(kept) == sorted(shown)
    assert kept != shown


def test_no_public_file_of_a_table_tells_a_hidden_value(tmp_path: Path) -> None:
    pass_gate(write_table(tmp_path), out=tmp_path / "gate")
    pattern = pl.read_csv(tmp_path / "gate" / "confidential" / "pattern.csv")
    hidden = pattern.filter(pl.col("status").is_in(["primary", "secondary"]))
    shown = pl.read_csv(tmp_path / "gate" / "public" / "release.csv", infer_schema=False)
    assert hidden.height == (shown["n"] == "x").sum() == 4
    text = read_public(tmp_path / "gate")
    assert "secondary" not in text["certificate.json"]


def test_a_refused_release_is_not_public_and_none_is_left_from_an_earlier_run(tmp_path: Path) -> None:
    out = tmp_path / "gate"
    pass_gate(write_keyed(tmp_path), out=out)
    assert (out / "public" / "release.csv").is_file()
    (out / "public" / "notes.txt").write_text("mine")
    result = pass_gate(write_keyed(tmp_path, k=9), out=out)  # classes of 4 are not of 9
    assert result.verdict is Verdict.REFUSE
    assert set(read_public(out)) == {"notes.txt"}
    assert (out / "confidential" / "certificate.json").is_file()
    assert result.certificate.release is None
    # of another shape at the same place nothing of the first is left either
    pass_gate(write_table(tmp_path), out=out)
    assert not (out / "confidential" / "truth.csv").exists()


def test_a_file_that_cannot_be_written_leaves_the_certificate_of_no_other_files(tmp_path: Path) -> None:
    folders = OutputFolders(tmp_path / "gate")
    with folders.hold():
        folders.deliver(
            PlacedFiles(public={"certificate.json": b"1", "release.csv": b"1"}, confidential={"truth.csv": b"1"})
        )
    (folders.public / "report.html").mkdir()
    with pytest.raises(InputError, match="cannot be written"), folders.hold():
        folders.deliver(PlacedFiles(public={"certificate.json": b"2", "report.html": b"2"}))
    assert not (folders.public / "certificate.json").exists()


def test_two_runs_do_not_write_to_one_place_at_once(tmp_path: Path) -> None:
    folders = OutputFolders(tmp_path / "gate")
    with folders.hold(), pytest.raises(InputError, match="is being written by another run"), folders.hold():
        pass
    with (folders.confidential / ".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="is being written by another run"), folders.hold():
            pass
    assert folders.confidential.stat().st_mode & 0o777 == 0o700


def test_what_an_error_ends_leaves_no_folder_behind(tmp_path: Path) -> None:
    folders = OutputFolders(tmp_path / "gate")
    with pytest.raises(InputError, match="x"), folders.hold():
        raise InputError("x", quote_words("y"))
    assert list(tmp_path.iterdir()) == []


def test_guesses_have_names_that_files_can_have() -> None:
    names = name_guess_files(dict.fromkeys(["a p=1/4", "a p=1 4", "b"]))
    assert names == {"a p=1/4": "guess-a-p=1-4.csv", "a p=1 4": "guess-a-p=1-4-2.csv", "b": "guess-b.csv"}


def test_a_copy_of_the_original_is_kept_if_it_is_asked_for(tmp_path: Path) -> None:
    recipe = write_table(tmp_path)
    pass_gate(recipe, out=tmp_path / "gate")
    copy = tmp_path / "gate" / "confidential" / "original.csv"
    assert not copy.exists()
    recipe.write_text(recipe.read_text() + "[write]\noriginal = true\n")
    pass_gate(recipe, out=tmp_path / "gate")
    assert copy.read_bytes() == (tmp_path / "cells.csv").read_bytes()


def deliver(out: Path, number: int, *, public: bool = True) -> None:
    """Deliver the files of a run; those that may leave only if it lets them out."""
    leaving = dict.fromkeys(LEAVING, b"%d" % number)
    folders, stays = OutputFolders(out), {"truth.csv": b"%d" % number}
    with folders.hold():
        folders.deliver(
            PlacedFiles(public=leaving, confidential=stays)
            if public
            else PlacedFiles(confidential={**stays, "certificate.json": b"%d" % number})
        )


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("before", [True, False])
def test_killed_at_any_moment_public_is_whole_or_empty(tmp_path: Path, *, before: bool, public: bool) -> None:
    """All of the former run, all of the new one, or nothing; somebody else's files come back with the next run."""
    first = tmp_path / "first"
    if before:
        deliver(first, 1)
        (first / "public" / "notes.txt").write_text("mine")
        (first / "public" / "own").mkdir()
    else:
        first.mkdir()
    moments = 0
    while True:
        out = copytree(first, tmp_path / "killed")
        KILLER.left = moments
        with suppress(Killed):
            deliver(out, 2, public=public)
        ended = KILLER.stop()
        there = out / "public"
        ours = {place.name: place.read_bytes() for place in there.glob("*.*") if place.name != "notes.txt"}
        wholes = ({}, *([dict.fromkeys(LEAVING, b"1")] if before else []), *([dict.fromkeys(LEAVING, b"2")] * public))
        assert ours in wholes, moments
        deliver(out, 3, public=public)
        names = {place.name for place in there.iterdir()}
        assert names == (set(LEAVING) if public else set()) | ({"notes.txt", "own"} if before else set()), moments
        assert not (out / "confidential" / ".partial").exists()
        rmtree(out)
        if ended:
            break
        moments += 1
    assert moments > 8


def test_a_link_in_the_place_of_public_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "public").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link"):
        deliver(tmp_path / "gate", 1)
    assert list((tmp_path / "elsewhere").iterdir()) == []
