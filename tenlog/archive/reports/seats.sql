-- Does the seat matter? Wins and points by players and seat.
-- A shared victory is a win for each of the winners.
-- picture: bar win_rate by seat within players
select g.players, p.seat, count(*) as games,
  avg(p.won::INTEGER) as win_rate,
  wilson_low(sum(p.won::INTEGER), count(*)) as win_low,
  wilson_high(sum(p.won::INTEGER), count(*)) as win_high,
  avg(p.score) as score,
  avg(p.score) - mean_error(stddev_samp(p.score), count(*)) as score_low,
  avg(p.score) + mean_error(stddev_samp(p.score), count(*)) as score_high
from players p join games g on g.game = p.game
group by g.players, p.seat
order by g.players, p.seat
