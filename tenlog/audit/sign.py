"""Signatures over the last seal of a game, kept beside its log (Ed25519, detached).

What is signed is the text ``tenlog/signature/1:<game>:<seal>``. A signature file is JSON Lines, one
:class:`Signature` on each; several people may sign the same games in the same file.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from tenlog.errors import LogError, LogFault, TenlogError, extra_hint
from tenlog.log.codec import Seal
from tenlog.log.making import write_private
from tenlog.log.opening import read_small
from tenlog.log.read import read_games
from tenlog.log.replay import replay
from tenlog.log.source import log_error

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNATURES: Final = ".sig"  # behind a log's name
MAX_SIGNATURES: Final = 1 << 26  # bytes of a signature file
_MAX_KEY: Final = 1 << 16
_GAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


class Signature(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One line of a signature file.

    Attributes:
        game: the game's id.
        seal: its last seal when it was signed.
        key: the public key, 32 bytes as hex.
        signature: 64 bytes as hex.
    """

    game: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9._-]{1,64}$")]
    seal: Seal
    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    signature: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]


def signature_path(log: Path | bytes) -> Path:
    """Where the signatures of a log are: beside it, with ``.sig`` after its name."""
    return Path(os.fsdecode(os.fspath(log)) + SIGNATURES)


def _message(game: str, seal: str) -> bytes:
    return f"tenlog/signature/1:{game}:{seal}".encode()


def _need(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise TenlogError(f"a signature {extra_hint('sign')}") from None


def _serialization() -> Any:
    return _need("cryptography.hazmat.primitives.serialization")


def _ed25519() -> Any:
    return _need("cryptography.hazmat.primitives.asymmetric.ed25519")


def new_key(path: Path) -> Path:
    """A new key pair: the private key in ``path``, readable by its owner only, the public one in
    ``<path>.pub``, which is returned. Both are PEM.

    Raises:
        LogError: one of the files is there already, or can't be written.
        TenlogError: the package ``cryptography`` is not installed.
    """
    forms = _serialization()
    key = _ed25519().Ed25519PrivateKey.generate()
    public = path.with_name(path.name + ".pub")
    for file in (path, public):
        if os.path.lexists(file):
            raise LogError(f"{file} is there already, and is not overwritten: choose another name")
    private_pem: bytes = key.private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    public_pem: bytes = key.public_key().public_bytes(
        forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo
    )
    write_private(path, private_pem.decode())
    try:
        with public.open("xb") as target:
            target.write(public_pem)
    except OSError as error:
        raise log_error(public, error, "write") from None
    return public


def _read_key(path: Path) -> bytes:
    try:
        return read_small(path, _MAX_KEY)
    except OSError as error:
        raise log_error(path, error) from None


def load_private(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file.

    Raises:
        LogError: it can't be read, or is no Ed25519 private key.
        TenlogError: the package ``cryptography`` is not installed.
    """
    forms, ed25519 = _serialization(), _ed25519()
    data = _read_key(path)
    try:
        key = forms.load_pem_private_key(data, password=None)
    except Exception:
        # What the package raises, and says, for what is no key or is encrypted differs by version.
        if b"PUBLIC KEY" in data:
            signs = str(path).removesuffix(".pub")
            why = f"is a public key: it takes the private one to sign, such as {signs}"
        elif b"ENCRYPTED" in data:
            why = "is encrypted: tenlog can only use a private key that is not"
        else:
            why = "is no private key in PEM: make one with tenlog sign --new-key FILE"
        raise LogError(f"{path} {why}") from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise LogError(f"{path} is a key, but no Ed25519 key: make one with tenlog sign --new-key")
    return key  # type: ignore[no-any-return]


def _raw(public: Any) -> bytes:
    forms = _serialization()
    raw: bytes = public.public_bytes(forms.Encoding.Raw, forms.PublicFormat.Raw)
    return raw


class Truster:
    """Public keys that are trusted, from PEM files.

    Raises:
        LogError: a file can't be read, or holds no Ed25519 public key.
        TenlogError: the package ``cryptography`` is not installed.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        forms, ed25519 = _serialization(), _ed25519()
        self._keys: dict[str, Any] = {}
        self._invalid = _need("cryptography.exceptions").InvalidSignature
        for path in paths:
            data = _read_key(path)
            if b"PRIVATE KEY" in data:
                raise LogError(f"{path} is a private key: trust needs the public one, {path}.pub")
            try:
                key = forms.load_pem_public_key(data)
            except Exception:
                raise LogError(
                    f"{path} is no public key in PEM, such as FILE.pub of tenlog sign --new-key"
                ) from None
            if not isinstance(key, ed25519.Ed25519PublicKey):
                raise LogError(f"{path} is a key, but no Ed25519 key")
            self._keys[_raw(key).hex()] = key

    def knows(self, record: Signature) -> bool:
        """Whether a signature says that it is by a trusted key."""
        return record.key in self._keys

    def holds(self, record: Signature) -> bool:
        """Whether it is."""
        try:
            self._keys[record.key].verify(
                bytes.fromhex(record.signature), _message(record.game, record.seal)
            )
        except self._invalid:
            return False
        return True


def load_signatures(path: Path, *, needed: bool = False) -> dict[str, list[Signature]]:
    """The signatures of a file by game; none if there is no such file, unless it is ``needed``.

    Raises:
        LogError: it can't be read, is too large, or a line is no signature.
    """
    by_game: dict[str, list[Signature]] = {}
    decode = msgspec.json.Decoder(Signature).decode
    try:
        data = read_small(path, MAX_SIGNATURES)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and not needed:
            return {}
        raise log_error(path, error) from None
    start = number = 0
    while start < len(data):
        number += 1
        stop = data.find(b"\n", start)
        stop = stop if stop >= 0 else len(data)
        try:
            record = decode(data[start:stop])
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            what = str(error)[:200]
            raise LogError(f"{path}, line {number}: this is no signature: {what}") from None
        by_game.setdefault(record.game, []).append(record)
        start = stop + 1
    return by_game


def sign_log(log: Path | str, key: Path, out: Path | None = None) -> tuple[Path, list[Signature]]:
    """Sign all games of a log as they are now, each of which has to be a good one.

    Signatures by the same key of the same games are replaced, all others are kept.

    Returns: the signature file (``out``, or the one beside the log) and the new signatures.

    Raises:
        LogFault: a game is faulty.
        LogError: a file can't be read or written, or there is nothing to sign.
        TenlogError: the package ``cryptography`` is not installed.
    """
    private = load_private(key)
    public = _raw(private.public_key()).hex()
    if out is None:
        if str(log) == "-":
            raise TenlogError("signatures of standard input need a file: name it with --out")
        out = signature_path(Path(log))
    new: list[Signature] = []
    for game in read_games(log):
        result = replay(game)
        if result.fault is not None:
            fault = result.fault
            raise LogFault(
                f"{log}, line {fault.line} (event {fault.event}): {fault.message}; "
                "nothing is signed"
            )
        if game.game is None or not game.committed:
            raise LogError(f"{log}, line {game.text.line}: nothing of this game is committed")
        signed = private.sign(_message(game.game, game.seal))
        new.append(Signature(game.game, game.seal, public, signed.hex()))
    if not new:
        raise LogError(f"{log} has no game in it: nothing is signed")
    names = {record.game for record in new}
    kept = [
        record
        for records in load_signatures(out).values()
        for record in records
        if record.key != public or record.game not in names
    ]
    _replace(out, msgspec.json.Encoder().encode_lines([*kept, *new]))
    return out, new


def _replace(path: Path, data: bytes) -> None:
    """A file that is there as a whole: the old one or the new one."""
    partial = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        with partial.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise log_error(path, error, "write") from None
