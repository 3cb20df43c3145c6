-- What do wilds cost? Prices by kind of wild and third of the game.
-- phase is the third of the game's turns in which the wild was turned up; sold is a share, price and
-- second are means over the wilds that were sold, second the second highest bid. The sample of the
-- price's interval is the game.
-- picture: bar price by kind within phase
with samples as (
  select case when a.card = 'WW' then 'full' when a.card[1] = 'W' then 'number' else 'colour' end
      as kind,
    least(1 + 3 * (a.turn - 1) // g.turns, 3)::INTEGER as phase,
    count(*) as auctions, sum(a.bids) as bids, count(a.price) as sold,
    coalesce(sum(a.price), 0) as paid, sum(a.second_bid) as seconds,
    count(a.second_bid) as contested, count(*) filter (a.winner = a.drawer) as to_drawer
  from auctions a join games g on g.game = a.game
  group by kind, phase, a.game
), sums as (
  select kind, phase, count(*) filter (sold > 0) as games, sum(auctions) as auctions,
    sum(bids) as bids, sum(sold) as sold, sum(paid) / sum(sold) as price,
    sum(paid * paid) as squares, sum(paid * sold) as products, sum(sold * sold) as sold_2,
    sum(seconds) / sum(contested) as second, sum(to_drawer) / sum(sold) as to_drawer
  from samples
  group by kind, phase
), errors as (
  select *, mean_error(ratio_deviation(spread(price, squares, products, sold_2), games, sold),
    games) as error
  from sums
)
select kind, phase, auctions::BIGINT as auctions, sold / auctions as sold, bids / auctions as bids,
  price, price - error as price_low, price + error as price_high, second, to_drawer
from errors
order by phase, kind
