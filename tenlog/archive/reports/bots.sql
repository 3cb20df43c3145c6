-- Which bot wins? Wins and points by bot; people are (person).
-- A seat counts for the bot that the log names for it; a shared victory counts in part. Rates and
-- means are those of a seat; the sample of their intervals is the game, as the seats of one take
-- from each other. Games of one player, which nobody loses, don't count.
-- games: players > 1
-- picture: bar win_rate by bot
with samples as (
  select coalesce(bot, '(person)') as bot, count(*) as seats,
    sum(victory(won, winners)) as wins, sum(score) as points,
    sum(tokens) as tokens, sum(busts) as busts, sum(cards) as cards
  from players join games using (game)
  where games.players > 1
  group by 1, game
), sums as (
  select bot, count(*) as games, sum(seats) as seats, sum(wins) / sum(seats) as parts,
    sum(points) / sum(seats) as score,
    sum(wins * wins) as wins_2, sum(wins * seats) as win_products,
    sum(points * points) as points_2, sum(points * seats) as point_products,
    sum(seats * seats) as seats_2,
    sum(tokens) / sum(seats) as tokens, sum(busts) / sum(seats) as busts,
    sum(cards) / sum(seats) as cards
  from samples
  group by bot
), rates as (
  select *, parts / 2520 as win_rate,
    ratio_deviation(spread(parts, wins_2, win_products, seats_2), games, seats) / 2520
      as win_spread,
    ratio_deviation(spread(score, points_2, point_products, seats_2), games, seats) as score_spread
  from sums
), sizes as (
  select *, alone(win_rate, win_spread, games, seats) as n
  from rates
)
select bot, games, seats::BIGINT as seats, win_rate,
  wilson_low(win_rate * n, n) as win_low, wilson_high(win_rate * n, n) as win_high,
  score,
  score - mean_error(score_spread, games) as score_low,
  score + mean_error(score_spread, games) as score_high,
  tokens, busts, cards
from sizes
order by win_rate desc, bot
