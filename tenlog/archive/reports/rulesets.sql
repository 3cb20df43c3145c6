-- How do rulesets compare? Points, length and margin by ruleset.
-- By number of players too, as rulesets are only comparable at the same table.
-- picture: bar score by ruleset within players
select g.players, g.ruleset, count(distinct g.game) as games,
  avg(p.score) as score,
  avg(p.score) - mean_error(stddev_samp(p.score), count(*)) as score_low,
  avg(p.score) + mean_error(stddev_samp(p.score), count(*)) as score_high,
  avg(g.winning_score) as winning_score, avg(g.margin) as margin,
  avg(g.turns) as turns, avg(g.events) as events
from players p join games g on g.game = p.game
group by g.players, g.ruleset
order by g.players, g.ruleset
