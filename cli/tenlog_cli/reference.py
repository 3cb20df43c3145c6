"""The pages that one looks things up in: the rules, the format, rulesets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import JsonOption
from tenlog_cli.output import ascii_only, on_terminal, print_json

if TYPE_CHECKING:
    from tenlog.docs import Section
    from tenlog.game.ruleset import Ruleset


def rules(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]",
            help="A section or point of the rules (4, 4.3, auction), contents, or format or audit "
            "and a section of it; all rules if left out.",
        ),
    ] = None,
    ruleset: Annotated[
        str | None,
        typer.Option(
            "--ruleset", metavar="NAME|FILE", help="Check a ruleset, and print what it says."
        ),
    ] = None,
    toml: Annotated[
        bool,
        typer.Option("--toml", help="Print the ruleset as a TOML file, to make your own from."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the rules of the game, the log format, or a ruleset."""
    from tenlog.errors import SetupError

    if ruleset is not None or toml:
        if what:
            raise SetupError("--ruleset and --toml print a ruleset: leave the section out")
        _show_ruleset(ruleset or "ten/1", toml, as_json)
        return
    wanted = " ".join(what or [])
    if as_json:
        from tenlog.play.answers import RuleAnswer

        page, section = find(wanted)
        print_json(RuleAnswer(page, section.number, section.text))
        return
    show_rules(wanted)


def find(wanted: str) -> tuple[str, Section]:
    """The page and the section that are wanted; the empty text is all rules.

    Raises:
        SetupError: there is no such section; says which there are.
    """
    from tenlog.docs import Section, find_section, page, sections
    from tenlog.errors import SetupError

    name, rest = "rules", wanted.strip()
    if rest == "contents":
        lines = [f"{section.number}. {section.title}" for section in sections("rules")]
        lines += ["", "`format` shows the log format:", ""]
        lines += [f"{section.number}. {section.title}" for section in sections("format")]
        lines += ["", "`audit` shows what an audit looks at, and the codes of all faults:", ""]
        lines += [f"{section.number}. {section.title}" for section in sections("audit")]
        return name, Section("contents", "", "\n".join(lines) + "\n")
    first = rest.split(" ")[0].lower()
    if first in ("format", "audit"):
        name, rest = first, rest[len(first) :].strip()
    if not rest:
        return name, Section("", "", page(name))
    found = find_section(name, rest)
    if found is None:
        titles = ", ".join(f"{section.number} {section.title}" for section in sections(name))
        raise SetupError(f"no section {rest[:30]!r} of the {name}; there are: {titles}")
    return name, found


def show_rules(wanted: str) -> None:
    """Print a section: typeset on a terminal, as it is into a pipe.

    Raises:
        SetupError: there is no such section.
    """
    _, section = find(wanted)
    from tenlog_cli.paint import put, width

    if not on_terminal() or ascii_only():
        from tenlog.story import Span
        from tenlog_cli.paint import safe

        put([Span(safe(line))] for line in section.text.splitlines())
        return
    from rich.markdown import Markdown

    from tenlog_cli.output import console

    point = section.number.partition(".")[2]
    text = section.text
    if point:
        # A point alone would be typeset as the first of a list.
        text = f"**{section.number}** {text.partition('. ')[2]}"
    console().print(Markdown(text), width=width())


def _show_ruleset(name: str, toml: bool, as_json: bool) -> None:
    from tenlog.play.setup import load_ruleset, ruleset_toml

    ruleset = load_ruleset(name)
    if as_json:
        print_json(ruleset)
        return
    from tenlog.story import Span
    from tenlog_cli.paint import put, width, wrap

    if toml:
        put([Span(line)] for line in ruleset_toml(ruleset).splitlines())
        return
    for key, text in _ruleset_rows(ruleset):
        put(wrap([Span(f"{key:<15}", "strong"), Span(text)], width(), 15))


def _ruleset_rows(ruleset: Ruleset) -> list[tuple[str, str]]:
    from tenlog.game.ruleset import Rules, find_ruleset

    r = ruleset
    players = range(r.seats.min, r.seats.max + 1)
    sizes = ", ".join(f"{Rules(r, n).deck_size} with {n}" for n in players)
    usual = find_ruleset("ten/1").deck
    other = [
        f"{card} {list(r.deck.get(card, ()))}"
        for card in dict.fromkeys([*usual, *r.deck])
        if r.deck.get(card) != usual.get(card)
    ]
    return [
        ("ruleset", f"{r.name}: it can be played"),
        ("players", f"{r.seats.min} to {r.seats.max}"),
        ("cards", sizes),
        ("other copies", "; ".join(other) or "as in ten/1"),
        (
            "tokens",
            f"{r.tokens.start} to start, {r.tokens.limit} at most, {r.tokens.supply} in all",
        ),
        ("bust tokens", f"{r.busts.supply} in all, worth {r.busts.value} each"),
        ("busts above", str(r.bust_limit)),
        ("full run", f"{r.full_run_bonus} more"),
        ("unsold wilds", "out of the game" if r.unsold_wild == "discard" else "to the drawer"),
        ("cards paid", "out of the game" if r.spent_cards == "discard" else "to the market"),
        ("auctions", "cards may pay" if r.auction_cards else "cards can't pay"),
    ]
