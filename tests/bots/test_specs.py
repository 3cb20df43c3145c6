"""How bots are named, made and described."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tenlog.bots.registry import BUILT_IN, bot_names, describe, find_bot, make_bot
from tenlog.bots.spec import parse_spec, specs_of, split_specs
from tenlog.errors import BotError
from tests.support import run_cli


@pytest.mark.parametrize(
    ("text", "kind", "target", "parameters"),
    [
        ("greedy", "name", "greedy", {}),
        ("greedy:risk=0.2,token=1", "name", "greedy", {"risk": "0.2", "token": "1"}),
        ("my.mod:Bot", "object", "my.mod:Bot", {}),
        ("mod:Outer.Bot,a=b=c", "object", "mod:Outer.Bot", {"a": "b=c"}),
        ("cmd:./bot --x=1,2 :y", "program", "./bot --x=1,2 :y", {}),
        ("cmd,ms=5,start=7:node b.mjs", "program", "node b.mjs", {"ms": "5", "start": "7"}),
    ],
)
def test_grammar(text: str, kind: str, target: str, parameters: dict[str, str]) -> None:
    spec = parse_spec(text)
    assert (spec.kind, spec.target, spec.parameters) == (kind, target, parameters)
    assert spec.foreign == (kind != "name")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1 to 1000 characters"),
        ("x" * 1001, "1 to 1000 characters"),
        ("a\x1b[31m", "control character"),
        ("greedy:", "nothing stands behind"),
        ("greedy,risk=1", "behind a colon, as in greedy:risk=1"),
        ("greedy:risk=1,risk=2", "given twice"),
        ("greedy:=2", "not parameter=value"),
        ("greedy:risk=1,2", "not parameter=value"),
        ("a b:C", "no name of a bot"),
        ("mod:not-a-name", "nor, with 'mod' as its module"),
        ("cmd:", "no command"),
        ("cmd", "no command"),
        ("cmd,ms:x", "not parameter=value"),
    ],
)
def test_what_is_no_specification(text: str, message: str) -> None:
    with pytest.raises(BotError, match=message):
        parse_spec(text)


def test_lists() -> None:
    text = "greedy:risk=0.2,token=0.1,random,m.x:B,d=1,cmd,ms=50:./bot -x,random"
    assert split_specs(text) == [
        "greedy:risk=0.2,token=0.1",
        "random",
        "m.x:B,d=1",
        "cmd,ms=50:./bot -x",
        "random",
    ]
    with pytest.raises(BotError):
        split_specs("greedy,,random")
    with pytest.raises(BotError):
        split_specs("risk=1,greedy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", r"no bot 'nobody': there are random, cautious, greedy, planner"),
        ("random:x=1", r"no parameter 'x' \(it has: none\)"),
        ("greedy:risk=much", r"risk must be of type float, not 'much'"),
        ("greedy:risk=nan", r"risk must be -5 to 5"),
        ("greedy:hope=2", r"hope must be 0 to 1, not 2.0"),
        ("cautious:purse=1.5", r"purse must be of type int"),
        ("planner:nodes=1", r"nodes must be 10 to"),
        ("cmd:no-such-program-here", r"there is no program 'no-such-program-here'"),
        ("cmd:'open", r"no closing quotation"),
        ("cmd,ms=0:sh", r"ms must be 1 to"),
        ("cmd,speed=1:sh", r"no parameter 'speed' \(it has: ms, start\)"),
        ("no_such_module_here:Bot", r"module 'no_such_module_here' can't be loaded"),
        ("tenlog.bots.rand:Nobody", r"tenlog.bots.rand has no Nobody"),
        ("tenlog.bots.rand:CARDS", r"CARDS is tuple, not a class"),
        ("tenlog.bots.safe:safe_command,state=1", r"can't be made: (Attribute|Type)Error"),
        ("builtins:dict", r"no method decide"),
    ],
)
def test_what_cannot_be_made(text: str, message: str) -> None:
    with pytest.raises(BotError, match=message):
        make_bot(text)


def test_lists_given_one_by_one_add_up() -> None:
    assert specs_of(["greedy,random", "cautious"]) == ("greedy", "random", "cautious")
    assert specs_of(["cmd:./a,cmd:./b"]) == ("cmd:./a", "cmd:./b")
    assert specs_of(["greedy", "cmd,ms=5:./a -x 1,2"]) == ("greedy", "cmd,ms=5:./a -x 1,2")
    with pytest.raises(BotError):
        specs_of(["greedy", "cmd:"])


@pytest.mark.parametrize("command", ["simulate", "tournament"])
def test_a_command_takes_bots_one_by_one(tmp_path: Path, command: str) -> None:
    run = run_cli(
        command, "-n", "1", "--bots", "cautious", "--bots", "random", "--seed", "s", "--json",
        "--jobs", "1", env={"TENLOG_HOME": str(tmp_path)},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert b'"cautious"' in run.stdout
    assert b'"random"' in run.stdout


@pytest.mark.parametrize(
    "words", ["tournament --rules ten/1 --rules ten/1", "simulate -n 5 --games 6"]
)
def test_an_option_with_one_value_is_given_once(words: str) -> None:
    run = run_cli(*words.split())
    assert (run.returncode, run.stdout) == (2, b"")
    assert b"is given more than once; it takes one value" in run.stderr


def test_every_bot_says_what_it_is() -> None:
    for name in BUILT_IN:
        info = describe(name)
        assert (info.name, info.origin) == (name, "built-in")
        assert info.version
        assert info.about
        for key, value in info.parameters.items():
            assert describe(f"{name}:{key}={value}").parameters == info.parameters


def test_objects_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_folder_bot.py").write_text(
        "class Lazy:\n"
        "    'Is lazy.'\n"
        "    version = '7'\n"
        "    def __init__(self, depth: int = 3, *, name='x'): self.depth = depth\n"
        "    def decide(self, view, stream): raise SystemError\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    bot, origin = find_bot("my_folder_bot:Lazy,depth=5")
    assert (getattr(bot, "depth", None), origin) == (5, "object")
    info = describe("my_folder_bot:Lazy,depth=5")
    assert (info.name, info.version, info.about) == ("Lazy", "7", "Is lazy.")
    assert info.parameters == {"depth": 5, "name": "x"}


def test_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plug-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(
        "[tenlog.bots]\n"
        "plugged = tenlog.bots.rand:RandomBot\n"
        "greedy = tenlog.bots.rand:RandomBot\n"
        "broken = no_such_module_here:Bot\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert bot_names() == [*BUILT_IN, "broken", "plugged"]
    assert describe("plugged").origin == "entry-point"
    assert describe("greedy").origin == "built-in"
    with pytest.raises(BotError, match=r"'broken'.*can't be loaded"):
        make_bot("broken")
