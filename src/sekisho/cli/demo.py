"""``sekisho demo``: the whole journey on bundled synthetic data."""

from __future__ import annotations

import os
from pathlib import Path

from sekisho.cli.gate import Folder, Jobs, NoCache
from sekisho.cli.gate_run import take_through, watch_steps
from sekisho.cli.kit.answer import AsJson, AskedSeed, KeepingInterrupt, Verbose, settle_seed
from sekisho.cli.kit.key_option import Key, read_private_key
from sekisho.cli.kit.language import chosen_language
from sekisho.journey.demo import DEMO_FILES, prepare_demo
from sekisho.journey.entry import list_names
from sekisho.journey.folders import OutputFolders
from sekisho.journey.run import RunOptions
from sekisho.words import Said


def demo(
    out: Folder = Path("demo"),
    key: Key = None,
    seed: AskedSeed = 2018,
    jobs: Jobs = None,
    no_cache: NoCache = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Watch the whole journey on a bundled synthetic purchase history.

    Example: `sekisho demo --out demo`
    """
    start = settle_seed(seed)
    OutputFolders(out).check(reads=[key], names=(*DEMO_FILES, *list_names(None)))
    signer = read_private_key(key)
    entry = prepare_demo(out, start)
    options = RunOptions(
        out=out,
        key=signer,
        language=chosen_language(),
        watch=watch_steps,
        jobs=jobs or os.cpu_count() or 1,
        keep=not no_cache,
    )
    try:
        take_through(entry, options, verbose=verbose, as_json=as_json)
    except KeepingInterrupt:
        raise
    except KeyboardInterrupt as interruption:
        raise KeepingInterrupt(Said("only the recipe and the data of the demonstration were written")) from interruption
