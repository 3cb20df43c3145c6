"""Pictures of a game in lines of words: the table, the score, the odds, what may be done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tenlog.game.cards import CARDS, COLOUR_NAMES, CURRENCY, NUMBERS_END
from tenlog.game.scoring import best_score, best_total, tie_break
from tenlog.game.state import AUCTION, DRAW, FINAL_BUY, OVER, SOLD, State
from tenlog.story import Passage, Span, Words, card_words, counted, tell, to_do, wild_text
from tenlog_cli.paint import NARROW, Line, cut, line_cells, pad, rule, wrap

if TYPE_CHECKING:
    from tenlog.game.events import Event
    from tenlog.game.odds import Odds
    from tenlog.play.prompt import Hint


def spread(left: Words, right: Words, room: int) -> list[Line]:
    """Something at either end of a line, or one below the other where there is no room."""
    gap = room - line_cells(left) - line_cells(right)
    if gap >= 2:
        return [[*left, Span(" " * gap), *right]]
    return [*wrap(left, room), *wrap(right, room)]


def collection_words(counts: bytes) -> Words:
    """Cards owned or for sale, colour by colour, copies counted: ``R1 R5×2  B4``."""
    words: Words = []
    last = ""
    for kind, count in enumerate(counts):
        if not count:
            continue
        card = CARDS[kind]
        if words:
            words.append(Span("  " if card[0] != last else " "))
        last = card[0]
        words.append(Span(card, "card"))
        if count > 1:
            words.append(Span(f"×{count}"))
    return words


def sorted_collection(counts: bytes) -> Words:
    """Cards owned, each colour's wilds right after its numbers."""
    words: Words = []
    for colour in range(4):
        kinds = [*range(colour * 9, colour * 9 + 9), NUMBERS_END + colour]
        words = _group(words, [(kind, counts[kind]) for kind in kinds])
    return _group(words, [(kind, counts[kind]) for kind in range(NUMBERS_END + 4, CURRENCY)])


def _group(words: Words, kinds: Sequence[tuple[int, int]]) -> Words:
    group: Words = []
    for kind, count in kinds:
        if count:
            group += [Span(" ")] if group else []
            group.append(Span(CARDS[kind], "card"))
            group += [Span(f"×{count}")] if count > 1 else []
    if words and group:
        words = [*words, Span("  ")]
    return words + group


def table(state: State, room: int, *, you: Sequence[int] = ()) -> list[Line]:
    """The whole table: seats, market, tableau or auction.

    ``you``: the seats to be marked as the reader's own.
    """
    lines = spread(
        [
            Span(f"Turn {state.turn}", "title"),
            Span(f" · {state.deck_left} of {state.rules.deck_size} cards left"),
        ],
        [Span(f"{state.game} · {state.rules.ruleset.name}", "dim")],
        room,
    )
    lines.append(rule(room))
    for seat in range(len(state.players)):
        lines += seat_lines(state, seat, room, seat in you)
    lines.append(rule(room))
    market = collection_words(state.market) or [Span("empty", "dim")]
    lines += wrap([Span("market   "), *market], room, 9)
    lines += _before(state, room)
    return lines


def seat_lines(state: State, seat: int, room: int, yours: bool) -> list[Line]:
    """A seat in a line: name, money, points; below it the collection."""
    asked = seat == state.to_act and state.phase is not OVER
    mark = Span("▸" if asked else " ", "strong")
    name = state.players[seat] + (" (you)" if yours else "")
    points = best_total(state.cards[seat], state.rules.bonus)
    tokens, busts = state.tokens[seat], state.busts[seat]
    lines: list[Line]
    if room >= NARROW:
        limit = state.rules.token_limit
        bar = "●" * tokens + "○" * (limit - tokens) + " " if limit <= 10 else ""
        figures = (
            f"{bar}{_column(tokens, 2, 'token')}  {_column(busts, 2, 'bust token')}  "
            f"{_column(points, 2, 'point')}"
        )
        gap = room - 4 - len(figures) - 2
        lines = [[mark, Span(f"{seat} "), Span(pad(name, gap), "name"), Span("  "), Span(figures)]]
    else:
        figures = f" {tokens}t {busts}b {points:>2}p"
        gap = room - 3 - len(figures)
        lines = [[mark, Span(f"{seat} "), Span(pad(name, gap), "name"), Span(figures)]]
    cards = sorted_collection(state.cards[seat]) or [Span("no cards yet", "dim")]
    return lines + list(wrap(cards, room, 3, 3))


def _column(number: int, digits: int, noun: str) -> str:
    """A number and its noun, as wide as any other of the column."""
    return f"{number:>{digits}} {noun}{' ' if number == 1 else 's'}"


def _before(state: State, room: int) -> list[Line]:
    """What lies before the active player: the tableau, and the wild under auction."""
    lines: list[Line] = []
    if state.tableau or state.phase in (DRAW, AUCTION, SOLD):
        words = card_words([CARDS[kind] for kind in state.tableau]) or [Span("empty", "dim")]
        if state.tableau:
            words += [Span(f"   total {state.total} · currency {state.currency}")]
        lines += wrap([Span("tableau  "), *words], room, 9)
    return lines + _auction(state, room)


def _auction(state: State, room: int) -> list[Line]:
    """The wild under auction, and the highest bid; nothing if there is none."""
    lines: list[Line] = []
    if state.phase in (AUCTION, SOLD):
        wild = CARDS[state.wild]
        words = [Span("auction  "), Span(wild, "card"), Span(f" ({wild_text(wild)})")]
        if state.bidder >= 0:
            words += [Span(f"   {state.bid} bid by "), Span(state.players[state.bidder], "name")]
        else:
            words.append(Span("   no bid yet"))
        lines += wrap(words, room, 9)
    return lines


def waiting(state: State, room: int) -> list[Line]:
    """Whom the game waits for, in a line."""
    if state.phase is OVER:
        return list(wrap([Span("The game is finished.", "strong")], room))
    name = Span(state.players[state.to_act], "name")
    return list(wrap([name, Span(f" (seat {state.to_act}) is to {to_do(state)}.")], room))


def standings(state: State, room: int) -> list[Line]:
    """The result of a finished game: who has how many points, and for what."""
    bonus = state.rules.bonus
    lines: list[Line] = []
    _, by = tie_break(state.scores, state.tokens, state.winners)
    order = sorted(
        range(len(state.players)),
        key=lambda seat: (
            seat not in state.winners,
            -state.scores[seat],
            -state.tokens[seat],
            sum(state.cards[seat]),
            seat,
        ),
    )
    for seat in order:
        score = best_score(state.cards[seat], bonus)
        won = seat in state.winners
        head = [
            Span("▸" if won else " ", "strong"),
            Span(f"{score.total:>3} points  ", "strong" if won else ""),
            Span(cut(state.players[seat], max(8, room - 20)), "name"),
            *([Span("  winner", "good"), Span(f", {by}" if by else "")] if won else []),
        ]
        lines += wrap(head, room, 4)
        runs = [
            f"{name} {points}" for name, points in zip(COLOUR_NAMES, score.colours, strict=True)
        ]
        lines += wrap([Span(" · ".join(runs))], room, 4, 4)
        if score.wilds:
            words: Words = [Span("wilds: ")]
            for i, (wild, card) in enumerate(score.wilds):
                words += [Span(", ")] if i else []
                words += [Span(wild, "card"), Span(" as "), Span(card, "card")]
            lines += wrap(words, room, 11, 4)
        counts = [counted(state.tokens[seat], "token"), counted(sum(state.cards[seat]), "card")]
        lines += wrap([Span(" · ".join(counts), "dim")], room, 4, 4)
    return lines


def odds_lines(found: Odds, state: State, room: int) -> list[Line]:
    """The odds of the next card, and what drawing is worth against stopping."""
    left = found.deck_left
    name = Span(state.players[found.seat], "name")
    if not left:
        return list(wrap([Span("The deck is empty: nobody draws any more.")], room))
    head = [Span("The next card, for "), name, Span(f": {counted(left, 'card')} left")]
    whose = [Span(" to "), name] if found.seat != state.to_act else []
    if whose:
        # Others bid or buy, but nobody else draws.
        now = "whose turn it is" if found.seat == state.active else "whose turn is next"
        head[2:] = [Span(f", {now}: {counted(left, 'card')} left")]
    lines: list[Line] = list(wrap(head, room))
    rows = (
        ("safe", found.safe),
        ("a wild: an auction", found.wild),
        ("busts by numbers", found.bust_numbers),
        ("busts by currency", found.bust_currency),
    )
    bar = max(0, min(30, room - 42))
    for text, count in rows:
        blocks = round(count / left * bar)
        figures = f"  {text:<19}{count:>4}  {count / left:>6.1%}"
        lines.append([Span(figures), Span("  " + "●" * blocks, "dim")] if bar else [Span(figures)])
    worths = (
        ("draw once more", "draw", found.draw),
        ("take the numbers", "numbers", found.numbers),
        ("take the currency", "currency", found.currency),
    )
    if any(worth is not None for _, _, worth in worths):
        lines += wrap(
            [Span("Worth in points"), *whose, Span(f", a token taken for {found.token:g}:")],
            room,
        )
        for text, choice, worth in worths:
            if worth is not None:
                best = found.best == choice
                words = [
                    Span(f"  {text:<19}{worth:>+7.2f}"),
                    Span("  best" if best else "", "good"),
                ]
                lines.append(words)
    return lines


def passage_lines(passage: Passage, room: int) -> list[Line]:
    """A passage of the story: headlines at the margin, what happens below them."""
    if passage.kind in ("game", "turn", "end"):
        return list(wrap(passage.words, room, 2))
    return list(wrap(passage.words, room, 4, 2))


def history_lines(
    events: Iterable[Event], state: State, room: int, *, this_turn: bool = False
) -> list[Line]:
    """The story of the last round once more, or only of the turn so far."""
    first = state.turn - (0 if this_turn else len(state.players))
    lines: list[Line] = []
    for passage in tell(events):
        if passage.turn >= max(1, first) and passage.kind != "game":
            lines += [[]] if passage.kind == "turn" and lines else []
            lines += passage_lines(passage, room)
    return lines or [[Span("Nothing has happened yet.", "dim")]]


def own_lines(state: State, seat: int, room: int) -> list[Line]:
    """What a seat holds, for a prompt: money and cards; with the wild or the market in question."""
    lines: list[Line] = []
    if state.phase is AUCTION:
        lines += _auction(state, room)
    else:
        market = collection_words(state.market) or [Span("empty", "dim")]
        lines += wrap([Span("market   "), *market], room, 9)
    money = [counted(state.tokens[seat], "token")]
    if state.busts[seat]:
        money.append(counted(state.busts[seat], "bust token"))
    words = [Span("yours    "), Span(", ".join(money))]
    cards = sorted_collection(state.cards[seat])
    if cards:
        words += [Span(" · "), *cards]
    return lines + list(wrap(words, room, 9))


def hint_lines(hints: Sequence[Hint], room: int) -> list[Line]:
    """What may be typed now, one thing in a line, keys and words aligned."""
    keys = max([len(hint.key) for hint in hints], default=0)
    does = max([len(hint.does) for hint in hints], default=0)
    lines: list[Line] = []
    for hint in hints:
        words = [
            Span(f"  {hint.key:<{keys}}", "key"),
            Span(f"  {hint.does:<{does}}  "),
            *hint.words,
        ]
        lines += wrap(words, room, 6 + keys + does)
    return lines


def help_lines(state: State, room: int) -> list[Line]:
    """What may be typed at the prompt."""
    from tenlog.play.prompt import Hint, hints

    asks = (
        Hint("?", "help", (Span("this"),)),
        Hint("o", "odds", (Span("what the next card may do, and what drawing is worth"),)),
        Hint("l", "legal", (Span("everything that may be done, with its payment"),)),
        Hint("s", "show", (Span("the table"),)),
        Hint("h", "hints", (Span("hints on or off: what each choice would lead to"),)),
        Hint("hist", "history", (Span("the last round once more"),)),
        Hint("r N", "rules", (Span("a section of the rules, such as r 4 or r 6.4"),)),
        Hint("u", "undo", (Span("take your last decision back, unless others have acted since"),)),
        Hint("q", "quit", (Span("leave; tenlog resume goes on"),)),
    )
    lines: list[Line] = [[Span("You may now", "strong")], *hint_lines(hints(state), room)]
    lines += [[Span("Always", "strong")], *hint_lines(asks, room)]
    text = (
        "Words may be cut short. After an amount or a card you may say how you pay, such as "
        "2t+1b+R4: two tokens, a bust token and a red 4; else what is worth most is kept."
    )
    return lines + list(wrap([Span(text, "dim")], room))


def legal_lines(state: State, room: int) -> list[Line]:
    """Everything that may be done, one thing in a line."""
    from tenlog.game.commands import Bid
    from tenlog.game.legal import legal
    from tenlog.play.prompt import command_words

    lines: list[Line] = []
    commands = legal(state)
    bids = [command for command in commands if isinstance(command, Bid)]
    for command in commands:
        if isinstance(command, Bid) and len(bids) > 8 and command not in (*bids[:4], bids[-1]):
            if command is bids[4]:
                lines.append([Span(f"  … each amount to {bids[-1].amount - 1}", "dim")])
            continue
        lines += wrap([Span("  "), *command_words(command)], room, 6)
    return lines


def event_lines(event: Event, before: State | None, after: State, room: int) -> list[Line]:
    """What one event says, as a sentence of its own."""
    from tenlog.story import Narrator

    narrator = Narrator()
    if before is not None:
        narrator.begin(before)
    passages = [*narrator.feed(event, after), *narrator.flush()]
    words: Words = []
    for passage in passages:
        if passage.kind != "turn" or passage.seat < 0:
            words += [Span("; ")] if words else []
            words += passage.words
    seat = getattr(event, "seat", None)
    last_buys = before is not None and before.phase is FINAL_BUY
    if seat is not None and not last_buys and not _names(event):
        words = [Span(after.players[seat], "name"), Span(" "), *words]
    return list(wrap(words, room, 2))


def _names(event: Event) -> bool:
    """Whether the story names who it was in the sentence itself."""
    return type(event).__name__ in ("BidPlaced", "BidPassed", "AuctionWon")
