"""Anchors outside a log: seals written down, and Ed25519 signatures over the last seal.

Whoever changes a decision into another legal one can seal the log anew, and no rule is broken. What
shows it is something that the forger can't change: a seal noted elsewhere, or a signature.

A signature is over the UTF-8 text ``tenlog/signature/1:<game>:<seal>``. Signatures of the games of
``x.jsonl`` stand in ``x.jsonl.sig``, one JSON object a line: ``game``, ``seal``, ``key`` (the
public key) and ``signature``, both as standard base64.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tenlog.audit.verdict import Verdict
from tenlog.errors import LogError, SetupError
from tenlog.log.source import log_error
from tenlog.log.store import write_private

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

MAX_SIGNATURES: Final = 1 << 26  # bytes of a file of signatures
MAX_KEY: Final = 1 << 16  # bytes of a file with a key


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a file of signatures."""

    game: str
    seal: str
    key: str
    signature: str


def _need_cryptography() -> None:
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError:
        raise SetupError(
            "signatures need the package cryptography: pip install 'tenlog[sign]'"
        ) from None


def message(game: str, seal: str) -> bytes:
    """What is signed."""
    return f"tenlog/signature/1:{game}:{seal}".encode()


def make_key(path: Path) -> Path:
    """A new key pair: the private key in ``path`` (PEM, its owner's only), the public one beside
    it in ``<path>.pub``; returns the latter.

    Raises:
        LogError: one of the files is there already, or cannot be written.
        SetupError: ``cryptography`` is missing.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public_path = path.with_name(path.name + ".pub")
    if public_path.exists():
        raise LogError(f"{public_path} is there already: choose another name")
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    public = key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    write_private(path, private.decode())
    try:
        with public_path.open("xb") as file:
            file.write(public)
    except OSError as error:
        raise log_error(public_path, error, "write") from None
    return public_path


def _read(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise log_error(path, error) from None
    if len(data) > most:
        raise LogError(f"{path} is too long to be what it should be")
    return data


def load_private_key(path: Path) -> Ed25519PrivateKey:
    """A private key.

    Raises:
        LogError: the file can't be read, or is no Ed25519 key without a password.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        key = serialization.load_pem_private_key(_read(path, MAX_KEY), password=None)
    except (ValueError, TypeError) as error:
        raise LogError(f"{path} is no private key: {str(error)[:100]}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise LogError(f"{path} is no Ed25519 key: make one with tenlog sign --new-key FILE")
    return key


def load_public_key(path: Path) -> Ed25519PublicKey:
    """A public key.

    Raises:
        LogError: the file can't be read, or is no Ed25519 public key.
    """
    _need_cryptography()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = serialization.load_pem_public_key(_read(path, MAX_KEY))
    except (ValueError, TypeError) as error:
        raise LogError(f"{path} is no public key: {str(error)[:100]}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise LogError(f"{path} is no Ed25519 public key")
    return key


def raw_public(key: Ed25519PublicKey) -> str:
    """A public key as base64."""
    return base64.b64encode(key.public_bytes_raw()).decode()


def sign(verdicts: Iterable[Verdict], key: Ed25519PrivateKey) -> list[Signature]:
    """Signatures over games that were judged.

    Raises:
        LogError: one of them is faulty, or has no seal.
    """
    public = raw_public(key.public_key())
    signatures = []
    for verdict in verdicts:
        if verdict.verdict == "faulty" or not isinstance(verdict.seal, str) or not verdict.events:
            raise LogError(
                f"{verdict.file}: game {verdict.game} is {verdict.verdict}: nothing was signed; "
                "see tenlog audit"
            )
        assert verdict.game is not None
        made = base64.b64encode(key.sign(message(verdict.game, verdict.seal))).decode()
        signatures.append(Signature(verdict.game, verdict.seal, public, made))
    return signatures


def write_signatures(path: Path, signatures: Iterable[Signature]) -> None:
    """Write a new file of signatures, whole or not at all.

    Raises:
        LogError: it is there already, or cannot be written.
    """
    data = msgspec.json.Encoder().encode_lines(signatures)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(partial, path)
    except FileExistsError:
        raise LogError(f"{path} is there already: remove it to sign anew") from None
    except OSError as error:
        raise log_error(path, error, "write") from None
    finally:
        partial.unlink(missing_ok=True)


class Trust:
    """Trusted keys, asked about the games of one file after another."""

    def __init__(self, keys: Iterable[Ed25519PublicKey]) -> None:
        self._keys = {raw_public(key): key for key in keys}
        self._file: str | None = None
        self._signatures: dict[str, list[Signature]] = {}

    def check(self, verdict: Verdict) -> Verdict:
        """The verdict itself, or that the game is not signed by a trusted key."""
        if verdict.verdict == "faulty":
            return verdict
        if verdict.file != self._file:
            self._load(verdict.file)
        signatures = self._signatures.get(verdict.game or "", [])
        problem = "unsigned", f"no signature by a trusted key in {verdict.file}.sig"
        for signature in signatures:
            if signature.key not in self._keys:
                continue
            if self._fits(signature, verdict):
                return verdict
            problem = "bad-signature", "the signature does not fit the game's last seal"
        code, text = problem
        return msgspec.structs.replace(
            verdict, verdict="faulty", event=max(0, verdict.events - 1), code=code, message=text
        )

    def _fits(self, signature: Signature, verdict: Verdict) -> bool:
        from cryptography.exceptions import InvalidSignature

        if signature.seal != verdict.seal or verdict.game is None:
            return False
        try:
            made = base64.b64decode(signature.signature, validate=True)
            self._keys[signature.key].verify(made, message(verdict.game, signature.seal))
        except (InvalidSignature, ValueError):
            return False
        return True

    def _load(self, file: str) -> None:
        self._file = file
        self._signatures = {}
        path = Path(file + ".sig")
        if file == "-" or not path.exists():
            return
        for line in _read(path, MAX_SIGNATURES).splitlines():
            try:
                signature = msgspec.json.decode(line, type=Signature)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                continue  # no signature of anybody's
            self._signatures.setdefault(signature.game, []).append(signature)
