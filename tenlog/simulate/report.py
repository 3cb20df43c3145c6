"""What a run is reported as: rates and means, each with its interval; never a bare number."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

import tenlog
from tenlog.bots.registry import describe
from tenlog.simulate.compare import Comparison
from tenlog.simulate.forfeits import ProgramAnswers
from tenlog.simulate.manifest import Manifest
from tenlog.simulate.run import Outcome
from tenlog.simulate.tally import Interval, Sums
from tenlog.story import counted


class Row(msgspec.Struct, frozen=True):
    """A bot or a seat: games, share of games won (shared victories in part) and mean score, both
    by seat where it has several; the games are the samples of the intervals."""

    name: str
    games: int
    won: Interval
    score: Interval


class GroupSummary(msgspec.Struct, frozen=True):
    """One ruleset and number of players. ``scores``: how often each score came."""

    ruleset: str
    players: int
    games: int
    events: int
    busts: int
    bots: list[Row]
    seats: list[Row]
    scores: dict[int, int]


class Summary(msgspec.Struct, frozen=True):
    """``simulate --json``. ``comparisons``: each further ruleset against the first one.
    ``forfeits``: decisions that were made for programs; ``programs``: how each of them answered.
    """

    games: int
    events: int
    digest: str
    skipped: int
    resumed: int
    manifest: str
    groups: list[GroupSummary]
    comparisons: list[Comparison]
    forfeits: int
    programs: list[ProgramAnswers]


def _row(name: str, sums: Sums) -> Row:
    return Row(name, sums.samples, Interval.of(sums.win_rate()), Interval.of(sums.mean_score()))


def summarise(outcome: Outcome, manifest: str) -> Summary:
    """The figures of a run; bots of the same specification are one row."""
    groups = []
    for group, tally in zip(outcome.groups, outcome.tallies, strict=True):
        if not tally.games:
            continue
        groups.append(
            GroupSummary(
                group.ruleset,
                group.players,
                tally.games,
                tally.events,
                tally.busts,
                [_row(spec, sums) for spec, sums in tally.bots.items()],
                [_row(f"seat {seat}", sums) for seat, sums in enumerate(tally.seats)],
                dict(sorted(tally.scores.items())),
            )
        )
    return Summary(
        outcome.games,
        outcome.events,
        outcome.digest,
        outcome.skips,
        outcome.resumed,
        manifest,
        groups,
        outcome.comparisons,
        outcome.forfeits,
        outcome.programs,
    )


class Repeat(msgspec.Struct, frozen=True):
    """``simulate --repeat --json``: whether a run came out the same, and in what it did not.

    ``skipped``: games that could not be played now; ``differences``: for people, each as ``what
    now, was what``.
    """

    same: bool
    games: int
    events: int
    digest: str
    expected_digest: str
    tenlog: str
    made_with: str
    skipped: int
    differences: list[str]

    @classmethod
    def of(cls, manifest: Manifest, outcome: Outcome) -> Repeat:
        """Compare what was played with what a manifest says.

        Raises:
            BotError: a bot can't be asked for its version.
        """
        differences = [*_other_bots(manifest), *_other_results(manifest, outcome)]
        return cls(
            not differences,
            outcome.games,
            outcome.events,
            outcome.digest,
            manifest.digest,
            tenlog.__version__,
            manifest.tenlog,
            outcome.skips,
            differences,
        )

    def sentence(self) -> str:
        """The same for people."""
        if self.same:
            skipped = f" ({self.skipped:,} skipped, as before)" if self.skipped else ""
            return f"the same: {counted(self.games, 'game')}{skipped}, digest {self.digest}"
        version = (
            ""
            if self.tenlog == self.made_with
            else f" (made with tenlog {self.made_with}, this is {self.tenlog})"
        )
        return f"not the same{version}: {'; '.join(self.differences)}"


def _other_bots(manifest: Manifest) -> Iterator[str]:
    for was in manifest.bots:
        now = describe(was.spec)
        if now.version != was.version:
            yield f"bot {was.spec} version {now.version or '?'}, was {was.version or '?'}"


def _other_results(manifest: Manifest, outcome: Outcome) -> Iterator[str]:
    for name, now, was in (
        ("games", outcome.games, manifest.games),
        ("events", outcome.events, manifest.events),
        ("skipped games", outcome.skips, manifest.skips),
        ("forfeits", outcome.forfeits, manifest.forfeits),
        ("digest", outcome.digest, manifest.digest),
    ):
        if now != was:
            yield f"{name} {now}, was {was}"
    if outcome.comparisons != manifest.comparisons:
        yield "the comparisons of rulesets are others"
