"""Where files are: addresses survive being paths, patterns are none, and a folder appears whole or not at all."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.engines.engine import digest_inputs, is_address, name_place
from sekisho.data.engines.spark.places import (
    ArrowPlaces,
    escape_pattern,
    find_path,
    name_file,
    open_beside,
    write_and_rename,
)
from sekisho.errors import InputError


@pytest.mark.parametrize(
    "address", ["hdfs://host:9000/a/b.parquet", "s3a://bucket/x", "viewfs://proof/data", "gs://b/c", "file:///data/x"]
)
def test_an_address_survives_being_a_path(address: str) -> None:
    assert is_address(Path(address))
    assert name_place(Path(address)) == address


def test_paths_of_this_machine_start_at_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not is_address(Path("people.parquet"))
    assert name_place(Path("people.parquet")) == str(tmp_path.resolve() / "people.parquet")
    assert not is_address(Path("c:/people.parquet"))


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1))
def test_the_file_that_spark_names_is_found_again(name: str) -> None:
    assert find_path(f"file:{quote(f'/data/{name}')}") == f"/data/{name}"
    assert find_path(f"/data/{name}") == f"/data/{name}"


def test_a_file_that_spark_names_is_called_by_its_address() -> None:
    assert name_file("hdfs://host:9000/some%20people/a%5B1%5D.parquet") == "hdfs://host:9000/some people/a[1].parquet"
    assert name_file("file:///some%20people/a.parquet") == "/some people/a.parquet"


def test_files_by_their_address_are_those_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    place = name_place(Path(f"file://{tmp_path}/a b"))
    assert ArrowPlaces().exists(place)
    ArrowPlaces().rename(place, f"{place} c")
    assert [each.name for each in tmp_path.iterdir()] == ["a b c"]


def test_what_only_a_cluster_reaches_has_no_digest(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    # of no bytes at all, as FIPS 180 tells
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest_inputs([tmp_path, Path("hdfs://host/b")]) == {"a": empty}


def test_brackets_and_stars_are_no_pattern() -> None:
    assert escape_pattern("/a[1]/{b}*?\\.parquet") == r"/a\[1\]/\{b\}\*\?\\.parquet"


def test_a_folder_appears_by_a_rename(tmp_path: Path) -> None:
    target = tmp_path / "release.parquet"
    seen = list[str]()

    def write(place: str) -> None:
        assert not target.exists()
        seen.append(Path(place).name)
        Path(place).mkdir()
        (Path(place) / "part").write_text("x")

    write_and_rename(ArrowPlaces(), str(target), write)
    assert [each.name for each in tmp_path.iterdir()] == ["release.parquet"]
    assert (target / "part").read_text() == "x"
    assert seen[0].startswith(".release.parquet.tmp-")
    with pytest.raises(
        InputError, match=r"release.parquet: cannot be written: there is something of that name already"
    ):
        write_and_rename(ArrowPlaces(), str(target), write)
    assert len(seen) == 1


@pytest.mark.parametrize("end", [KeyboardInterrupt, OSError])
def test_what_is_not_complete_is_removed(tmp_path: Path, end: type[BaseException]) -> None:
    def write(place: str) -> None:
        Path(place).mkdir()
        (Path(place) / "part").touch()
        raise end

    with pytest.raises(end):
        write_and_rename(ArrowPlaces(), str(tmp_path / "release.parquet"), write)
    assert not list(tmp_path.iterdir())


def test_what_came_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    target = tmp_path / "release.parquet"

    def write(place: str) -> None:
        Path(place).mkdir()
        target.mkdir()

    with pytest.raises(InputError, match="there is something of that name"):
        write_and_rename(ArrowPlaces(), str(target), write)
    assert [each.name for each in tmp_path.iterdir()] == ["release.parquet"]


def test_a_guest_cannot_reach_what_arrow_does_not_know() -> None:
    with pytest.raises(InputError, match=r"viewfs://proof/x: cannot be reached without a driver"):
        ArrowPlaces().exists("viewfs://proof/x")


def test_what_is_written_beside_goes_but_what_was_renamed(tmp_path: Path) -> None:
    target, places = tmp_path / "release.parquet", ArrowPlaces()

    def interrupt() -> None:
        with open_beside(places, str(target)) as folder:
            (Path(folder) / "classes").mkdir(parents=True)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert not list(tmp_path.iterdir())
    with open_beside(places, str(target)) as folder:
        assert not Path(folder).exists()
        for name in ("classes", "release"):
            (Path(folder) / name).mkdir(parents=True)
        places.rename(f"{folder}/release", str(target))
    assert [each.name for each in tmp_path.iterdir()] == ["release.parquet"]
    with (
        pytest.raises(InputError, match=r"there is something of that name already"),
        open_beside(places, str(target)),
    ):
        pytest.fail("it was opened")
