"""Code of compiled functions that is merged into their callers, and optimised there once.

numba optimises every function and turns it into machine code on its own, and does so again, with all that it calls,
within each of its callers: in a tree of functions the leaves are compiled as often as they have callers above them.
Here a function that only compiled code calls stays as it came out of type inference until something that Python calls
needs it. Then all that this calls, directly or not, is merged into one module, which is optimised and turned into
machine code as one.
"""

from __future__ import annotations

from typing import Any, cast

from llvmlite.binding import Linkage, ModuleRef
from numba.core.codegen import CPUCodegen, JITCodeLibrary


class LaterCodegen:
    """The code generator of a library that has no machine code yet: what would be set in that is set once it is there.

    Attributes:
        environments: what belongs under which name.
    """

    def __init__(self, codegen: CPUCodegen) -> None:
        self._codegen = codegen
        self.environments: dict[str, object] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: object) -> None:
        """Note which environment belongs under a name."""
        self.environments[name] = environment


class LinkedLibrary(JITCodeLibrary):
    """The code of one function: merged into its callers as it is, and compiled by itself only where Python calls it."""

    def __init__(self, codegen: CPUCodegen, name: str) -> None:
        super().__init__(codegen, name)
        self._generator: Any = codegen
        self._later = LaterCodegen(codegen)

    @property
    def codegen(self) -> CPUCodegen:
        """The code generator, to which numba tells the environments of functions."""
        return self._codegen if self._finalized else cast("CPUCodegen", self._later)

    def add_linking_library(self, library: JITCodeLibrary) -> None:
        """Note a library whose functions are called here; one of ours need not be compiled for that."""
        if isinstance(library, LinkedLibrary):
            self._linking_libraries.append(library)
        else:
            super().add_linking_library(library)

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function, 0 where it is not defined here: nothing is compiled to find that out."""
        if not self._finalized and all(function.name != name for function in self._final_module.functions):
            return 0
        return int(super().get_pointer_to_function(name))

    def finalize(self) -> None:
        """Merge all that is called here, optimise it, and turn it into machine code."""
        self._raise_if_finalized()
        merged = self.list_called()
        for library in merged:
            library.merge_into(self._final_module)
            self._reload_init.update(library.list_reloads())
        self._linking_libraries = [one for one in self._linking_libraries if not isinstance(one, LinkedLibrary)]
        super().finalize()
        for library in (self, *merged):
            library.set_environments()

    def list_called(self) -> list[LinkedLibrary]:
        """Return the libraries whose functions are called here, directly or not, each before those that it calls.

        LLVM leaves out a merged function that nothing calls yet: callers must be there first.
        """
        order: dict[LinkedLibrary, None] = {}
        self.visit(order)
        return [library for library in reversed(order) if library is not self]

    def visit(self, order: dict[LinkedLibrary, None]) -> None:
        """Add this library to those that were visited, after all that it calls."""
        if not self._finalized:  # what is compiled has merged what it calls
            for library in self._linking_libraries:
                if isinstance(library, LinkedLibrary) and library not in order:
                    library.visit(order)
        order[self] = None

    def merge_into(self, module: ModuleRef) -> None:
        """Add these functions to a module, in which they may be merged with their callers and left out."""
        copy = (self._get_module_for_linking() if self._finalized else self._final_module).clone()
        for function in copy.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = Linkage.linkonce_odr
        module.link_in(copy)

    def list_reloads(self) -> set[object]:
        """Return what must be done before this code is run in another process."""
        return set(self._reload_init)

    def set_environments(self) -> None:
        """Tell the machine code, where it has kept a name for it, the environment of each function."""
        for name, environment in self._later.environments.items():
            if self._generator._engine.is_symbol_defined(name):
                self._generator.set_env(name, environment)
