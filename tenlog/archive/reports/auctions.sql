-- What do wilds cost? Prices by kind of wild and third of the game.
-- phase is the third of the game's turns in which the wild was turned up; sold is a share, price and
-- second are means over the wilds that were sold, second the second highest bid.
-- picture: bar price by kind within phase
select case when a.card = 'WW' then 'full' when a.card[1] = 'W' then 'number' else 'colour' end
    as kind,
  least(1 + 3 * (a.turn - 1) // g.turns, 3)::INTEGER as phase,
  count(*) as auctions,
  avg((a.price is not null)::INTEGER) as sold,
  avg(a.bids) as bids,
  avg(a.price) as price,
  avg(a.price) - mean_error(stddev_samp(a.price), count(a.price)) as price_low,
  avg(a.price) + mean_error(stddev_samp(a.price), count(a.price)) as price_high,
  avg(a.second_bid) as second,
  avg((a.winner = a.drawer)::INTEGER) as to_drawer
from auctions a join games g on g.game = a.game
group by kind, phase
order by phase, kind
