"""Lines and seals, byte for byte (FORMAT 2).

A line is ``{"n":…,"ev":{…},…,"h":"…"}`` and a newline. Decoding is strict: what is read must be the
very bytes that encoding it again gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from tenlog.game.events import Count, Event

SUFFIXES: Final = (".jsonl", ".jsonl.gz", ".jsonl.zst")
MAX_LINE: Final = 1 << 20  # bytes of a line, newline included; no honest line comes near
MAX_GAME: Final = 1 << 24  # bytes of a game

NO_SEAL: Final = "0" * 32
SEAL_KEY: Final = b',"h":"'
START: Final = b'{"n":0,"ev":{"type":"GameStarted",'  # how every game begins (FORMAT 2)

Seal = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
LATEST: Final = 2**53  # ms since the Unix epoch: what every JSON reader takes exactly
Moment = Annotated[int, msgspec.Meta(ge=0, le=LATEST)]


class Origin(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Where a game branched off: after event ``n`` of the game whose seal there was ``seal``."""

    seal: Seal
    n: Count


class Line(
    msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename={"origin": "from"}
):
    """One line of a log.

    Attributes:
        n: 0, 1, 2 … within the game.
        ev: the event.
        at: milliseconds since the Unix epoch, when a person played.
        bots: on the first line, by seat: the bot's specification, or None for a person.
        origin: on the first line (``from`` in the log): the game that this one branched off.
        h: the seal.
    """

    n: Count
    ev: Event
    at: Moment | UnsetType = UNSET
    bots: tuple[str | None, ...] | UnsetType = UNSET
    origin: Origin | UnsetType = UNSET
    h: Seal | UnsetType = UNSET


_BOM: Final = b"\xef\xbb\xbf"

_T = TypeVar("_T")

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)
_event_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)

encode = _encoder.encode
encode_lines = _encoder.encode_lines
decode_lines = _decoder.decode_lines  # not strict by itself: what is read must be compared


class CodecError(ValueError):
    """A line that is not what FORMAT 2 says: ``code`` is the kind of fault."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def encode_event(event: Event) -> bytes:
    """The bytes of an event as they stand in a log: what makes two games the same (FORMAT 2)."""
    return _encoder.encode(event)


def encode_events(events: Sequence[Event]) -> bytes:
    """All events, one on each line."""
    return _encoder.encode_lines(events)


def decode_event(data: bytes) -> Event:
    """The event that canonical bytes stand for.

    Raises:
        CodecError: the bytes are not an event, or not in their canonical form.
    """
    return _strictly(_event_decoder, data)


def decode_line(data: bytes) -> Line:
    """The line that canonical bytes (without the newline) stand for.

    Raises:
        CodecError: ``not-utf8``, ``not-json``, ``bad-shape`` or ``not-canonical``.
    """
    return _strictly(_decoder, data)


def _strictly(decoder: msgspec.json.Decoder[_T], data: bytes) -> _T:
    try:
        value = decoder.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _what_is_wrong(data, error) from None
    again = _encoder.encode(value)
    if again != data:
        raise CodecError("not-canonical", _first_difference(data, again))
    return value


def _what_is_wrong(data: bytes, error: Exception) -> CodecError:
    """In this order: UTF-8, JSON, shape; so that what is told does not depend on how far a decoder
    came before it noticed anything."""
    try:
        data.decode()
    except UnicodeDecodeError as bad:
        return CodecError("not-utf8", f"byte {bad.start + 1} of the line is not UTF-8")
    if data.startswith(_BOM):
        return CodecError("not-canonical", "the line starts with a byte order mark")
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.MsgspecError, ValueError, RecursionError) as bad_json:
        what = str(bad_json).removeprefix("JSON is malformed: ")
        return CodecError("not-json", f"the line is not JSON: {_lower(what)}")
    return CodecError("bad-shape", _lower(str(error)))


def _lower(text: str) -> str:
    if text[1:2].islower():  # not an abbreviation
        text = text[:1].lower() + text[1:]
    return text if len(text) <= 300 else text[:300] + "…"


def _first_difference(found: bytes, canonical: bytes) -> str:
    if found.endswith(b"\r"):
        return "the line ends with a carriage return (CRLF): a log has bare newlines"
    at = next(
        (i for i, (a, b) in enumerate(zip(found, canonical, strict=False)) if a != b),
        min(len(found), len(canonical)),
    )
    here = found[at : at + 24].decode(errors="replace")
    due = canonical[at : at + 24].decode(errors="replace")
    return f"not the canonical form: at byte {at + 1} stands {here!r} where {due!r} is due"


def seal_of(previous: str, data: bytes) -> str:
    """The seal over everything since the previous one: 32 hex digits (FORMAT 2).

    ``data`` is every byte of the game after the last sealed line's newline up to this line's
    ``,"h":``.
    """
    return sha256(previous.encode() + data).hexdigest()[:32]


def seal_line(previous: str, before: bytes, line: Line) -> tuple[bytes, str]:
    """A line with its seal and newline, and the seal; ``before`` are the unsealed lines since the
    previous seal. ``line.h`` must be unset."""
    body = _encoder.encode(line)[:-1]
    seal = seal_of(previous, before + body)
    return body + SEAL_KEY + seal.encode() + b'"}\n', seal
