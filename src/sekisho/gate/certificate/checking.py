"""A certificate checked: against its signature, against the files in its folder, and against its own figures.

Nothing is believed that can be computed: the verdict is derived from the reasons, the reasons from the figures, the
figures from the published file. Who has the opening checks the inputs and the proof of a table as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.errors import InputError, MissingFileError, SekishoError, say_failure
from sekisho.gate.certificate.account import check_account
from sekisho.gate.certificate.agreement import check_agreement, list_broken_rules
from sekisho.gate.certificate.canonical import digest_bytes
from sekisho.gate.certificate.claims import PatternClaim
from sekisho.gate.certificate.document import Certificate, FileEntry, Opening
from sekisho.gate.certificate.public_settings import are_public_settings
from sekisho.gate.certificate.recount import Check, CheckStanding, find_regular_size, list_hidden_cells, settle
from sekisho.gate.certificate.reviews import ReviewDecision, check_reviews
from sekisho.gate.certificate.signing import PublicKey, SignatureStanding
from sekisho.gate.certificate.stated import check_statements
from sekisho.gate.outcome import Verdict
from sekisho.provenance import digest_file
from sekisho.tables.check.checker import check as check_table_proof
from sekisho.tables.check.claims import ClaimedSystem as TableClaims
from sekisho.tables.check.joint import own_cells
from sekisho.tables.check.release_checker import check_release
from sekisho.tables.check.release_claims import ClaimedRelease, is_release
from sekisho.words import Said

OPENINGS = {
    Verdict.RELEASE: Path("..") / "confidential" / "opening.json",
    Verdict.REVIEW: Path("..") / "opening.json",
    Verdict.REFUSE: Path("opening.json"),
}
"""By verdict where the opening is looked for, from the certificate's folder: a run puts the certificate beside the
files that it speaks of, which lie in ``public`` only if they may leave, by the gate's verdict or by two persons'."""
TABLE_PROOF = "table-certificate.json"
HIDDEN = frozenset({"primary", "secondary"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What became of a certificate when it was checked.

    Attributes:
        certificate: it.
        signature: how its signature stands.
        checks: everything that was checked.
        asked: whether somebody's signature was asked for.
    """

    certificate: Certificate
    signature: SignatureStanding
    checks: tuple[Check, ...]
    asked: bool = False

    @property
    def refuted(self) -> tuple[Check, ...]:
        """What is not as the certificate says."""
        return tuple(each for each in self.checks if each.standing is CheckStanding.REFUTED)

    @property
    def valid(self) -> bool:
        """Whether nothing is found wrong: an asked signature that is not there is wrong too."""
        unsigned = self.asked and self.signature is SignatureStanding.UNSIGNED
        return not self.refuted and self.signature is not SignatureStanding.INVALID and not unsigned

    @property
    def complete(self) -> bool:
        """Whether it is valid, signed by the key that was asked for, and everything could be checked."""
        return (
            self.valid
            and self.signature is SignatureStanding.VALID
            and all(each.standing is CheckStanding.CONFIRMED for each in self.checks)
        )


def verify_certificate(
    path: Path,
    *,
    key: PublicKey | None = None,
    original: Path | None = None,
    opening: Path | None = None,
    approver: PublicKey | None = None,
) -> Verification:
    """Check a certificate.

    Args:
        path: its file; the files that it speaks of are in the same folder.
        key: whose signature is asked for; None if nobody's in particular.
        original: a file of which it is asked whether the release was made from it.
        opening: the confidential file that the certificate seals; looked for where a run puts it if None.
        approver: whose approval is asked for where a person had to decide; None if nobody's in particular.

    Raises:
        InputError: the certificate, or an opening that was given, cannot be read.
        SettingsError: they have unknown keys or impossible values.
    """
    certificate = Certificate.read(path)
    leaves = Verdict.RELEASE if certificate.is_approved else certificate.verdict
    place = path.parent / OPENINGS[leaves] if opening is None else opening
    opened = Opening.read(place) if opening is not None or place.is_file() else None
    checks = [
        *_check_files(certificate, path),
        *certificate.claims.check(path.parent),
        *_check_verdict(certificate),
        *check_agreement(certificate, path.parent),
        *check_account(certificate, path.parent),
        *check_statements(certificate, path.parent),
        *check_reviews(certificate.reviews, certificate.subject, approver=approver),
    ]
    if opened is not None:
        checks += _check_opening(certificate, opened, place)
    if original is not None:
        checks.append(_check_original(original, opened))
    checks += _check_table_proofs(certificate, opened, path.parent, place.parent)
    return Verification(
        certificate=certificate,
        signature=certificate.check_signature(key),
        checks=tuple(checks),
        asked=key is not None,
    )


def _check_files(certificate: Certificate, path: Path) -> Iterator[Check]:
    for name, entry in sorted(certificate.files.items()):
        yield check_file(name, entry, path.parent)


def check_file(name: str, entry: FileEntry, folder: Path) -> Check:
    """Check that a file is there and has not been changed."""
    place = folder / name
    try:
        size = find_regular_size(place)
        digest = digest_file(place)
    except MissingFileError:
        return settle(name, right=False, finding=Said("{name} is missing", name=name))
    except InputError as error:
        return settle(name, right=False, finding=Said("{name} {message}", name=name, message=error.reason))
    except OSError as error:
        reason = say_failure(error, Said("unknown reason"))
        return settle(name, right=False, finding=Said("{name} cannot be read: {reason}", name=name, reason=reason))
    if (size, digest) == (entry.bytes, entry.sha256):
        return settle(
            name,
            right=True,
            finding=Said("{name} is as it was certified ({size:,} {size:byte|bytes})", name=name, size=size),
        )
    finding = Said(
        "{name} differs from what was certified: {size:,} {size:byte|bytes} with SHA-256 {digest}…, not "
        "{bytes:,} with {sha256}…",
        name=name,
        size=size,
        digest=digest[:16],
        bytes=entry.bytes,
        sha256=entry.sha256[:16],
    )
    return settle(name, right=False, finding=finding)


def _check_verdict(certificate: Certificate) -> Iterator[Check]:
    order = list(Verdict)
    worst = max((one.verdict for one in certificate.reasons), key=order.index, default=Verdict.RELEASE)
    right = worst is certificate.verdict
    count = len(certificate.reasons)
    finding = (
        Said("{reasons} {reasons:reason comes|reasons come} to {worst}", reasons=count, worst=worst.words)
        if right
        else Said(
            "{reasons} {reasons:reason comes|reasons come} to {worst}; the certificate says {verdict}",
            reasons=count,
            worst=worst.words,
            verdict=certificate.verdict.words,
        )
    )
    yield settle(Said("certificate|verdict"), right=right, finding=finding)
    yield _check_choice(certificate)
    rules = {one.rule for one in certificate.reasons}
    missing = [rule for rule in list_broken_rules(certificate) if rule not in rules]
    finding = (
        Said("figures break a rule that no reason names: {missing}", missing=", ".join(missing))
        if missing
        else Said("every figure is told")
    )
    yield settle(Said("certificate|reasons"), right=not missing, finding=finding)
    refused = certificate.verdict is Verdict.REFUSE
    right = refused == (certificate.release is None)
    yield settle(Said("certificate|release"), right=right, finding=_say_release(certificate))


def _say_release(certificate: Certificate) -> Said:
    release, verdict = ", ".join(certificate.releases), certificate.verdict.words
    if not release:
        return Said("no release leaves, the verdict is {verdict}", verdict=verdict)
    if certificate.verdict is Verdict.RELEASE:
        return Said("{release} leaves, the verdict is {verdict}", release=release, verdict=verdict)
    if certificate.is_approved:
        return Said(
            "{release} leaves, approved by two persons; the verdict is {verdict}", release=release, verdict=verdict
        )
    if any(each.decision is ReviewDecision.REFUSED for each in certificate.reviews):
        return Said(
            "{release} may not leave, a person refused it; the verdict is {verdict}", release=release, verdict=verdict
        )
    return Said(
        "{release} awaits review and may not leave yet, the verdict is {verdict}", release=release, verdict=verdict
    )


def _check_choice(certificate: Certificate) -> Check:
    order, tried = list(Verdict), certificate.candidates
    chosen = [each for each in tried if each.method == certificate.chosen]
    if not tried and certificate.chosen is None:
        return settle(
            Said("certificate|choice"),
            right=certificate.verdict is Verdict.REFUSE,
            finding=Said("there was nothing to choose from"),
        )
    best = min((order.index(each.verdict) for each in tried), default=0)
    right = len(chosen) == 1 and chosen[0].verdict is certificate.verdict and order.index(chosen[0].verdict) == best
    return settle(
        Said("certificate|choice"),
        right=right,
        finding=Said("{chosen} was chosen of {tried}", chosen=certificate.chosen, tried=len(tried)),
    )


def _check_opening(certificate: Certificate, opened: Opening, place: Path) -> Iterator[Check]:
    right = digest_bytes(read_bytes(place)) == certificate.sealed
    finding = (
        Said("{name} is the one that was sealed", name=place.name)
        if right
        else Said("{name} is not the one that was sealed", name=place.name)
    )
    yield settle("opening", right=right, finding=finding)
    told = [(one.rule, one.verdict) for one in opened.reasons]
    same = told == [(one.rule, one.verdict) for one in certificate.reasons]
    yield settle(
        Said("certificate|reasons in full"),
        right=same,
        finding=Said("{told} {told:reason|reasons} with their figures", told=len(told)),
    )
    same = are_public_settings(certificate.recipe, opened.recipe, certificate.shape)
    finding = (
        Said("it is the one that was sealed, as far as it is public")
        if same
        else Said("it is not the one that was sealed, as far as it is public")
    )
    yield settle(Said("certificate|recipe"), right=same, finding=finding)
    for name, entry in sorted(opened.files.items()):
        yield check_file(name, entry, place.parent)


def _check_original(original: Path, opened: Opening | None) -> Check:
    if opened is None:
        finding = Said("the opening is needed to tell, and is not there: give --opening")
        return Check(subject=Said("certificate|original"), standing=CheckStanding.NOT_CHECKED, finding=finding)
    data = read_bytes(original)
    digest, size = digest_bytes(data), len(data)
    names = [name for name, entry in opened.inputs.items() if (entry.sha256, entry.bytes) == (digest, size)]
    finding = (
        Said("{name} is the input {names}", name=original.name, names=names[0])
        if names
        else Said("{name} is none of the inputs", name=original.name)
    )
    return settle(Said("certificate|original"), right=bool(names), finding=finding)


def _check_table_proofs(
    certificate: Certificate, opened: Opening | None, folder: Path, confidential: Path
) -> Iterator[Check]:
    """Check the proof of a table, or of several, and compare each published file with its cells."""
    claims, subject = certificate.claims.patterns, Said("certificate|proof of the table")
    if not claims:
        return
    if opened is None or TABLE_PROOF not in opened.files:
        finding = Said("it holds true values and is confidential; it is not at hand")
        yield Check(subject=subject, standing=CheckStanding.NOT_CHECKED, finding=finding)
        return
    proof = confidential / TABLE_PROOF
    try:
        text = decode_text(read_bytes(proof), proof)
        checked = check_release(text) if is_release(text) else check_table_proof(text)
        if checked.claimed is None or checked.errors:
            reason = Said("{source}: {reason}", source=proof.name, reason=checked.errors[0])
            yield settle(subject, right=False, finding=reason)
            return
        yield from (_compare_cells(claim, folder, checked.claimed) for claim in claims)
        if checked.claimed.tables or len(claims) > 1:
            yield _check_proven_tables(claims, checked.claimed)
    except SekishoError as error:
        yield settle(subject, right=False, finding=str(error))


def _check_proven_tables(claims: Sequence[PatternClaim], proven: TableClaims) -> Check:
    """Check that the tables that leave are those that were proven together: with one more, something could follow."""
    leaving, together = sorted(str(claim.table) for claim in claims), sorted(table.name for table in proven.tables)
    finding = Said(
        "{tables} {tables:table leaves|tables leave}, and the proof is of all of them together", tables=len(claims)
    )
    if leaving != together:
        finding = Said(
            "the tables that leave ({leaving}) are not those of the proof ({together})",
            leaving=", ".join(leaving),
            together=", ".join(together) or "–",
        )
    return settle(Said("certificate|tables of the proof"), right=leaving == together, finding=finding)


def _compare_cells(claim: PatternClaim, folder: Path, proven: TableClaims) -> Check:
    frame = claim.published.read(folder)
    columns = (
        range(claim.value, max(claim.value + 1, frame.width)) if isinstance(proven, ClaimedRelease) else [claim.value]
    )
    texts = [list_hidden_cells(frame, claim.dims, column, claim.mark)[0] for column in columns]
    cells = {key: [column[key] for column in texts] for key in texts[0]}
    places = _find_places(claim, proven)
    differing = sorted(places.keys() ^ cells.keys()) + [
        key for key in places.keys() & cells.keys() if _is_other(proven, places[key], cells[key], claim.mark)
    ]
    finding = Said("every unsafe cell has its witnesses, and the published cells are those of the proof")
    if differing:
        finding = Said(
            "{differing} published {differing:cell is|cells are} not those of the proof: {other_differing}",
            differing=len(differing),
            other_differing="; ".join(", ".join(key) for key in differing[:3]),
        )
    return settle(Said("certificate|proof of the table"), right=not differing, finding=finding)


def _find_places(claim: PatternClaim, proven: TableClaims) -> dict[tuple[str, ...], int]:
    """Return by the codes of a published table which cell of the proof each is.

    Raises:
        InputError: the proof has no such table.
    """
    if claim.table is None:
        return {key: i for i, key in enumerate(proven.cells.keys) if proven.cells.status[i] != "unpublished"}
    table = next((one for one in proven.tables if one.name == claim.table), None)
    if table is None:
        raise InputError(TABLE_PROOF, Said("has no table {name!r}", name=claim.table))
    return own_cells(proven, table)


def _is_other(proven: TableClaims, cell: int, texts: Sequence[str], mark: str) -> bool:
    """Tell whether a published cell is another than that of the proof; an interval has two columns."""
    text = texts[0]
    if isinstance(proven, ClaimedRelease):
        shown = proven.shown[cell]
        ends = shown if isinstance(shown, tuple) else (shown, shown)
        return not (_is_written(text, float(ends[0])) and _is_written(texts[-1], float(ends[1])))
    if proven.cells.status[cell] in HIDDEN:
        return text != mark
    return text == mark or not _is_written(text, float(proven.cells.value[cell]))


def _is_written(text: str, value: float) -> bool:
    try:
        return float(text) == value
    except ValueError as error:
        raise InputError("the published table", Said("holds {text!r}, which is no number", text=text)) from error
