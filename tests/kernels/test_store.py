"""What was compiled is found again by its content, and never where something else was compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import typeof
from numba.core import config
from numba.core.cpu import CPUContext

from sekisho.kernels.store import KernelStore, list_folders, write_whole
from sekisho.protect.records.recoding.value_sums import sort_ascending

PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from numba.core import event

class Compilations(event.Listener):
    def on_start(self, event):
        names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

names = []
event.register("numba:compile", Compilations())
from caller import double
print(double(3), double(2.5), *[name for name in names if name in ("double", "increase")])
"""
CALLER = """
from called import increase
from sekisho.kernels import njit

@njit(cache=True)
def double(x):
    return 2 * increase(x)
"""
CALLED = """
from sekisho.kernels import njit
STEP = 1

@njit(cache=True)
def increase(x):
    return x + STEP
"""


def write_package(folder: Path, called: str = CALLED) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "caller.py").write_text(CALLER)
    (folder / "called.py").write_text(called)
    return folder


def run_package(folder: Path, kept: Path, **environment: str) -> list[str]:
    """Return what a process of its own computes, and which functions it compiles for that."""
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(kept), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    command = [sys.executable, "-c", PROGRAM.format(folder=str(folder))]
    return subprocess.run(command, env=variables, check=True, capture_output=True, text=True).stdout.split()


ALL = ["double", "increase", "double", "increase"]


def test_another_clone_compiles_nothing_and_a_change_all_that_it_goes_into(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert run_package(write_package(tmp_path / "first"), kept) == ["8", "7.0", *ALL]
    clone = write_package(tmp_path / "clone", CALLED.replace("STEP = 1", "# one more line\nSTEP = 1"))
    assert run_package(clone, kept) == ["8", "7.0"]
    write_package(clone, CALLED.replace("STEP = 1", "STEP = 2"))
    assert run_package(clone, kept) == ["10", "9.0", *ALL]
    assert run_package(clone, kept) == ["10", "9.0"]
    assert run_package(clone, kept, NUMBA_OPT="1") == ["10", "9.0", *ALL]


def test_a_file_that_cannot_be_read_is_compiled_anew(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    package = write_package(tmp_path / "package")
    run_package(package, kept)
    for path in (kept / "kernels").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert run_package(package, kept) == ["8", "7.0", *ALL]


def test_a_folder_that_was_named_is_the_only_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(config), "CACHE_DIR", str(tmp_path))
    assert list(list_folders()) == [tmp_path / "kernels"]


def test_the_user_keeps_it_before_the_package_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(config), "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    first, second = list_folders()
    assert first == tmp_path / "mine" / "sekisho" / "kernels"
    assert second.name == "__pycache__"


def test_a_file_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match=r"^$"):
        write_whole(tmp_path / "kept", b"content")
    assert list(tmp_path.iterdir()) == []


def test_kinds_of_arguments_have_files_of_their_own() -> None:
    store = vars(sort_ascending)["_cache"]
    assert isinstance(store, KernelStore)
    context = store.dispatcher.targetctx
    assert isinstance(context, CPUContext)
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    kinds = [(typeof(values),) for values in (np.zeros(2), np.zeros(2, np.int64), np.zeros((2, 2)), frozen)]
    assert len({store.name_file(kind, context) for kind in kinds}) == len(kinds)
