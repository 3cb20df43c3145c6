"""The published schemas: equal to the types, and true of everything that is written."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from tenlog.errors import SetupError
from tenlog.log.codec import CodecError, decode_line
from tenlog.schemas import SCHEMAS, json_schema, schema_text
from tenlog_cli.app import COMMANDS, load_command
from tests.support import ROOT, run_cli

FIXTURES = ROOT / "fixtures"
LOGS = sorted((FIXTURES / "golden").glob("*.jsonl"))


@cache
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((ROOT / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", SCHEMAS)
def test_published_schema_is_that_of_the_type(name: str) -> None:
    published = (ROOT / "schemas" / f"{name}.json").read_text(encoding="utf-8")
    assert published == schema_text(name), "write them anew: tenlog schema --out schemas"
    validator(name)


def test_nothing_else_is_published() -> None:
    assert {path.stem for path in (ROOT / "schemas").glob("*.json")} == set(SCHEMAS)


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_every_line_of_the_fixtures(log: Path) -> None:
    data = log.read_bytes()
    lines = data.split(b"\n")[:-1]  # what follows the last newline is nothing, or torn
    assert lines
    for raw in lines:
        line = json.loads(raw)
        validator("line").validate(line)
        validator("event").validate(line["ev"])
        validator(line["ev"]["type"]).validate(line["ev"])
        if isinstance(line["ev"].get("rules"), dict):
            validator("ruleset").validate(line["ev"]["rules"])


def test_every_line_of_the_broken_logs_that_is_a_line() -> None:
    """What the reader takes for a line is one for the schema, too."""
    taken = 0
    for log in sorted((FIXTURES / "broken").glob("*.jsonl")):
        for raw in log.read_bytes().split(b"\n"):
            try:
                decode_line(raw)
            except CodecError:
                continue
            taken += 1
            if taken % 10 == 0:
                validator("line").validate(json.loads(raw))
    assert taken > 1000


def test_every_command_that_answers_in_json_has_a_schema() -> None:
    told = " ".join(schema.about for schema in SCHEMAS.values())
    for name in COMMANDS:
        command = load_command(name)
        inner = getattr(command, "commands", {})
        for path, each in [(name, command), *((f"{name} {sub}", c) for sub, c in inner.items())]:
            if any("--json" in param.opts for param in each.params):
                assert path in told, f"tenlog {path} --json has no schema"


BAD: list[dict[str, Any]] = [
    {"n": 1, "ev": {"type": "CardDrawn", "seat": 0, "card": "R0"}},
    {"n": 1, "ev": {"type": "CardDrawn", "seat": -1, "card": "R1"}},
    {"n": 1, "ev": {"type": "CardDrawn", "seat": 0}},
    {"n": 1, "ev": {"type": "CardShown", "seat": 0, "card": "R1"}},
    {"n": 1, "ev": {"type": "CardDrawn", "seat": 0, "card": "R1", "note": ""}},
    {"n": 1, "ev": {"type": "CardDrawn", "seat": 0, "card": "R1"}, "h": "0"},
    {"n": 1, "ev": {"type": "CardDrawn", "seat": 0, "card": "R1"}, "who": "Ada"},
    {"ev": {"type": "CardDrawn", "seat": 0, "card": "R1"}},
]


@pytest.mark.parametrize("line", BAD)
def test_schema_of_a_line_refuses(line: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        validator("line").validate(line)


def _answers(tmp_path: Path) -> list[tuple[str, list[str | Path]]]:
    golden = FIXTURES / "golden"
    two, three, torn = (golden / f"{n}.jsonl" for n in ("2-players", "3-players", "torn"))
    return [
        ("export", ["export", three, "--json"]),
        ("export", ["export", torn, "--json"]),
        ("diff", ["diff", two, three, "--json", "--state", "4"]),
        ("diff-bots", ["diff", "--bots", two, "--bot", "0=greedy", "--json"]),
        ("branch", ["branch", three, "--at", "12", "--out", tmp_path / "b.jsonl", "--json"]),
        ("show", ["show", torn, "--json"]),
        ("show", ["replay", three, "--at", "9", "--json"]),
        ("replay", ["replay", two, "--json"]),
        ("legal", ["legal", torn, "--json"]),
        ("odds", ["odds", tmp_path / "o.jsonl", "--json"]),
        ("move", ["new", "--player", "Ada", "--log", tmp_path / "n.jsonl", "--json"]),
        ("ls", ["ls", "--json"]),
        ("bots", ["bots", "--json"]),
        ("rules", ["rules", "4.3", "--json"]),
        ("ruleset", ["rules", "--ruleset", "ten/1", "--json"]),
        ("audit", ["audit", FIXTURES / "broken", three, "--json"]),
        ("seal", ["seal", three, "--json"]),
        ("demo", ["demo", "--bot", "random", "--players", "1", "--json"]),
    ]


def test_what_commands_answer(tmp_path: Path) -> None:
    golden = FIXTURES / "golden"
    env = {"TENLOG_HOME": str(tmp_path / "home")}
    made = run_cli("branch", golden / "3-players.jsonl", "--at", "5", "--out", tmp_path / "o.jsonl")
    assert made.returncode == 0
    for name, args in _answers(tmp_path):
        done = run_cli(*args, env=env)
        assert done.returncode in (0, 1), (args, done.stderr)
        answers = done.stdout.splitlines()
        assert answers, args
        for answer in answers:
            validator(name).validate(json.loads(answer))


def test_command() -> None:
    assert run_cli("schema", "CardDrawn").stdout.decode() == schema_text("CardDrawn")
    listed = run_cli("schema").stdout.decode()
    assert all(line.split()[0] in SCHEMAS for line in listed.splitlines())
    assert len(listed.splitlines()) == len(SCHEMAS)
    wrong = run_cli("schema", "nothing")
    assert wrong.returncode == 2
    assert b"no schema 'nothing'" in wrong.stderr
    with pytest.raises(SetupError):
        json_schema("nothing")


def test_writing_them(tmp_path: Path) -> None:
    assert run_cli("schema", "line", "--out", tmp_path).returncode == 0
    assert (tmp_path / "line.json").read_text() == schema_text("line")
    blocked = tmp_path / "file"
    blocked.write_text("")
    failed = run_cli("schema", "line", "--out", blocked)
    assert failed.returncode == 3
    assert b"can't write" in failed.stderr
