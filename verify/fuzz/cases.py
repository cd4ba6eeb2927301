"""Cases by number: which command, which valid call of it, and what is spoilt, from the seed and the number alone."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .calling import Answer, Finding, judge_call, make_call
from .materials import companions
from .options import spoil_options
from .recipes import WEIGHTS, recipes
from .spoiling import spoil_file
from .tree import Command, commands

MATERIAL = re.compile(r"@([A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*)")
SECONDS = 20.0
NEST = "a/b/c/call"
"""Deep enough that ``..`` stays within the campaign's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A call: its words with materials not yet placed, and whether a file of it is to be spoilt."""

    command: str
    words: tuple[str, ...]
    spoil: int
    chance: Random = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was called, what of it was spoilt, how it ended, and what is wrong with that."""

    words: list[str]
    spoilt: str
    answer: Answer
    found: list[Finding]


@dataclass(slots=True, kw_only=True)
class Bench:
    """The materials, the folder where calls are made, and how long each valid call took."""

    materials: Path
    folder: Path
    seconds: Mapping[str, float]
    commands: Mapping[str, Command] = field(default_factory=commands)
    recipes: Mapping[str, tuple[str, ...]] = field(default_factory=recipes)

    def case(self, seed: int, number: int, only: str = "") -> Case:
        """Return the case of a number; commands that take long come up less often, those of many options more often."""
        chance = Random(f"{seed}:{number}")
        names = [name for name in self.recipes if name.startswith(only)]
        name = chance.choices(names, [WEIGHTS.get(name, 1.0) for name in names])[0]
        words = shlex.split(chance.choice(self.recipes[name]))
        options = dict(self.commands[name].options)
        files = bool(MATERIAL.search(" ".join(words)))
        spoil, changes = chance.choice(((1, 0), (1, 0), (1, 0), (1, 0), (0, 1), (0, 1), (0, 1), (0, 2), (1, 1), (2, 0)))
        for _ in range(changes if files else max(changes, 1)):
            words = spoil_options(words, options, chance)
        if chance.randrange(2) and "--json" in options:
            words = ["--json", *words]
        return Case(command=name, words=(*name.split(), *words), spoil=spoil, chance=chance)

    def run(self, case: Case, seconds: float) -> Outcome:
        """Make a case's call in a fresh folder."""
        place = self._fresh()
        known = {path.name for path in self.materials.iterdir()} | {"none"}
        words = [MATERIAL.sub(lambda found: found[found[1] in known], word) for word in case.words]
        named = sorted({found for word in case.words for found in MATERIAL.findall(word)} & known)
        needed = sorted({name for first in named for name in (first, *companions(first))})
        for name in needed:
            self._lay(name, place)
        files = [path for path in sorted(place.rglob("*")) if path.is_file()]
        others = tuple(path for path in sorted(self.materials.iterdir()) if path.is_file())
        said = [spoil_file(path, others, case.chance) for path in _some(files, case)]
        given = frozenset(str(path.relative_to(place)) for path in place.rglob("*"))
        os.chdir(place)
        answer = make_call(words, seconds)
        return Outcome(words=words, spoilt="; ".join(said), answer=answer, found=judge_call(words, answer, given))

    def _fresh(self) -> Path:
        os.chdir(self.folder)
        top = self.folder / NEST.partition("/")[0]
        shutil.rmtree(top, ignore_errors=True)
        place = self.folder / NEST
        place.mkdir(parents=True)
        return place

    def _lay(self, name: str, place: Path) -> None:
        source = self.materials / name
        if source.is_dir():
            shutil.copytree(source, place / name, dirs_exist_ok=True)
        elif source.exists():
            shutil.copyfile(source, place / name)


def _some(files: list[Path], case: Case) -> list[Path]:
    return case.chance.sample(files, min(case.spoil, len(files)))
