"""Files are read in their encoding or refused by name, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from sekisho.data.files.whole_files import decode_text, read_bytes, read_regular_file, write_whole
from sekisho.errors import EncodingError, InputError, MissingFileError, ParameterError


def test_a_missing_file_a_folder_and_a_large_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        read_bytes(tmp_path / "none")
    with pytest.raises(InputError, match="is a directory"):
        read_bytes(tmp_path)
    (tmp_path / "large").write_bytes(b"12345")
    with pytest.raises(InputError, match="is 5 bytes; the limit is 4"):
        read_bytes(tmp_path / "large", max_bytes=4)


def test_utf8_with_or_without_its_mark_reads_alike() -> None:
    assert decode_text("商品".encode(), "f") == decode_text("商品".encode("utf-8-sig"), "f") == "商品"


def test_cp932_is_named_in_the_error_and_read_when_asked() -> None:
    data = "一行\n商品".encode("cp932")
    with pytest.raises(EncodingError, match=r"is not utf-8 \(line 1\); it reads as CP932"):
        decode_text(data, "f")
    assert decode_text(data, "f", encoding="cp932") == "一行\n商品"


def test_bytes_of_no_known_encoding_are_refused_without_a_guess() -> None:
    with pytest.raises(EncodingError, match=r"is not utf-8 \(line 2\)$"):
        decode_text(b"a\n\x82\xff\xa0\x81", "f")
    with pytest.raises(EncodingError, match="is not cp932"):
        decode_text(b"\x82\xff", "f", encoding="cp932")


def test_several_files_are_written_together_or_none_is(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "no such folder" / "bad"
    good.write_bytes(b"old")
    with pytest.raises(InputError, match="cannot be written"):
        write_whole({good: b"new", bad: b"new"})
    assert good.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["good"]
    write_whole({good: b"new", tmp_path / "other": b"x"})
    assert good.read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good", "other"]


@pytest.mark.parametrize("encoding", ["no-such", "base64", "rot13", "utf-7", "", "a\0b"])
def test_what_is_no_encoding_of_plain_text_is_refused(encoding: str) -> None:
    with pytest.raises(ParameterError, match="encoding must be one of text in which ASCII is itself"):
        decode_text(b"a,b\n", "f", encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "shift_jis", "euc-jp", "latin-1", "cp1252"])
def test_encodings_of_offices_are_read(encoding: str) -> None:
    assert decode_text("x,é\n".encode(encoding, "replace"), "f", encoding=encoding).startswith("x,")


def test_what_never_ends_is_refused_and_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the limit is 1,000"):
        read_bytes(Path("/dev/zero"), max_bytes=1000)
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=(tmp_path / "pipe").write_bytes, args=(b"x" * 200_000,))
    writer.start()
    assert read_bytes(tmp_path / "pipe") == b"x" * 200_000
    writer.join()


@pytest.mark.parametrize("size", [0, 1, 999, 1000])
def test_a_regular_file_is_read_up_to_the_cap(tmp_path: Path, size: int) -> None:
    (tmp_path / "a").write_bytes(b"x" * size)
    for read in (read_bytes, read_regular_file):
        assert read(tmp_path / "a", max_bytes=1000) == b"x" * size
        if size:
            with pytest.raises(InputError, match=f"is {size:,} bytes; the limit is {size - 1:,}"):
                read(tmp_path / "a", max_bytes=size - 1)


def test_only_a_regular_file_is_read_where_somebody_else_may_have_put_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")  # nobody writes: whoever opened it would wait
    for name, said in {"link": "is a link", "folder": "is no regular file", "pipe": "is no regular file"}.items():
        with pytest.raises(InputError, match=said):
            read_regular_file(tmp_path / name)
    with pytest.raises(MissingFileError):
        read_regular_file(tmp_path / "missing")
    with pytest.raises(InputError, match="is no regular file"):
        read_regular_file(Path("/dev/zero"))
