"""The page of one game: watch it, scrub it, link to a moment of it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET

from tenlog import __version__
from tenlog.errors import LogFault
from tenlog.game.cards import CARDS, COLOUR_NAMES, COLOURS
from tenlog.game.ruleset import Ruleset, find_ruleset, rules_field
from tenlog.game.state import OVER
from tenlog.html.chart import lane, score_chart
from tenlog.html.frames import Film
from tenlog.html.page import environment, render
from tenlog.html.words import plain
from tenlog.log.codec import NO_SEAL
from tenlog.log.read import GameLog
from tenlog.log.replay import Replay, replay


class Verdict(msgspec.Struct, frozen=True):
    """What a judge says of a log.

    Attributes:
        level: ``good``: it holds to its end; ``open``: it holds so far, or not all could be
            checked; ``bad``: it has a fault.
        text: the verdict in a few words.
        details: what else there is to know, sentence by sentence.
    """

    level: Literal["good", "open", "bad"]
    text: str
    details: tuple[str, ...] = ()


def verdict_of(log: GameLog, judged: Replay) -> Verdict:
    """The verdict of a strict replay: every seal, event and draw re-derived and compared."""
    details: list[str] = []
    if judged.seed is None:
        details.append("The game is sealed: its draws can be checked once the seed is revealed.")
    if log.tail and log.fault is None:
        details.append(f"{len(log.tail):,} bytes after the last seal are not committed.")
    if judged.state is not None:
        details += _own_rules(judged.state.rules.ruleset)
    fault = judged.fault
    if fault is not None:
        where = f"Line {fault.line}, event {fault.event}, rule {fault.rule}: "
        details.insert(0, where + fault.message)
        details.append("Shown is the game before the fault.")
        return Verdict("bad", f"A fault at event {fault.event}", tuple(details))
    if not log.finished:
        return Verdict("open", "Holds so far: the game is in progress", tuple(details))
    details.insert(0, "Every seal, draw, decision and point was re-derived and compared.")
    return Verdict("good", "Every event holds", tuple(details))


def _own_rules(ruleset: Ruleset) -> list[str]:
    """What there is to know of a ruleset that the log brings along."""
    if isinstance(rules_field(ruleset), str):
        return []
    from tenlog.play.advice import own_numbers

    usual = find_ruleset("ten/1")
    said = [*own_numbers(ruleset)]
    if ruleset.deck != usual.deck:
        said.append("the deck is another one")
    what = "; ".join(said) or "as ten/1 in all but its name"
    return [f"By a ruleset that the log brings along, {ruleset.name}: {what}."]


def render_replay(
    log: GameLog,
    verdict: Verdict | None = None,
    *,
    notation: str | None = None,
    seed: str | None = None,
) -> str:
    """One self-contained HTML page that shows a game.

    A game with a fault is shown up to it. The seed of a game in progress does not get into the
    page, whatever the log says: it would give the deck away.

    Args:
        log: the game as it was read.
        verdict: what an audit says; without one, a strict replay is made and says it.
        notation: the one-line notation of the game, to be copied from the page.
        seed: the seed of a sealed game, if it is known: lets the draws be checked.

    Raises:
        LogFault: nothing of the game can be shown.
        HtmlExtraMissing: the template engine is not installed.
    """
    environment()  # before any work: it may not be installed
    film = Film()
    judged = replay(log, seed, watch=film.see)
    state, start = judged.state, log.start
    if state is None or start is None:
        what = "nothing of it is committed" if judged.fault is None else judged.fault.message
        raise LogFault(f"there is no game to show: {what}")
    over = state.phase is OVER
    verdict = verdict or verdict_of(log, judged)
    names = [plain(name, 400) for name in state.players]
    bots = [None if bot is None else plain(bot) for bot in log.bots] or [None] * len(names)
    rules = state.rules
    last = len(film.frames) - 1
    data: dict[str, Any] = {
        "game": state.game,
        "names": names,
        "cards": CARDS,
        "limit": rules.bust_limit,
        "tokenLimit": rules.token_limit,
        "deck": rules.deck_size,
        "frames": film.frames,
        "texts": film.texts,
        "kinds": film.kinds,
        "marks": film.marks,
        "turns": film.turns,
    }
    return render(
        "replay.html.jinja",
        style="replay.css",
        script="replay.js",
        data=data,
        version=__version__,
        title=f"TEN replay: {state.game}",
        game=state.game,
        rules=plain(rules.ruleset.name, 32),
        players=list(zip(names, bots, strict=True)),
        known_bots=bool(log.bots),
        result=_result(names, state.scores, state.winners) if over else None,
        last=last,
        turns=state.turn,
        verdict=msgspec.structs.replace(
            verdict,
            text=plain(verdict.text),
            details=tuple([plain(detail, 600) for detail in verdict.details]),
        ),
        seal=log.seal if log.seal != NO_SEAL else None,
        sealed_event=max([line.n for line in log.lines if line.h is not UNSET], default=0),
        seed=plain(judged.seed, 800) if over and judged.seed is not None else None,
        commitment=start.commitment,
        notation=None if notation is None else notation.encode(errors="replace").decode(),
        chart=score_chart(film.points),
        lanes=[
            ("bust", "Busts", film.marks.bust, lane("bust", film.marks.bust, last)),
            ("auction", "Auctions", film.marks.auction, lane("auction", film.marks.auction, last)),
            ("buy", "Buys", film.marks.buy, lane("buy", film.marks.buy, last)),
            ("lead", "New leader", film.marks.lead, lane("lead", film.marks.lead, last)),
        ],
        colours=list(zip(COLOURS, COLOUR_NAMES, strict=True)),
    )


def _result(
    names: list[str], scores: tuple[int, ...], winners: tuple[int, ...]
) -> list[tuple[int, str, int, bool]]:
    """Seat, name, points, whether it won; best first."""
    order = sorted(range(len(names)), key=lambda seat: (seat not in winners, -scores[seat], seat))
    return [(seat, names[seat], scores[seat], seat in winners) for seat in order]
