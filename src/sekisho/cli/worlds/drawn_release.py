"""What is told of a release of drawn records, in memory or beyond: its chance, its mechanism, its page, its words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

import numpy as np

from sekisho.cli.kit.answer import format_keys, say
from sekisho.cli.kit.language.choice import chosen_language
from sekisho.data.records.category_counts import CategoryCounts
from sekisho.data.review import ReleaseReview
from sekisho.gate.frontier import compute_errors, rebuild_frontier
from sekisho.gate.records.known_part import KnownPartAttack
from sekisho.provenance import Provenance
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.records.frontier import RELEASE_TITLE, release_blocks
from sekisho.report.pages.records.sampling import SAMPLE_TITLE, DrawnSample, sample_blocks
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkFinding
from sekisho.seeds import Seed, secret_rng


class ChangedRecords(Protocol):
    """What is told of a release by PRAM, wherever its records are."""

    @property
    def mechanism(self) -> Mechanism:
        """What was done."""
        ...

    @property
    def guarantee(self) -> PkFinding:
        """What is promised."""
        ...

    @property
    def detail(self) -> Mapping[str, object]:
        """What is told of it, as plain data."""
        ...


def settle_randomness(name: str, seed: int | None) -> np.random.Generator:
    """Return where a method's chance comes from, and say so."""
    if seed is None:
        say("randomness: secret, from the operating system; nobody can repeat this release")
        return secret_rng()
    say(f"randomness: seed {seed}; whoever knows it can undo the protection")
    return Seed(seed).child(name).rng()


def describe_mechanism(mechanism: Mechanism, provenance: Provenance, randomness: str) -> bytes:
    """Return the description of a mechanism as it is written beside the release."""
    description = mechanism.as_dict() | {"provenance": provenance.as_dict(), "randomness": randomness}
    return json.dumps(description, ensure_ascii=False, indent=1).encode()


def format_release(keys: Mapping[str, object], *, refuted: bool) -> str:
    """Return what is told of a release, in words."""
    words = format_keys(keys)
    return words + "\nthe assumption fails on this file: do not rely on the risk" if refuted else words


def make_sample_page(
    release: DrawnSample,
    tried: KnownPartAttack | None,
    provenance: Provenance,
    randomness: str,
    review: ReleaseReview,
) -> str:
    """Return the page of a sample."""
    blocks = sample_blocks(release, tried, provenance, randomness=randomness, review=review)
    return render_page(SAMPLE_TITLE, blocks, language=chosen_language(), edition=Edition.CONFIDENTIAL)


def make_pram_page(
    release: ChangedRecords, counts: CategoryCounts, provenance: Provenance, review: ReleaseReview
) -> str:
    """Return the page of a release by PRAM."""
    wanted = release.detail["wanted_k"]
    k = Fraction(release.guarantee.k) if wanted is None else Fraction(str(wanted))
    blocks = release_blocks(
        release.mechanism,
        release.guarantee,
        provenance,
        review=review,
        randomness=str(release.detail["randomness"]),
        frontier=rebuild_frontier(counts, release.mechanism, k) if k > 1 else None,
        errors=compute_errors(counts, release.mechanism),
    )
    return render_page(RELEASE_TITLE, blocks, language=chosen_language(), edition=Edition.CONFIDENTIAL)
