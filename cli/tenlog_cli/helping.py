"""Help pages of commands: the same lines of words as everything else, for any width."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from tenlog.story import Span
from tenlog_cli.paint import Line, cells, colours, joined, painted, width, wrap

_WIDEST: Final = 28  # columns of what stands before an explanation
_LEAST: Final = 26  # columns of the explanation itself


class Helped:
    """A command, or a group of them, that writes its help page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page; a pipe and NO_COLOR get it without escapes."""
        lines = help_lines(self, ctx, width())
        formatter.write("".join([painted(joined(line), colours()) + "\n" for line in lines]))


class Command(Helped, TyperCommand):
    """A command with such a page, that takes no value for one that was given before."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words; an option that takes one value and is given twice is a mistake."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            for param in self.params:
                if (
                    isinstance(param, TyperOption)
                    and not (param.multiple or param.is_flag or param.count)
                    and given.count(param) > 1
                ):
                    name = max(param.opts, key=len)
                    raise typer.BadParameter(
                        f"{name} is given more than once; it takes one value", ctx
                    )
        return super().parse_args(ctx, args)


class Group(Helped, TyperGroup):
    """A group of commands with such a page."""


def help_lines(command: Any, ctx: Any, room: int) -> list[Line]:
    """How a command is called, what it does, and what each option is for."""
    usage = [Span("Usage: ", "dim"), Span(" ".join([ctx.command_path, *_pieces(command)]))]
    lines: list[Line] = [*wrap(usage, room, 7)]
    for paragraph in inspect.cleandoc(command.help or command.short_help or "").split("\n\n"):
        lines += [[], *wrap([Span(" ".join(paragraph.split()))], room)]
    for title, rows in _sections(command, ctx).items():
        lines += [[], [Span(title, "strong")], *_rows(rows, room)]
    return lines


def _pieces(command: Any) -> list[str]:
    """What stands behind the name of a command when it is called."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    rest = ["COMMAND ..."] if isinstance(command, TyperGroup) else []
    return ["[OPTIONS]", *[_argument(p) for p in arguments], *rest]


def _argument(param: Any) -> str:
    name = _bare(param)
    return name if param.required else f"[{name}]"


def _bare(param: Any) -> str:
    """The name of an argument, without the brackets that say that it may be left out."""
    name: str = param.metavar or param.name.upper()
    return name.replace("[", "").replace("]", "")


def _sections(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    """What is explained, by headline."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for name in command.list_commands(ctx) if isinstance(command, TyperGroup) else ():
        sub = command.get_command(ctx, name)
        assert sub is not None
        panel = getattr(sub, "rich_help_panel", None)
        title = panel if isinstance(panel, str) else "Commands"
        sections.setdefault(title, []).append((name, sub.get_short_help_str(1000)))
    for param in command.get_params(ctx):
        record = param.get_help_record(ctx)
        if record is None:
            continue
        if param.param_type_name == "argument":
            sections.setdefault("Arguments", []).append((_bare(param), record[1]))
        else:
            sections.setdefault("Options", []).append((_option(param), record[1]))
    return sections


def _option(param: Any) -> str:
    names = ", ".join(sorted(param.opts, key=len))
    if param.secondary_opts:
        names += f", {', '.join(param.secondary_opts)}"
    return names if param.is_flag else f"{names} {param.metavar}"


def _rows(rows: Sequence[tuple[str, str]], room: int) -> list[Line]:
    """Names and what they are: beside each other, or below where there is little room."""
    size = min(_WIDEST, max(cells(name) for name, _ in rows))
    beside = room - size - 4 >= _LEAST
    indent = size + 4 if beside else 6
    lines: list[Line] = []
    for name, text in rows:
        words = [Span(" ".join(text.split()))]
        if beside and cells(name) <= size:
            first = [Span(" " * 2), Span(name, "key"), Span(" " * (size - cells(name)))]
            told = wrap(words, room - indent)
            lines.append([*first, Span("  "), *told[0]])
            lines += [[Span(" " * indent), *line] for line in told[1:]]
        else:
            lines += wrap([Span(name, "key")], room, 4, 2)
            lines += wrap(words, room, indent, indent)
    return lines
