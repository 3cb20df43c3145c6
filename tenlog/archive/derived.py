"""Tables that follow from the events: computed once, when a part is written, and kept beside them.

What they say could be asked of ``events`` each time, and ``DERIVED`` says how; but that needs
windows over every event, which made reports over many games slow. A part of schema 1 has no files
for them: there they are computed when they are asked for, until ``archive rebuild``.

When a part is written they are computed from arrays (:mod:`tenlog.archive.follow`), which takes a
third of the time; ``archive verify`` holds the one against the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    pass

# What a card adds to the total of a turn: numbers their number, currency minus its value, wilds 0.
_NUMBER: Final = "case when card[1] in ('C', 'W') or card[2] = 'W' then 0 else card[2]::INTEGER end"
_VALUE: Final = "case when card[1] = 'C' then card[2]::INTEGER else 0 end"

# Table → the question that gives its rows from ``events``, in their order.
DERIVED: Final[dict[str, str]] = {
    "turns": f"""select game, turn, seat, draws, total, currency,
  case type when 'NumbersTaken' then 'numbers' when 'CurrencyTaken' then 'currency'
    when 'Busted' then 'bust by ' || cause else 'nothing' end as ended,
  gains, case when type = 'CurrencyTaken' then tokens end as tokens, n
from (from events where type in ('NumbersTaken', 'CurrencyTaken', 'Busted', 'NothingTaken'))
left join (
  select game, turn, count(*)::INTEGER as draws, sum({_NUMBER} - {_VALUE})::INTEGER as total,
    sum({_VALUE})::INTEGER as currency
  from events
  where type = 'CardDrawn'
  group by game, turn
) using (game, turn)
order by game, turn""",
    "draws": f"""select game, n, turn, seat, (total - number + currency)::INTEGER as total,
  (tableau - (number + currency > 0)::INTEGER)::INTEGER as tableau, cause as bust
from (
  select game, n, turn, seat, number, currency, sum(number - currency) over drawn as total,
    count(nullif(number + currency, 0)) over drawn as tableau
  from (
    select game, n, turn, seat, {_NUMBER} as number, {_VALUE} as currency
    from events
    where type = 'CardDrawn'
  )
  window drawn as (partition by game, turn order by n rows unbounded preceding)
) left join (
  select game, n - 1 as n, cause from events where type = 'Busted'
) using (game, n)
order by game, n""",
    "auctions": """select game, auction, min(n) as n, max(turn) as turn,
  max(case when type = 'CardDrawn' then seat end) as drawer,
  max(case when type = 'CardDrawn' then card end) as card,
  (count(*) filter (type = 'BidPlaced'))::INTEGER as bids,
  arg_max(price, n) filter (type = 'AuctionWon') as price,
  arg_max(seat, n) filter (type = 'AuctionWon') as winner,
  max(amount, 2)[2] as second_bid,
  arg_max(tokens, n) filter (type = 'AuctionWon') as tokens,
  arg_max(busts, n) filter (type = 'AuctionWon') as busts,
  arg_max(cards, n) filter (type = 'AuctionWon') as cards
from (
  select game, n, turn, type, seat, card, amount, price, tokens, busts, cards,
    (count(*) filter (type = 'CardDrawn') over (partition by game order by n))::INTEGER as auction
  from events
  where type in ('BidPlaced', 'AuctionWon')
     or type = 'CardDrawn' and (card[1] = 'W' or card[2] = 'W')
)
where auction > 0
group by game, auction
order by game, auction""",
}


def derived(table: str, events: str) -> str:
    """The question that gives a table's rows; ``events`` is the one that gives those of events."""
    return f"with events as not materialized ({events})\n{DERIVED[table]}"
