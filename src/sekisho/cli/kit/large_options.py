"""The options of every command that can work beyond memory."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from sekisho.data.engines.engine import Engine, choose_engine
from sekisho.errors import ParameterError
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.data.engines.engine import EngineChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeOptions:
    """Where the work is done: in memory unless something is said."""

    engine: Annotated[
        Engine | None, typer.Option("--engine", help="Work beyond memory: polars, duckdb or spark; else in memory.")
    ] = None
    memory: Annotated[
        str, typer.Option("--memory", help="Work beyond memory within so much, such as 2GB; means --engine duckdb.")
    ] = ""
    master: Annotated[
        str, typer.Option("--master", help="A Spark cluster: spark://…, local[2], or sc://…; means --engine spark.")
    ] = ""

    def choose(self) -> EngineChoice | None:
        """Return the engine that is asked for; None: in memory."""
        return choose_engine(self.engine, self.memory, self.master)

    def spread(self) -> AbstractContextManager[None]:
        """Let pieces of work be done by the engine that is asked for, as long as this is open."""
        choice = self.choose()
        if choice is None:
            return nullcontext()
        from sekisho.data.engines.tasks import open_cluster  # brings an engine, which few calls need

        return open_cluster(choice)

    def refuse_engines(self, reason: Said) -> None:
        """Refuse work beyond memory where there is none.

        Args:
            reason: what must be so for it, as ``be given for ...``.

        Raises:
            ParameterError: it is asked for.
        """
        for name, value in (("engine", self.engine), ("memory", self.memory), ("master", self.master)):
            if value:
                raise ParameterError(name, reason, str(value))
