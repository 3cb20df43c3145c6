"""Pages to read over the table."""

from __future__ import annotations

from collections.abc import Sequence

from tenlog.errors import TenlogError
from tenlog.game.state import State
from tenlog.play.advice import rules_here
from tenlog.story import Span
from tenlog_cli.guide import rule_lines
from tenlog_cli.paint import Line, wrap
from tenlog_cli.screen import help_lines, standings
from tenlog_cli.screen import table as whole_table


def whole(state: State, you: Sequence[int], room: int) -> list[Line]:
    """The table with all that everybody owns; after the end, what it scored."""
    lines = whole_table(state, room, you=you)
    return [*lines, [], *standings(state, room)] if state.scores else lines


def explained(state: State, refused: str, asked: bool, room: int) -> list[Line]:
    """The rules that apply here, first the one that refused something, if one did; and what may be
    typed, if somebody is asked."""
    numbers = rules_here(state)
    if refused and refused not in numbers:
        numbers = (refused, *numbers)
    lines = rule_lines(numbers, state.rules.ruleset, room)
    return [*lines, [], *help_lines(state, room)] if asked else lines


def section(wanted: str, room: int) -> list[Line]:
    """A section of the rules, or why there is none."""
    from tenlog_cli.reference import page_lines

    try:
        lines = page_lines(wanted, room)
    except TenlogError as error:
        lines = [[Span(str(error), "bad")]]
    # A page cuts off what is wider than it is.
    return [part for line in lines for part in wrap(line, room)]
