"""What is found of a table with keyed noise before it leaves, and whether a person must look at it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sekisho.tables.audit.statement_audit import StatementAudit
from sekisho.tables.audit.statements import ReaderKnowledge
from sekisho.tables.perturb.evidence import SURE, CellEvidence, DifferenceFigures
from sekisho.tables.perturb.method import PerturbedTable
from sekisho.tables.perturb.posterior import GuessFigures, KeyScheme, TwoCells
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseFinding:
    """What a table with keyed noise tells.

    Attributes:
        perturbed: the table.
        scheme: how keys of cells are made.
        difference: what two shown numbers tell that differ by one person or nobody.
        audit: the interval of every cell by all statements and equations; None where nothing is said of cells.
        evidence: the posterior of every cell, keys of different sets being independent; None where it is not so.
        guesses: where keys add up, how well one of two cells is guessed, by scheme.
    """

    perturbed: PerturbedTable
    scheme: KeyScheme
    difference: DifferenceFigures
    audit: StatementAudit | None
    evidence: CellEvidence | None
    guesses: dict[KeyScheme, GuessFigures] = field(default_factory=dict[KeyScheme, GuessFigures])
    against: ReaderKnowledge = ReaderKnowledge.RULE

    @property
    def disclosed(self) -> int:
        """How many cells an attacker knows exactly by statements and equations."""
        return 0 if self.audit is None else len(self.audit.disclosed)

    @property
    def reasons(self) -> list[Said]:
        """Why a person must look at it; none if nobody must."""
        found: list[Said] = []
        if self.scheme is KeyScheme.SUMMED:
            added, hashed = self.guesses[KeyScheme.SUMMED], self.guesses[KeyScheme.HASHED]
            words = Said(
                "keys that add up give cells away: of two cells with their total one is known for certain with chance "
                "{added:.4f}, with hashed keys {hashed:.4f}; such a table is for comparison with other programs only",
                added=added.certain,
                hashed=hashed.certain,
            )
            found.append(words)
        if self.disclosed:
            words = Said(
                "{disclosed:,} {disclosed:cell is|cells are} known exactly to whoever knows the perturbation table and "
                "the equations",
                disclosed=self.disclosed,
            )
            found.append(words)
        return found

    def as_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        perturbed, audit, evidence = self.perturbed, self.audit, self.evidence
        return {
            "cells": len(perturbed.shown),
            "changed": perturbed.changed,
            "largest_change": perturbed.largest_change,
            "false_zeros": perturbed.false_zeros,
            "additive": perturbed.additive.value,
            "keys": self.scheme.value,
            "difference": self.difference.as_dict(),
            "against": self.against.value,
            "disclosed": self.disclosed,
            "unsettled": 0 if audit is None else len(audit.unsettled),
            "mean_width": None if audit is None else float(np.mean(audit.width[perturbed.inner])),
            "posterior": None if evidence is None else describe_evidence(perturbed, evidence),
            **({"guesses": {scheme: each.as_dict() for scheme, each in self.guesses.items()}} if self.guesses else {}),
        }


def describe_evidence(perturbed: PerturbedTable, evidence: CellEvidence) -> dict[str, object]:
    """Return the figures of the posteriors of all cells as plain data."""
    at = int(evidence.chance.argmax())
    row = int(evidence.equation[at])
    return {
        "kind": evidence.kind,
        "surer_than_0.9": int((evidence.chance > SURE).sum()),
        "certain": int((evidence.possible == 1).sum()),
        "mean_chance": float(evidence.chance.mean()),
        "surest": {
            "cell": perturbed.table.named(at),
            "count": int(evidence.count[at]),
            "chance": float(evidence.chance[at]),
            "equation": None if row < 0 else perturbed.table.equations[row],
        },
    }


def review_noise(perturbed: PerturbedTable, scheme: KeyScheme, *, seconds: float | None = None) -> NoiseFinding:
    """Return what is found of a table with noise: attacked by its statements and equations, and cell by cell."""
    two = TwoCells(table=perturbed.noise)
    summed = scheme is KeyScheme.SUMMED
    return NoiseFinding(
        perturbed=perturbed,
        scheme=scheme,
        difference=DifferenceFigures.of(perturbed.noise),
        audit=perturbed.audit(seconds=seconds),
        evidence=None if summed else perturbed.find_evidence(),
        guesses={each: two.measure(each) for each in (KeyScheme.HASHED, KeyScheme.SUMMED)} if summed else {},
    )
