"""Every file that the outcome depends on is bound: whatever is done to one, nobody is told that all is as it was."""

from __future__ import annotations

import io
import json
import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.contest.folder.cup import write_cup
from tests.contest.folder.small_cups import play_history, play_records

from sekisho.cli import status_of
from sekisho.contest.event import Created, Published
from sekisho.contest.folder.archive import MANIFEST, pack_contest, unpack_contest
from sekisho.contest.folder.binding import LEDGER, survey_folder
from sekisho.contest.folder.live import read_contest
from sekisho.contest.ledger import digest_bytes, read_ledger, write_canonical, write_ledger
from sekisho.errors import FaultsError, InputError

PLAYS: Mapping[str, Callable[[Path], Path]] = {"history": play_history, "records": play_records}
Damage = Callable[[dict[str, bytes], str], None]


@pytest.fixture(scope="module", params=list(PLAYS))
def cup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = PLAYS[request.param](tmp_path_factory.mktemp("cup"))
    assert status_of(["contest", "evaluate", str(folder)]) == 0
    return folder


def change(files: dict[str, bytes], name: str) -> None:
    data = bytearray(files[name])
    data[len(data) // 2] ^= 1
    files[name] = bytes(data)


def cut(files: dict[str, bytes], name: str) -> None:
    files[name] = files[name][: len(files[name]) // 2]


def empty(files: dict[str, bytes], name: str) -> None:
    files[name] = b""


def delete(files: dict[str, bytes], name: str) -> None:
    del files[name]


def swap(files: dict[str, bytes], name: str) -> None:
    other = next(each for each in files if files[each] != files[name] and each != MANIFEST)
    files[name], files[other] = files[other], files[name]


DAMAGES: tuple[Damage, ...] = (change, cut, empty, delete, swap)


def list_names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    status = status_of([*words, "--json"])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def test_a_folder_that_was_changed_is_never_identical(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every file but results and copies of attacks, which are written anew from what was handed in."""
    names = [name for name in list_names(cup) if not name.startswith("result/")]
    contents = {name: (cup / name).read_bytes() for name in names}
    place = tmp_path / "cup"
    shutil.copytree(cup, place)
    assert answer(capsys, "contest", "replay", str(place), "--rescore")[0] == 0
    tried = 0
    for name in names:
        for damage in DAMAGES:
            if damage is delete and "/guesses/" in name:
                continue
            files = dict(contents)
            damage(files, name)
            changed = {each for each in contents if files.get(each) != contents[each]}
            for each in changed:
                (place / each).unlink()
                if each in files:
                    (place / each).write_bytes(files[each])
            for command in ("replay", "evaluate"):
                status, said = answer(
                    capsys, "contest", command, str(place), *(["--rescore"] if command == "replay" else [])
                )
                assert status in (1, 2), (command, damage.__name__, name)
                assert any(each in said for each in changed), (command, damage.__name__, name, said)
                assert '"identical": true' not in said
            for each in changed:
                (place / each).write_bytes(contents[each])
            tried += 1
    assert tried > 80
    assert answer(capsys, "contest", "replay", str(place), "--rescore")[0] == 0


def test_a_file_in_place_of_which_there_is_a_link_is_not_followed(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "cup"
    shutil.copytree(cup, place)
    for name in [name for name in list_names(cup) if not name.startswith("result/")]:
        (place / name).unlink()
        (place / name).symlink_to(cup / name)
        for words in (("replay", str(place), "--rescore"), ("evaluate", str(place))):
            status, said = answer(capsys, "contest", *words)
            assert (status, name in said) == (2, True), (words, name, said)
        with pytest.raises((FaultsError, InputError), match=Path(name).name.replace(".", r"\.")):
            pack_contest(place)
        (place / name).unlink()
        shutil.copyfile(cup / name, place / name)


def unzip(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        return {name: source.read(name) for name in source.namelist()}


def rezip(files: Mapping[str, bytes], link: str = "") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = ((stat.S_IFLNK | 0o777) if name == link else 0o600) << 16
            target.writestr(entry, content)
    return stream.getvalue()


@pytest.mark.parametrize("public", [False, True])
def test_an_archive_that_was_changed_is_refused(cup: Path, *, public: bool) -> None:
    contents = unzip(pack_contest(cup, with_truth=not public))
    assert unpack_contest(rezip(contents), "cup.zip")
    for name in contents:
        for damage in DAMAGES:
            files = dict(contents)
            damage(files, name)
            with pytest.raises((FaultsError, InputError)) as caught:
                unpack_contest(rezip(files), "cup.zip")
            changed = {each for each in contents if files.get(each) != contents[each]}
            assert any(each in str(caught.value) for each in changed) or name == MANIFEST, (damage, name)
        with pytest.raises(FaultsError, match="is a link"):
            unpack_contest(rezip(contents, link=name), "cup.zip")
    with pytest.raises(FaultsError, match="is not in the manifest"):
        unpack_contest(rezip(contents | {"result/more.csv": b"x"}), "cup.zip")


def test_a_manifest_that_was_forged_too_does_not_help(cup: Path) -> None:
    """Whoever changes a file and the manifest still meets the ledger; only results, which nothing depends on, pass."""
    contents = unzip(pack_contest(cup))
    for name in [name for name in contents if not name.startswith("result/") and name not in (MANIFEST, LEDGER)]:
        for damage in (change, delete):
            if damage is delete and "/guesses/" in name:
                continue
            files = dict(contents)
            damage(files, name)
            listed = {each: digest_bytes(data) for each, data in files.items() if each != MANIFEST}
            files[MANIFEST] = write_canonical({"public": False, "files": listed}).encode()
            with pytest.raises((FaultsError, InputError), match=name.rpartition("/")[2]):
                unpack_contest(rezip(files), "cup.zip")


def test_a_ledger_that_was_cut_is_told_by_what_it_no_longer_names(cup: Path, tmp_path: Path) -> None:
    """Every cut that drops something handed in or published is seen; a later one needs the head, noted elsewhere."""
    place = tmp_path / "cup"
    shutil.copytree(cup, place)
    lines = (cup / LEDGER).read_bytes().splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if b'"submitted"' in line or b'"attacked"' in line)
    for count in range(1, last + 1):
        (place / LEDGER).write_bytes(b"".join(lines[:count]))
        assert survey_folder(place).faults, count


def test_an_empty_ledger_is_not_identical(cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "cup"
    shutil.copytree(cup, place)
    (place / LEDGER).write_bytes(b"")
    for words in (("replay", str(place)), ("replay", str(place / LEDGER)), ("replay", str(place), "--rescore")):
        status, said = answer(capsys, "contest", *words)
        assert (status, "the ledger is empty" in said) == (2, True)


def test_a_file_of_another_is_a_fault_of_ours_when_it_is_scored(cup: Path, tmp_path: Path) -> None:
    """No team is judged by a file that is not its own: the score is refused, not zero."""
    place = tmp_path / "cup"
    shutil.copytree(cup, place)
    entry = read_contest(place).state.entries[0]
    path = read_contest(place).find_files(entry.files)["released"]
    path.write_bytes(b"x")
    status = status_of(["contest", "rejudge", str(place), "--name", "again", "--at", "2026-01-09"])
    assert status == 2


def test_an_archive_of_an_earlier_version_says_what_nothing_binds(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contents = unzip(pack_contest(cup))
    del contents[MANIFEST]
    events, _ = read_ledger(contents[LEDGER], LEDGER)
    for event in events:
        if isinstance(event, Created):
            object.__setattr__(event, "files", None)
        if isinstance(event, Published):
            object.__setattr__(event, "kept", None)
    contents[LEDGER] = write_ledger(events)
    (tmp_path / "old.zip").write_bytes(rezip(contents))
    status, said = answer(capsys, "contest", "import", str(tmp_path / "old.zip"), "--out", str(tmp_path / "old"))
    unbound = json.loads(said[: said.rindex("}") + 1])["unbound"]
    expected = [name for name in contents if "/tests/" in name or ("/" not in name and name.endswith(".csv"))]
    assert (status, sorted(unbound)) == (3, sorted(expected))
    status, said = answer(capsys, "contest", "replay", str(tmp_path / "old"), "--rescore")
    assert (status, json.loads(said[: said.rindex("}") + 1])["identical"]) == (3, True)
    for name in [name for name in contents if name.startswith(("truth/", "files/")) or "/published/" in name]:
        files = dict(contents)
        change(files, name)
        with pytest.raises((FaultsError, InputError)):
            unpack_contest(rezip(files), "old.zip")


@pytest.mark.parametrize("name", ["original.csv", "releases", "guesses", "result"])
def test_evaluate_follows_no_link_of_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    write_cup(tmp_path / "mail")
    place = tmp_path / "mail" / name
    if place.exists():
        place.rename(tmp_path / name)
    else:
        (tmp_path / name).mkdir()
    place.symlink_to(tmp_path / name)
    status, said = answer(capsys, "contest", "evaluate", str(tmp_path / "mail"), "--rules", "pwscup2018")
    assert (status, "not followed" in said, name in said) == (2, True, True)


def test_a_release_that_is_a_link_costs_its_own_team(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_cup(tmp_path / "mail")
    place = tmp_path / "mail" / "releases" / "raw.csv"
    place.rename(tmp_path / "raw.csv")
    place.symlink_to(tmp_path / "raw.csv")
    status, said = answer(capsys, "contest", "evaluate", str(tmp_path / "mail"), "--rules", "pwscup2018")
    assert status == 0
    found = json.loads(said[: said.rindex("}") + 1])
    assert ("releases/raw.csv", "link") in [(each["file"], each["rule"]) for each in found["errors"]]
    assert [each["utility"] for each in found["standings"] if each["team"] == "raw"] == [None]
