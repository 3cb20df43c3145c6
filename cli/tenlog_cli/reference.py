"""The pages that one looks things up in: the rules, the format, rulesets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tenlog_cli.asked import JsonOption
from tenlog_cli.output import print_json

if TYPE_CHECKING:
    from tenlog.docs import Section
    from tenlog.game.ruleset import Ruleset
    from tenlog_cli.paint import Line

# The pages, and what a place on one is called.
_PLACES: Final = {"rules": "Rule", "format": "Format", "audit": "Audit"}


def rules(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]",
            help="A section or point of the rules (4, 4.3, auction), contents, or format or audit "
            "and a section of it; all rules if left out.",
        ),
    ] = None,
    word: Annotated[
        str | None,
        typer.Option(
            "--find",
            metavar="WORD",
            help="Print every rule that has this word (or every place of the format or audit).",
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
        if what or word is not None:
            raise SetupError("--ruleset and --toml print a ruleset: leave the section out")
        _show_ruleset(ruleset or "ten/1", toml, as_json)
        return
    wanted = " ".join(what or [])
    if word is not None:
        _show_places(wanted or "rules", word, as_json)
        return
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
    if first in _PLACES:
        name, rest = first, rest[len(first) :].strip()
    if not rest:
        return name, Section("", "", page(name))
    found = find_section(name, rest)
    if found is None:
        titles = ", ".join(f"{section.number} {section.title}" for section in sections(name))
        raise SetupError(
            f"no section {rest[:30]!r} of the {name} (--find searches their text); there are: "
            f"{titles}"
        )
    return name, found


def page_lines(wanted: str, room: int) -> list[Line]:
    """A page, a section or a point, typeset.

    Raises:
        SetupError: there is no such section.
    """
    from tenlog.docs import numbered, sections
    from tenlog_cli.markdown import markdown_lines

    name, section = find(wanted)
    if "." in section.number:
        return place_lines(name, section, room)
    if name != "rules" or section.number == "contents":
        return markdown_lines(section.text, room)
    if section.number:
        return markdown_lines(numbered(section), room)
    head = section.text.partition("\n## ")[0]
    return markdown_lines("\n".join([head, *map(numbered, sections(name))]), room)


def place_lines(name: str, place: Section, room: int) -> list[Line]:
    """A point, a paragraph or a row of a table: where it stands, and what it says."""
    from tenlog.story import Span
    from tenlog_cli.markdown import inline
    from tenlog_cli.paint import wrap

    text = re.sub(r"^(\d+\.|-) +", "", place.text.strip())
    if text.startswith("|"):
        about, *rest = [cell.strip() for cell in text.strip("|").split("|")]
        text = f"{about}: {' · '.join(rest)}"
    kind = _PLACES[name] if "." in place.number else "Section"
    head = [Span(f"{kind} {place.number}", "strong"), Span(f" · {place.title}", "dim")]
    return [*wrap(head, room), *wrap(inline(text), room)]


def show_rules(wanted: str) -> None:
    """Print a page, a section or a point.

    Raises:
        SetupError: there is no such section.
    """
    from tenlog_cli.paint import put, width

    put(page_lines(wanted, width()))


def _show_places(wanted: str, word: str, as_json: bool) -> None:
    """Print every place of a page that has a word."""
    from tenlog.docs import PAGES, find_word
    from tenlog.errors import SetupError
    from tenlog.play.answers import RuleAnswer
    from tenlog_cli.paint import put, width

    if wanted not in PAGES:
        raise SetupError(f"--find searches a whole page: {', '.join(PAGES)}, not {wanted[:30]!r}")
    places = find_word(wanted, word) if word.strip() else []
    if not places:
        also = [name for name in PAGES if word.strip() and find_word(name, word)]
        hint = f"; the page {also[0]} has it: tenlog rules {also[0]} --find" if also else ""
        raise SetupError(f"nothing on the page {wanted} has {word[:30]!r}{hint}")
    for number, place in enumerate(places):
        if as_json:
            print_json(RuleAnswer(wanted, place.number, place.text))
            continue
        put([[]] if number else [])
        put(_marked(line, word) for line in place_lines(wanted, place, width()))


def _marked(line: Line, word: str) -> Line:
    """A line in which a word stands out."""
    from tenlog.story import Span

    pieces = [
        Span(text, "key" if place % 2 else span.role)
        for span in line
        for place, text in enumerate(re.split(f"({re.escape(word)})", span.text, flags=re.I))
    ]
    return [piece for piece in pieces if piece.text]


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
