"""What was compiled, kept on disk: a file for each function and kind of arguments, named by all that decides on it.

A file is written whole or not at all, and never for other code than its name says: clones, branches and processes that
run at once share one folder.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias, cast
from uuid import uuid4

from numba.core import config, types
from numba.core.compiler import CompileResult
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps
from numba.core.typing.templates import Signature

from sekisho.compiling import begin_compiling, end_compiling
from sekisho.kernels.content import CompiledContent, read_content

CODE_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "FULL_TRACEBACKS", "DISABLE_JIT")
"""Settings of numba that change what it makes of the same source."""


def list_folders() -> Iterator[Path]:
    """Give the folders in which compiled code may be kept, the best first.

    That of the user comes before the package's own, so that a clone finds what another has compiled.
    """
    named = str(vars(config)["CACHE_DIR"])
    if named:
        yield Path(named) / "kernels"
        return
    with suppress(RuntimeError):  # a user without a home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sekisho" / "kernels"
    yield Path(__file__).parent / "__pycache__"


compile_result: Any = CompileResult
rebuild, reduce = compile_result._rebuild, compile_result._reduce
Kinds: TypeAlias = Signature | tuple[types.Type, ...]


class KernelStore:
    """The compiled forms of one function: what numba asks of a cache.

    Attributes:
        dispatcher: the function.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.dispatcher = dispatcher
        self._content: CompiledContent | None = None

    @property
    def cache_path(self) -> str:
        """The folder that is looked into first."""
        return str(next(list_folders()))

    def flush(self) -> None:
        """Leave what is kept: other processes may need it, and its name says what it is."""

    @property
    def content(self) -> CompiledContent:
        """What is compiled, read once all that it names is there."""
        if self._content is None:
            self._content = read_content(self.dispatcher)
        return self._content

    def name_file(self, signature: Kinds, context: CPUContext) -> str:
        """Return the name of the file for some kinds of arguments, on this machine and with these versions."""
        settings = [f"{name}={vars(config).get(name)}" for name in CODE_SETTINGS]
        kinds = signature.args if isinstance(signature, Signature) else signature
        digest = blake2b(digest_size=16)
        for part in (
            self.content.key,
            *context.codegen().magic_tuple(),
            sys.implementation.cache_tag,
            *settings,
            *kinds,
        ):
            digest.update(f"{part}\n".encode())
        return f"{self.dispatcher.py_func.__module__}.{self.dispatcher.py_func.__name__}-{digest.hexdigest()}"

    def load_overload(self, signature: Kinds, context: CPUContext) -> CompileResult | None:
        """Return what was compiled for some kinds of arguments; None where nothing is kept."""
        context.refresh()
        name = self.name_file(signature, context)
        for folder in list_folders():
            content = read_whole(folder / name)
            if content is not None:
                return rebuild(context, *pickle.loads(content))
        begin_compiling(name, self.content.functions)
        return None

    def save_overload(self, signature: Kinds, result: CompileResult) -> None:
        """Keep what was compiled for some kinds of arguments, in the first folder that can be written."""
        name = self.name_file(signature, cast("CPUContext", self.dispatcher.targetctx))
        end_compiling(name)
        if result.library.has_dynamic_globals:  # addresses of this process
            return
        content = dumps(reduce(result))
        for folder in list_folders():
            with suppress(OSError):
                write_whole(folder / name, content)
                return


DIGEST_BYTES = 16


def read_whole(path: Path) -> bytes | None:
    """Return what was written to a file; None where there is none, or it is damaged."""
    try:
        written = path.read_bytes()
    except OSError:
        return None
    content = written[DIGEST_BYTES:]
    return content if blake2b(content, digest_size=DIGEST_BYTES).digest() == written[:DIGEST_BYTES] else None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, with a digest of what it holds, so that nobody ever reads a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        draft.write_bytes(blake2b(content, digest_size=DIGEST_BYTES).digest() + content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
