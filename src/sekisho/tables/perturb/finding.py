"""What is told of a table with keyed noise, and why a person must look at one whose keys add up."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.tables.perturb.evidence import CellEvidence, DifferenceFigures
from sekisho.tables.perturb.method import PerturbedTable
from sekisho.tables.perturb.posterior import GuessFigures, KeyScheme, TwoCells
from sekisho.tables.perturb.rows import NoiseTable
from sekisho.words import Said


def describe_noise(
    perturbed: PerturbedTable, difference: DifferenceFigures, evidence: CellEvidence | None, scheme: KeyScheme
) -> dict[str, object]:
    """Return what is told of a table with noise, by key, whatever an audit finds."""
    return {
        "cells": perturbed.table.own,
        "changed": perturbed.changed,
        "largest_change": perturbed.largest_change,
        "false_zeros": perturbed.false_zeros,
        "additive": perturbed.additive.value,
        "keys": scheme.value,
        "difference": difference.as_dict(),
        "posterior": None if evidence is None else describe_evidence(perturbed, evidence),
    }


def describe_evidence(perturbed: PerturbedTable, evidence: CellEvidence) -> dict[str, object]:
    """Return the figures of the posteriors of all cells as plain data."""
    at = int(evidence.order[0])
    row = int(evidence.equation[at])
    return {
        "kind": evidence.kind,
        "surer_than_0.9": int(evidence.sure.sum()),
        "certain": int(evidence.certain.sum()),
        "mean_chance": evidence.mean,
        "surest": {
            "cell": perturbed.table.named(at),
            "count": int(evidence.count[at]),
            "chance": float(evidence.chance[at]),
            "equation": None if row < 0 else perturbed.table.equations[row],
        },
    }


def compare_schemes(noise: NoiseTable) -> dict[KeyScheme, GuessFigures]:
    """Return how well one of two cells is guessed beside their total, by how keys are made."""
    two = TwoCells(table=noise)
    return {each: two.measure(each) for each in (KeyScheme.HASHED, KeyScheme.SUMMED)}


def tell_summed(guesses: Mapping[KeyScheme, GuessFigures]) -> Said:
    """Say what keys that add up give away."""
    return Said(
        "keys that add up give cells away: of two cells with their total one is known for certain with chance "
        "{added:.4f}, with hashed keys {hashed:.4f}; such a table is for comparison with other programs only",
        added=guesses[KeyScheme.SUMMED].certain,
        hashed=guesses[KeyScheme.HASHED].certain,
    )
