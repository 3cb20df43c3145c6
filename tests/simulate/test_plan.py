"""Plans: game i follows from the plan and i."""

from __future__ import annotations

from collections import Counter

import pytest

from tenlog.errors import SeedError, SetupError, TenlogError
from tenlog.game.ruleset import ruleset_from
from tenlog.game.start import check_game_id
from tenlog.simulate.plan import SimulationPlan, id_from_seed, parse_players
from tenlog.simulate.tables import TournamentPlan

MINE = ruleset_from({"name": "mine", "bust_limit": 12})
YOURS = ruleset_from({"name": "mine", "bust_limit": 9})
FOUR = ("greedy", "greedy", "cautious", "random")


def test_seeds_and_rotation() -> None:
    plan = SimulationPlan(8, "study-1", FOUR, (4,))
    plan.check()
    specs = [plan.spec(i) for i in range(plan.total)]
    assert [spec.seed for spec in specs] == [f"study-1/{i}" for i in range(8)]
    assert specs[0].bots == FOUR
    assert specs[1].bots == ("greedy", "cautious", "random", "greedy")
    assert specs[4].bots == specs[0].bots
    # A contestant keeps its name wherever it sits.
    assert specs[1].names == ("greedy-2", "cautious-3", "random-4", "greedy-1")
    assert all(plan.spec(i) == specs[i] for i in range(8))


def test_fixed_seats() -> None:
    plan = SimulationPlan(5, "s", FOUR, (4,), fixed_seats=True)
    assert {plan.spec(i).bots for i in range(5)} == {FOUR}


def test_all_take_turns_at_tables_with_fewer_seats_than_bots() -> None:
    bots = ("a", "b", "c", "d")
    plan = SimulationPlan(8, "s", bots, (2, 4))
    specs = [plan.spec(i) for i in range(8)]
    assert [spec.bots for spec in specs[:4]] == [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    for seat in range(2):
        assert Counter(spec.bots[seat] for spec in specs) == dict.fromkeys(bots, 2)
    assert plan.spec(9).bots == ("b", "c", "d", "a")
    assert plan.left_out() == ()
    fixed = SimulationPlan(8, "s", bots, (2, 4), fixed_seats=True)
    assert {fixed.spec(i).bots for i in range(8)} == {("a", "b")}
    assert fixed.groups()[0].bots == ("a", "b")
    assert fixed.left_out() == ("c", "d")


def test_rulesets_are_paired_on_the_same_seeds() -> None:
    other = ruleset_from({"name": "mine", "bust_limit": 12})
    plan = SimulationPlan(3, "s", ("random",), (2, 3), ("ten/1", other))
    plan.check()
    specs = [plan.spec(i) for i in range(plan.total)]
    assert plan.total == 12
    assert Counter(spec.seed for spec in specs) == {f"s/{i}": 4 for i in range(3)}
    assert len({spec.game for spec in specs}) == 12
    assert [group.label for group in plan.groups()] == ["r1-p2", "r1-p3", "r2-p2", "r2-p3"]


@pytest.mark.parametrize("seed", ["a", "Ä", "x" * 120, "a/b", "a b", " ", "-", "日本"])
def test_ids_are_ids(seed: str) -> None:
    assert check_game_id(f"{id_from_seed(seed)}-r10-p10-999999999") is None


def test_different_seeds_have_different_ids() -> None:
    seeds = ["a/b", "a-b", "a b", "a", "Ä", "ä", "x" * 60, "x" * 61]
    assert len({id_from_seed(seed) for seed in seeds}) == len(seeds)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (SimulationPlan(0, "s", FOUR, (4,)), "number of games"),
        (SimulationPlan(1, "s", (), (4,)), "at least one bot"),
        (SimulationPlan(1, "s", FOUR, (3,)), "4 bots for 3 seats"),
        (SimulationPlan(1, "s", FOUR, (6,)), "1 to 5 players"),
        (SimulationPlan(1, "s", FOUR, (4,), ("ten/1", "ten/1")), "two rulesets are called 'ten/1'"),
        (SimulationPlan(1, "s", FOUR, (4,), ("ten/1", MINE, YOURS)), "two rulesets are .*'mine'"),
        (SimulationPlan(1, "s" * 127, FOUR, (4,)), "longer than allowed"),
        (TournamentPlan(0, "s", ("a", "b"), (2,)), "number of deals"),
        (TournamentPlan(1, "s", ("a",), (2,)), "at least two"),
        (TournamentPlan(1, "s", ("a", "a"), (2,)), "named twice"),
        (TournamentPlan(1, "s", ("a", "b"), (3,)), "tables of 3"),
        (TournamentPlan(1, "s", tuple(f"b{i}" for i in range(40)), (5,)), "too many"),
    ],
)
def test_impossible_plans_are_refused(plan: SimulationPlan | TournamentPlan, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        plan.check()


def test_bad_seed_is_refused() -> None:
    with pytest.raises(SeedError):
        SimulationPlan(1, "a\nb", FOUR, (4,)).check()


@pytest.mark.parametrize("text", ["", "x", "5..2", "2,2", "1-3", "2..", "99999"])
def test_bad_numbers_of_players(text: str) -> None:
    with pytest.raises(TenlogError):
        parse_players(text)


@pytest.mark.parametrize("form", ["round-robin", "pools"])
def test_tournament_seats_are_balanced_on_the_same_deals(form: str) -> None:
    bots = ("a", "b", "c", "d", "e")
    plan = TournamentPlan(6, "s", bots, (2, 3), form=form)  # type: ignore[arg-type]
    groups = plan.groups()
    seen: Counter[tuple[str, int, int]] = Counter()
    indexes = []
    ids = set()
    deals = set()
    for number in range(plan.units):
        unit = plan.unit(number, groups)
        assert len({spec.seed for spec in unit}) == 1
        for spec in unit:
            indexes.append(spec.index)
            ids.add(spec.game)
            deals.add(spec.seed)
            assert len(set(spec.bots)) == len(spec.bots) <= groups[spec.group].players
            for seat, bot in enumerate(spec.bots):
                seen[bot, len(spec.bots), seat] += 1
    assert indexes == list(range(plan.total))
    assert len(ids) == plan.total
    assert deals == {f"s/{d}" for d in range(6)}
    for bot in bots:
        for players in (2, 3):
            assert len({seen[bot, players, seat] for seat in range(players)}) == 1
    if form == "round-robin":
        assert len({seen[bot, 2, 0] for bot in bots}) == 1
