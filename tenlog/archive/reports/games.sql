-- What are games like? Length, points, margin by number of players.
-- picture: bar turns by players
select players, count(*) as games,
  avg(turns) as turns, min(turns) as turns_min, max(turns) as turns_max,
  avg(events) as events,
  avg(winning_score) as winning_score,
  avg(winning_score) - mean_error(stddev_samp(winning_score), count(*)) as winning_low,
  avg(winning_score) + mean_error(stddev_samp(winning_score), count(*)) as winning_high,
  avg(margin) as margin,
  avg((len(winners) > 1)::INTEGER) as shared
from games
group by players
order by players
