"""Lines, byte for byte (FORMAT 2): what is canonical, and every way of not being so."""

from __future__ import annotations

import pytest

from tenlog.game.events import CardDrawn, Payment
from tenlog.log.codec import (
    NO_SEAL,
    CodecError,
    Line,
    decode_event,
    decode_line,
    encode_event,
    seal_line,
    seal_of,
)

DRAW = b'{"n":3,"ev":{"type":"CardDrawn","seat":0,"card":"R5"},"h":"' + b"0" * 32 + b'"}'
BID = (
    b'{"n":4,"ev":{"type":"BidPlaced","seat":1,"amount":2,'
    b'"payment":{"tokens":2,"busts":0,"cards":["R5"]}},"at":17}'
)
START = (
    '{"n":0,"ev":{"type":"GameStarted","format":1,"game":"g","rules":"ten/1",'
    '"players":["Zoë","李"],"seed":"é","commitment":"0"},"at":1,"bots":["a\\n\\u0001\\"",null],'
    '"from":{"seal":"00000000000000000000000000000000","n":3}}'
).encode()


@pytest.mark.parametrize("line", [DRAW, BID, START], ids=["draw", "bid", "start"])
def test_canonical_lines_come_back_as_they_are(line: bytes) -> None:
    from tenlog.log.codec import encode

    assert encode(decode_line(line)) == line


BROKEN: dict[str, tuple[bytes, bytes, str]] = {
    "a space": (b'"n":3', b'"n": 3', "not-canonical"),
    "a space at the end": (b'"}', b'"} ', "not-canonical"),
    "a space at the start": (b'{"n"', b' {"n"', "not-canonical"),
    "a tab": (b',"ev"', b',\t"ev"', "not-canonical"),
    "keys of the line in another order": (
        b'"n":3,"ev":{"type":"CardDrawn","seat":0,"card":"R5"}',
        b'"ev":{"type":"CardDrawn","seat":0,"card":"R5"},"n":3',
        "not-canonical",
    ),
    "keys of the event in another order": (
        b'"seat":0,"card":"R5"',
        b'"card":"R5","seat":0',
        "not-canonical",
    ),
    "type not first": (
        b'"type":"CardDrawn","seat":0',
        b'"seat":0,"type":"CardDrawn"',
        "not-canonical",
    ),
    "a doubled key": (b'"seat":0', b'"seat":1,"seat":0', "not-canonical"),
    "a doubled n": (b'"n":3', b'"n":2,"n":3', "not-canonical"),
    "a doubled type": (b'"type":"CardDrawn"', b'"type":"CardDrawn","type":"CardDrawn"', ""),
    "an unknown key": (b'"seat":0', b'"seat":0,"x":1', "bad-shape"),
    "an unknown key of the line": (b'"n":3', b'"n":3,"x":1', "bad-shape"),
    "a missing field": (b'"seat":0,', b"", "bad-shape"),
    "no n": (b'"n":3,', b"", "bad-shape"),
    "an unknown type": (b"CardDrawn", b"CardDrown", "bad-shape"),
    "no type": (b'"type":"CardDrawn",', b"", "bad-shape"),
    "an unknown card": (b"R5", b"R0", "bad-shape"),
    "a lower-case card": (b"R5", b"r5", "bad-shape"),
    "a negative number": (b'"seat":0', b'"seat":-1', "bad-shape"),
    "minus nothing": (b'"seat":0', b'"seat":-0', "not-canonical"),
    "a fraction": (b'"seat":0', b'"seat":0.5', "bad-shape"),
    "a whole fraction": (b'"seat":0', b'"seat":0.0', ""),
    "an exponent": (b'"seat":0', b'"seat":0e0', ""),
    "a leading zero": (b'"seat":0', b'"seat":00', "not-json"),
    "a number as text": (b'"seat":0', b'"seat":"0"', "bad-shape"),
    "true for a number": (b'"seat":0', b'"seat":true', "bad-shape"),
    "null for a number": (b'"seat":0', b'"seat":null', "bad-shape"),
    "a huge number": (b'"seat":0', b'"seat":' + b"9" * 400, ""),
    "an escaped letter": (b"R5", b"\\u0052\\u0035", "not-canonical"),
    "an escaped slash": (b"CardDrawn", b"Card\\/Drawn", "bad-shape"),
    "upper-case seal": (b"0" * 32, b"A" * 32, "bad-shape"),
    "a short seal": (b"0" * 32, b"0" * 31, "bad-shape"),
    "a long seal": (b"0" * 32, b"0" * 33, "bad-shape"),
    "a null seal": (b'"' + b"0" * 32 + b'"', b"null", "bad-shape"),
    "CRLF": (b'"}', b'"}\r', "not-canonical"),
    "a byte order mark": (b'{"n"', b'\xef\xbb\xbf{"n"', "not-canonical"),
    "not UTF-8": (b"R5", b"R\xff", "not-utf8"),
    "UTF-8 that is too long": (b"R5", b"R\xc0\xb5", "not-utf8"),
    "half a surrogate": (b"R5", b"\\ud800", ""),
    "half a surrogate as bytes": (b"R5", b"\xed\xa0\x80", "not-utf8"),
    "NaN": (b'"seat":0', b'"seat":NaN', "not-json"),
    "a comma too many": (b'"R5"}', b'"R5",}', "not-json"),
    "a comment": (b'"n":3', b'"n":3/*x*/', "not-json"),
    "two values": (b'"}', b'"}{}', "not-json"),
    "cut": (b'"}', b"", "not-json"),
    "an array": (b'{"n"', b'[{"n"', ""),
    "a zero byte": (b'"n":3', b'"n":3\x00', "not-json"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_canonical_is_refused(name: str) -> None:
    old, new, code = BROKEN[name]
    where = DRAW.rindex(old) if old == b'"}' else DRAW.index(old)
    broken = DRAW[:where] + new + DRAW[where + len(old) :]
    with pytest.raises(CodecError) as error:
        decode_line(broken)
    assert error.value.code == code or (
        not code and error.value.code in ("bad-shape", "not-json", "not-canonical", "not-utf8")
    )
    assert str(error.value)[0].islower()
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("line", [b"", b"null", b"{}", b"[]", b"1", b'"x"', b"\n", b"\x00" * 99])
def test_what_is_no_line_at_all(line: bytes) -> None:
    with pytest.raises(CodecError):
        decode_line(line)


@pytest.mark.parametrize("opening", [b"[", b'{"n":', b'{"n":0,"ev":', b'{"n":0,"ev":{"type":'])
def test_deep_nesting_is_refused(opening: bytes) -> None:
    for depth in (100, 100_000):
        with pytest.raises(CodecError):
            decode_line(opening + b"[" * depth + b"]" * depth)
        with pytest.raises(CodecError):
            decode_line(DRAW[:-1] + b',"x":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}")


def test_messages_say_what_and_where() -> None:
    for change, words in (
        (DRAW + b"\r", "carriage return"),
        (b"\xef\xbb\xbf" + DRAW, "byte order mark"),
        (DRAW.replace(b'"n":3', b'"n": 3'), "at byte 6"),
        (DRAW.replace(b"R5", b"\xff\xff"), "byte 50"),
    ):
        with pytest.raises(CodecError, match=words):
            decode_line(change)


def test_events_by_themselves() -> None:
    event = CardDrawn(0, "R5")
    assert encode_event(event) == b'{"type":"CardDrawn","seat":0,"card":"R5"}'
    assert decode_event(encode_event(event)) == event
    with pytest.raises(CodecError, match="not the canonical form"):
        decode_event(b'{"type": "CardDrawn","seat":0,"card":"R5"}')
    with pytest.raises(AttributeError):
        event.seat = 1  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Payment(1, 0, ()).tokens = 2  # type: ignore[misc]


def test_a_seal_covers_what_no_seal_covered() -> None:
    line = Line(1, CardDrawn(0, "C3"))
    first = (
        b'{"n":0,"ev":{"type":"GameStarted","format":1,"game":"tiny","rules":"ten/1",'
        b'"players":["Ada","Bob"],"seed":"42","commitment":'
        b'"f8714fe9a7555f0ac8ea0f2c8398ebad3345725fac4ed7b3709dda705242039b"}'
    )
    # The example of FORMAT 2, sealed on both lines and on the second one only.
    assert seal_of(NO_SEAL, first) == "057da40de7a176495fa793966b4d59ef"
    data, seal = seal_line("057da40de7a176495fa793966b4d59ef", b"", line)
    assert seal == "e1800e9e6836023072d9aface0c1b049"
    assert data.endswith(b'"card":"C3"},"h":"e1800e9e6836023072d9aface0c1b049"}\n')
    assert seal_line(NO_SEAL, first + b"}\n", line)[1] == "f8e7abab21a820d9ab70252a969429e0"
