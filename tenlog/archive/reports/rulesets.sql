-- How do rulesets compare? Points, length and margin by ruleset.
-- By number of players too, as rulesets are only comparable at the same table. The sample is the
-- game: score is the mean of its seats.
-- picture: bar score by ruleset within players
with samples as (
  select game, avg(score) as score
  from players
  group by game
)
select g.players, g.ruleset, count(*) as games,
  avg(s.score) as score,
  avg(s.score) - mean_error(stddev_samp(s.score), count(*)) as score_low,
  avg(s.score) + mean_error(stddev_samp(s.score), count(*)) as score_high,
  avg(g.winning_score) as winning_score, avg(g.margin) as margin,
  avg(g.turns) as turns, avg(g.events) as events
from samples s join games g on g.game = s.game
group by g.players, g.ruleset
order by g.players, g.ruleset
