-- Which bot wins? Wins and points by bot; people are (person).
-- A seat counts for the bot that the log names for it. Rates and means are those of a seat; the
-- sample of their intervals is the game, as the seats of one take from each other. Games of one
-- player, which nobody loses, don't count; tables of all other sizes do, together.
-- picture: bar win_rate by bot
with samples as (
  select coalesce(bot, '(person)') as bot, count(*) as seats,
    sum(won::INTEGER) as wins, sum(score) as points,
    sum(tokens) as tokens, sum(busts) as busts, sum(cards) as cards
  from players join games using (game)
  where games.players > 1
  group by 1, game
), means as (
  select bot, sum(wins) / sum(seats) as win_rate, sum(points) / sum(seats) as score
  from samples
  group by bot
), spreads as (
  select bot, count(*) as games, sum(s.seats) as seats, any_value(win_rate) as win_rate,
    any_value(score) as score,
    ratio_deviation(sum((s.wins - win_rate * s.seats) ** 2), count(*), sum(s.seats)) as win_spread,
    ratio_deviation(sum((s.points - score * s.seats) ** 2), count(*), sum(s.seats)) as score_spread,
    sum(s.tokens) / sum(s.seats) as tokens, sum(s.busts) / sum(s.seats) as busts,
    sum(s.cards) / sum(s.seats) as cards
  from samples s join means using (bot)
  group by bot
), sizes as (
  -- As many independent games as would make the rate vary as it does.
  select *, case when seats = games or win_rate in (0, 1) then games
    when win_spread ** 2 < 1e-12 then 1e12
    else win_rate * (1 - win_rate) * games / win_spread ** 2 end as n
  from spreads
)
select bot, games, seats::BIGINT as seats, win_rate,
  wilson_low(win_rate * n, n) as win_low, wilson_high(win_rate * n, n) as win_high,
  score,
  score - mean_error(score_spread, games) as score_low,
  score + mean_error(score_spread, games) as score_high,
  tokens, busts, cards
from sizes
order by win_rate desc, bot
