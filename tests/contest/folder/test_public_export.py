"""What everybody gets of a contest tells nobody's pseudonym: not by the order of rows, not by any file beside."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.contest.folder.small_cups import SECRET, play_history, play_records

from sekisho.cli import status_of
from sekisho.contest.folder.archive import pack_contest, place_contest, unpack_contest
from sekisho.contest.folder.live import hold_contest, read_contest
from sekisho.safety.rejection import RejectionRule

PLAYS: Mapping[str, Callable[[Path], Path]] = {"history": play_history, "records": play_records}


@pytest.fixture(scope="module", params=list(PLAYS))
def cup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = PLAYS[request.param](tmp_path_factory.mktemp("cup"))
    assert status_of(["contest", "evaluate", str(folder)]) == 0
    return folder


def unzip(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        return {name: source.read(name) for name in source.namelist()}


def list_rows(data: bytes) -> list[list[str]]:
    return [line.split(",") for line in data.decode("utf-8", errors="replace").splitlines()]


def join_by_order(files: Mapping[str, bytes], original: list[list[str]]) -> Iterator[dict[str, str]]:
    """Name each pseudonym by the customer who stands most often in its rows, in every file with enough rows.

    Rows are laid beside the original from the top, from the bottom, and stretched over it.
    """
    known = len(original)
    for data in files.values():
        rows = list_rows(data)
        if len(rows) < len(original) // 4:
            continue
        for places in (
            range(len(rows)),
            range(known - len(rows), known),
            [row * known // len(rows) for row in range(len(rows))],
        ):
            votes: dict[str, Counter[str]] = {}
            for beside, cells in zip(places, rows, strict=True):
                if 0 <= beside < known:
                    votes.setdefault(cells[0], Counter())[original[beside][0]] += 1
            yield {name: each.most_common(1)[0][0] for name, each in votes.items()}


def test_rows_laid_beside_the_original_name_nobody(tmp_path: Path) -> None:
    """With everything in the folder he would name all; with what is exported no more than chance: no test rejects it."""
    cup = play_history(tmp_path)
    original = list_rows((cup / "rounds" / "final" / "original.csv").read_bytes())
    truth = {
        team: dict(list_rows((cup / "truth" / "final" / "maps" / f"{team}.csv").read_bytes()))
        for team in ("pairs", "more")
    }
    for public, found in ((False, True), (True, False)):
        files = unzip(pack_contest(cup, with_truth=not public))
        hits = [
            (sum(owner.get(name) == who for name, who in guess.items()), len(owner))
            for guess in join_by_order(files, original)
            for owner in truth.values()
        ]
        named = [count for count, people in hits if count >= RejectionRule().threshold(people)]
        assert bool(named) is found, (public, hits)


def test_the_truth_is_nowhere_in_the_archive(cup: Path) -> None:
    """No secret, no file that was handed in, no map, no answers, no test set: whole, in part, or line by line."""
    whole, public = unzip(pack_contest(cup)), unzip(pack_contest(cup, with_truth=False))
    private = {name: data for name, data in whole.items() if name not in public}
    assert {name.split("/")[0] for name in private} == {"files", "rounds", "truth", "result"}
    shown = b"\n".join(public.values())
    assert str(SECRET.value).encode() not in shown
    digests = {digest for entry in read_contest(cup).state.entries for digest in entry.files.values()}
    for name, data in private.items():
        lines = data.splitlines()
        if len(lines) > 3 and not name.endswith(".html"):
            assert data not in shown, name
            assert b"\n".join(lines[:4]) not in shown, name
    assert not [name for name in public if name.removeprefix("files/") in digests]
    for name in public:
        assert not any(part in name for part in ("truth", "releases", "files/", "tests", "guesses", "originals")), name


def test_published_files_are_those_that_attackers_got(cup: Path, tmp_path: Path) -> None:
    """The same bytes as in the folder, or none at all where their order is the original's; all can be read again."""
    data = pack_contest(cup, with_truth=False)
    files = unpack_contest(data, "public.zip")
    shown = {name: content for name, content in files.items() if "/published/" in name}
    in_folder = {
        path.relative_to(cup).as_posix(): path.read_bytes() for path in (cup / "rounds/final/published").iterdir()
    }
    assert shown == ({} if getattr(read_contest(cup).rules, "in_order", False) else in_folder)
    place_contest(files, tmp_path / "public")
    assert pack_contest(tmp_path / "public", with_truth=False) == data
    assert status_of(["contest", "replay", str(tmp_path / "public")]) == 0
    assert status_of(["contest", "replay", str(tmp_path / "public"), "--rescore"]) == 2
    assert status_of(["contest", "export", str(tmp_path / "public"), "--out", str(tmp_path / "x.zip")]) == 2


def test_a_stray_file_in_the_folder_is_not_exported(cup: Path) -> None:
    (cup / "who-is-who.csv").write_text("1,13047\n")
    assert "who-is-who.csv" not in unzip(pack_contest(cup, with_truth=False))
    (cup / "who-is-who.csv").unlink()


def test_what_tells_who_is_who_is_its_owner_s_alone(cup: Path, tmp_path: Path) -> None:
    place_contest(unpack_contest(pack_contest(cup), "cup.zip"), tmp_path / "again")
    for folder in (cup, tmp_path / "again"):
        open_ones = [
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*")
            if path.stat().st_mode & 0o077
            and ({*path.relative_to(folder).parts} & {"files", "truth", "releases", "guesses"})
        ]
        assert open_ones == []
    (tmp_path / "again" / "files").chmod(0o755)
    with hold_contest(tmp_path / "again"):
        assert (tmp_path / "again" / "files").stat().st_mode & 0o077 == 0
