-- Does the seat matter? Wins and points by players and seat.
-- A shared victory counts in part, so that the seats of a table have one victory a game together.
-- picture: bar win_rate by seat within players
with sums as (
  select g.players, p.seat, count(*) as games,
    sum(victory(p.won, g.winners)) / (2520 * count(*)) as win_rate,
    avg(p.score) as score, mean_error(stddev_samp(p.score), count(*)) as error
  from players p join games g on g.game = p.game
  group by g.players, p.seat
)
select players, seat, games, win_rate,
  wilson_low(win_rate * games, games) as win_low, wilson_high(win_rate * games, games) as win_high,
  score, score - error as score_low, score + error as score_high
from sums
order by players, seat
