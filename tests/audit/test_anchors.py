"""Anchors: seals that were written down, and signatures."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from tenlog.audit import CODES, Judged, Unread, Verdict, audit
from tenlog.audit.seal import LastSeal, last_seals
from tenlog.audit.sign import (
    MAX_SIGNATURES,
    Signature,
    load_signatures,
    new_key,
    sign_log,
    signature_path,
)
from tenlog.errors import LogError, LogFault, SetupError, TenlogError
from tenlog.log.codec import NO_SEAL
from tenlog.log.store import encode_game
from tests.audit.forgers import events_of, sealed
from tests.laws.games import odd_game, small_ruleset
from tests.support import ROOT, run_cli


def game(i: int, choices: int | None = None) -> bytes:
    """Game i; with other choices, another legal game of the same id, players and seed."""
    how = i if choices is None else choices
    return encode_game(odd_game(str(i), 2, small_ruleset(), choices=how, game=f"g{i}"))


def seal_in(data: bytes) -> str:
    return data[-35:-3].decode()


def codes(found: list[Judged | Unread]) -> list[tuple[str | None, str, str | None]]:
    judged = [item for item in found if isinstance(item, Judged)]
    assert len(judged) == len(found), found
    for item in judged:
        assert all(fault.code in CODES for fault in item.faults)
    return [
        (item.game, item.verdict, item.faults[0].code if item.faults else None) for item in judged
    ]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(game(0) + game(1) + game(2))
    return path


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("keys")
    new_key(folder / "ann")
    new_key(folder / "bob")
    return folder / "ann", folder / "bob"


def pub(key: Path) -> Path:
    return key.with_name(key.name + ".pub")


# --- seals ---------------------------------------------------------------------------------------


def test_last_seals(log: Path) -> None:
    data = [game(i) for i in range(3)]
    expected = [
        LastSeal(str(log), f"g{i}", seal_in(data[i]), data[i].count(b"\n"), True) for i in range(3)
    ]
    assert list(last_seals(log)) == expected
    assert list(last_seals(log, "g1")) == expected[1:2]
    with pytest.raises(SetupError, match="no game 'g9'"):
        list(last_seals(log, "g9"))
    log.write_bytes(data[0] + data[1].replace(b'"seat":0', b'"seat":1', 1))
    found = last_seals(log)
    assert next(found) == expected[0]
    with pytest.raises(LogFault, match="the seal over these bytes"):
        next(found)


def test_seal_command(log: Path) -> None:
    done = run_cli("seal", log)
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].startswith(seal_in(game(1)).encode() + b"  g1  ")
    one = run_cli("seal", log, "--json", "--game", "g2")
    assert msgspec.json.decode(one.stdout, type=LastSeal).seal == seal_in(game(2))
    log.write_bytes(b"nonsense\n")
    bad = run_cli("seal", log)
    assert (bad.returncode, bad.stdout) == (1, b"")


def test_expected_seals(log: Path) -> None:
    seals = [seal_in(game(i)) for i in range(3)]
    clean = [(f"g{i}", "clean", None) for i in range(3)]
    path = [str(log)]
    assert codes(list(audit(path, expect=seals))) == clean
    assert codes(list(audit(path, expect=[f"g1={seals[1]}"]))) == clean
    lines = [f"{seal}  g  1,234 events, in progress" for seal in seals]
    assert codes(list(audit(path, expect=lines))) == clean
    assert codes(list(audit(path, expect=seals[:2]))) == [
        *clean[:2],
        ("g2", "faulty", "unexpected-seal"),
    ]
    # A seal that another game has is not the one that this game should have.
    assert codes(list(audit(path, expect=[f"g1={seals[0]}"])))[1] == (
        "g1",
        "faulty",
        "unexpected-seal",
    )
    assert codes(list(audit(path, expect=[f"g7={seals[0]}"]))) == [
        *clean,
        ("g7", "faulty", "seal-absent"),
    ]
    assert codes(list(audit(path, expect=[*seals, "0" * 31 + "1"])))[3:] == [
        (None, "faulty", "seal-absent")
    ]
    for text in ("", "x" * 32, "abc", f"a b={seals[0]}", f"{seals[0]} {seals[0]}"):
        with pytest.raises(TenlogError, match="a seal is 32 hex digits"):
            audit(path, expect=[text])


def test_expect_finds_what_the_rules_allow(log: Path) -> None:
    """Another legal game under the same id, and a game that was cut off after some seal."""
    seal = seal_in(game(0))
    log.write_bytes(game(0, choices=99))
    assert codes(list(audit([str(log)]))) == [("g0", "clean", None)]
    (found,) = audit([str(log)], expect=[seal])
    assert isinstance(found, Judged)
    (fault,) = found.faults
    assert fault.code == "unexpected-seal"
    last = log.read_bytes().splitlines(keepends=True)
    assert (fault.event, fault.line) == (len(last) - 1, len(last))
    assert fault.offset == len(b"".join(last[:-1]))
    cut = sealed(events_of(game(0))[:9], Random(0))
    log.write_bytes(cut)
    assert codes(list(audit([str(log)]))) == [("g0", "unfinished", None)]
    assert codes(list(audit([str(log)], expect=[f"g0={seal}"]))) == [
        ("g0", "faulty", "unexpected-seal")
    ]
    done = run_cli("audit", log, "--expect", seal, "--json")
    assert done.returncode == 1
    assert msgspec.json.decode(done.stdout, type=Verdict).code == "unexpected-seal"


# --- signatures ----------------------------------------------------------------------------------


def test_new_keys(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        done = run_cli("sign", "--new-key", tmp_path / "key")
    finally:
        os.umask(old)
    assert done.returncode == 0
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert b"PRIVATE" not in (tmp_path / "key.pub").read_bytes()
    before = (tmp_path / "key").read_bytes()
    again = run_cli("sign", "--new-key", tmp_path / "key")
    assert again.returncode == 3
    assert b"not overwritten" in again.stderr
    (tmp_path / "key").rename(tmp_path / "other")
    assert run_cli("sign", "--new-key", tmp_path / "key").returncode == 3  # key.pub is there
    assert not (tmp_path / "key").exists()
    assert (tmp_path / "other").read_bytes() == before


def test_signed_games_are_trusted(log: Path, keys: tuple[Path, Path]) -> None:
    ann, bob = keys
    before = log.read_bytes()
    where, new = sign_log(log, ann)
    assert where == signature_path(log)
    assert [record.game for record in new] == ["g0", "g1", "g2"]
    assert log.read_bytes() == before
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    public: Any = load_pem_public_key(pub(ann).read_bytes())
    for record in new:  # as the documentation has it; raises if it does not hold
        text = f"tenlog/signature/1:{record.game}:{record.seal}"
        public.verify(bytes.fromhex(record.signature), text.encode())
        assert record.key == public.public_bytes_raw().hex()
    clean = [(f"g{i}", "clean", None) for i in range(3)]
    assert codes(list(audit([str(log)], trusted=[pub(ann)]))) == clean
    assert codes(list(audit([str(log)], trusted=[pub(bob), pub(ann)]))) == clean
    assert {code for _, _, code in codes(list(audit([str(log)], trusted=[pub(bob)])))} == {
        "unsigned"
    }
    # Bob signs too, Ann once more: each is there once.
    sign_log(log, bob)
    sign_log(log, ann)
    assert len(where.read_bytes().splitlines()) == 6
    assert codes(list(audit([str(log)], trusted=[pub(bob)]))) == clean


def test_signatures_find_what_the_rules_allow(log: Path, keys: tuple[Path, Path]) -> None:
    ann, _ = keys
    where, _ = sign_log(log, ann)
    log.write_bytes(game(0) + game(1, choices=99))
    found = list(audit([str(log)], trusted=[pub(ann)]))
    assert codes(found) == [
        ("g0", "clean", None),
        ("g1", "faulty", "other-seal-signed"),
        ("g2", "faulty", "game-absent"),
    ]
    # A faulty game is told as such, once.
    log.write_bytes(game(0).replace(b'"seat":0', b'"seat":1', 1) + game(1) + game(2))
    assert codes(list(audit([str(log)], trusted=[pub(ann)])))[0] == ("g0", "faulty", "wrong-seat")
    # A signature that was moved to another game, or to another seal, does not hold.
    log.write_bytes(game(0) + game(1))
    records = [record for group in load_signatures(where).values() for record in group]
    moved = [
        msgspec.structs.replace(records[1], game="g0", seal=records[0].seal),
        msgspec.structs.replace(records[1], signature=records[0].signature),
    ]
    where.write_bytes(msgspec.json.Encoder().encode_lines(moved))
    assert codes(list(audit([str(log)], trusted=[pub(ann)]))) == [
        ("g0", "faulty", "bad-signature"),
        ("g1", "faulty", "bad-signature"),
    ]
    # One that says that it is by a key which is not trusted says nothing.
    stranger = [msgspec.structs.replace(record, key="0" * 64) for record in records]
    where.write_bytes(msgspec.json.Encoder().encode_lines(stranger))
    assert {code for *_, code in codes(list(audit([str(log)], trusted=[pub(ann)])))} == {"unsigned"}


def test_signatures_elsewhere(log: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    ann, _ = keys
    out = tmp_path / "all.sig"
    done = run_cli("sign", log, "--key", ann, "--out", out, "--json")
    assert done.returncode == 0
    assert len([msgspec.json.decode(x, type=Signature) for x in done.stdout.splitlines()]) == 3
    assert not signature_path(log).exists()
    args: list[str | Path] = ["--trusted", pub(ann), "--signatures", out]
    assert run_cli("audit", log, *args).returncode == 0
    assert run_cli("audit", "-", *args, stdin=log.read_bytes()).returncode == 0
    assert run_cli("audit", "-", *args, stdin=game(0)).returncode == 1  # two are missing
    assert run_cli("audit", log, "--trusted", pub(ann)).returncode == 1
    done = run_cli("audit", log, "--trusted", pub(ann), "--signatures", tmp_path / "typo.sig")
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"typo.sig: no such file" in done.stderr


def test_what_is_not_signed(log: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    ann, _ = keys
    log.write_bytes(game(0) + game(1).replace(b'"seat":0', b'"seat":1', 1))
    with pytest.raises(LogFault, match="nothing is signed"):
        sign_log(log, ann)
    log.write_bytes(b"")
    with pytest.raises(LogError, match="no game in it"):
        sign_log(log, ann)
    log.write_bytes(game(0)[:100])
    with pytest.raises(LogError, match="nothing of this game is committed"):
        sign_log(log, ann)
    log.write_bytes(sealed(events_of(game(0))[:9], Random(0)))
    _, (record,) = sign_log(log, ann)  # a game in progress, as it is now
    assert record.seal != NO_SEAL
    signature_path(log).write_bytes(b"keep me\n")
    with pytest.raises(LogError, match="line 1: this is no signature"):
        sign_log(log, ann)
    assert signature_path(log).read_bytes() == b"keep me\n"
    refused: list[tuple[list[str | Path], int]] = [
        (["sign", log], 2),
        (["sign", log, "--key", tmp_path / "none"], 3),
        (["sign", log, "--key", pub(ann)], 3),
        (["sign", log, "--new-key", tmp_path / "x"], 2),
        (["sign", "-", "--key", ann], 2),
    ]
    for args, code in refused:
        done = run_cli(*args, stdin=game(0))
        assert done.returncode == code, (args, done)
        assert b"Traceback" not in done.stderr
    assert not (tmp_path / "x").exists()


def test_keys_and_signature_files_that_are_none(
    log: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    ann, _ = keys
    with pytest.raises(LogError, match="is a private key"):
        audit([str(log)], trusted=[ann])
    (tmp_path / "rubbish").write_bytes(os.urandom(500))
    with pytest.raises(LogError, match="no public key in PEM"):
        audit([str(log)], trusted=[tmp_path / "rubbish"])
    with pytest.raises(LogError, match="no such file"):
        audit([str(log)], trusted=[tmp_path / "none"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LogError, match="it is no file"):
        audit([str(log)], trusted=[tmp_path / "pipe"])
    signature_path(log).write_bytes(b"[" * 100_000)
    found = list(audit([str(log)], trusted=[pub(ann)]))
    assert isinstance(found[0], Unread)
    assert "this is no signature" in found[0].message
    with signature_path(log).open("wb") as file:
        file.truncate(MAX_SIGNATURES + 1)
    found = list(audit([str(log)], trusted=[pub(ann)]))
    assert isinstance(found[0], Unread)
    assert "larger than 64 MiB" in found[0].message


def test_a_key_of_the_wrong_kind_is_told_in_plain_words(
    log: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    junk = tmp_path / "junk.pem"
    junk.write_bytes(b"junk")
    for key, said in ((pub(keys[0]), "is a public key"), (junk, "is no private key in PEM: make")):
        with pytest.raises(LogError, match=said) as error:
            sign_log(log, key)
        assert "cryptography" not in str(error.value)
    with pytest.raises(LogError, match=r"is no public key in PEM, such as FILE\.pub") as error:
        audit([str(log)], trusted=[junk])
    assert "cryptography" not in str(error.value)


def test_a_signed_log_that_is_gone_from_its_folder(
    log: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    ann, bob = keys
    below = tmp_path / "round" / "b.jsonl"
    below.parent.mkdir()
    below.write_bytes(game(7))
    other = tmp_path / "c.jsonl"
    other.write_bytes(game(8))
    sign_log(log, ann)
    sign_log(below, ann)
    sign_log(other, bob)
    folder = [str(tmp_path)]
    below.unlink()
    other.unlink()  # nobody who is trusted has signed it
    found = list(audit(folder, trusted=[pub(ann)]))
    assert codes(found)[3:] == [("g7", "faulty", "game-absent")]
    assert isinstance(found[3], Judged)
    assert (found[3].file, found[3].absent) == (str(below), True)
    # A log that is named misses nothing that was beside it; one file of signatures tells all.
    assert len(list(audit([str(log)], trusted=[pub(ann)]))) == 3
    assert len(list(audit(folder, trusted=[pub(ann)], signatures=signature_path(log)))) == 3
    signature_path(below).write_bytes(b"junk")
    assert isinstance(list(audit(folder, trusted=[pub(ann)]))[3], Unread)
    done = run_cli("audit", tmp_path, "--trusted", pub(bob))
    assert done.returncode == 1
    assert b"2 games absent" not in done.stdout
    assert b"; 1 game absent" in done.stdout


def test_without_cryptography(log: Path) -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\n"
        "sys.argv = ['tenlog', *sys.argv[1:]]\n"
        "from tenlog_cli.app import main; main()"
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
    for args in (["sign", str(log), "--key", "k"], ["audit", str(log), "--trusted", "k"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *args],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
            timeout=60,
        )
        assert done.returncode == 2
        assert b"pip install '.[sign]'" in done.stderr
        assert b"Traceback" not in done.stderr
