"""Nothing is written over an input or another output, however its place is spelt."""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.whole_files import check_paths, is_file, is_same_file, write_whole
from sekisho.errors import FaultsError, InputError


def told(folder: Path, *reads: str, made: str | None = None, **writes: str) -> list[tuple[str, str]]:
    """Return which outputs are refused by which rule."""
    try:
        check_paths(
            reads=[folder / name for name in reads],
            writes={name: folder / place for name, place in writes.items()},
            folders=[] if made is None else [folder / made],
        )
    except FaultsError as error:
        return [(fault.column, fault.rule) for fault in error.faults]
    return []


def test_one_place_for_two_files_is_refused_however_it_is_spelt(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("sub", target_is_directory=True)
    (tmp_path / "in.csv").write_text("x")
    (tmp_path / "alias.csv").symlink_to("in.csv")
    (tmp_path / "twin.csv").hardlink_to(tmp_path / "in.csv")
    assert told(tmp_path, "in.csv", out="new.csv", truth="sub/new.csv") == []
    for alias in ("in.csv", "sub/../in.csv", "link/../in.csv", "alias.csv", "twin.csv"):
        assert told(tmp_path, "in.csv", out=alias) == [("out", "input")], alias
        assert told(tmp_path, alias, out="in.csv") == [("out", "input")], alias
    for alias in ("sub/new.csv", "link/new.csv", "sub/../sub/new.csv"):
        assert told(tmp_path, out="sub/new.csv", truth=alias) == [("truth", "doubled")], alias
    # everything at once
    assert told(tmp_path, "in.csv", out="in.csv", truth="a.csv", report="a.csv", page="no/a.csv") == [
        ("out", "input"),
        ("report", "doubled"),
        ("page", "place"),
    ]


def test_what_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for place in (".", "folder", "none/a.csv", "file/a.csv", "a" * 300):
        assert told(tmp_path, out=place) == [("out", "place")], place
    assert told(Path("/dev"), out="null") == [("out", "place")]
    assert told(tmp_path, out="file") == []
    # a folder that will be made may stand anywhere but in a file
    assert told(tmp_path, made="none/deep", out="none/deep/a.csv") == []
    assert told(tmp_path, made="none/deep", out="other/deep/a.csv") == [("out", "place")]
    assert told(tmp_path, made="file/deep", out="file/deep/a.csv") == [("out", "place")]
    assert told(tmp_path, made="file", out="file/a.csv") == [("out", "place")]
    # the trial leaves nothing behind
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
    with pytest.raises(FaultsError, match=r"files to write: file, --out: .* cannot be written: it is a folder"):
        check_paths(writes={"--out": tmp_path, "--report": None})


@given(st.lists(st.sampled_from(["a", "b", "c", "../a", "./b"]), min_size=1, max_size=5))
def test_outputs_are_refused_if_and_only_if_two_are_one(names: list[str]) -> None:
    here = Path(gettempdir())
    paths = [here / "y" / name if name.startswith("..") else here / name for name in names]
    same = len({name.strip("./") for name in names}) < len(names)
    assert any(is_same_file(one, two) for at, one in enumerate(paths) for two in paths[at + 1 :]) == same


def test_whole_files_at_one_place_are_refused_by_the_writer_itself(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with pytest.raises(InputError, match=r"is to be written twice"):
        write_whole({tmp_path / "a.csv": b"release", tmp_path / "sub" / ".." / "a.csv": b"truth"})
    with pytest.raises(InputError, match="cannot be written: it is a folder"):
        write_whole({tmp_path / "a.csv": b"release", tmp_path / "sub": b"truth"})
    assert [path.name for path in tmp_path.iterdir()] == ["sub"]


def test_a_name_that_no_file_can_have_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert is_file(tmp_path / "a")
    assert not is_file(tmp_path / ("x" * 300))
    assert not is_file(tmp_path / "a\0b")
