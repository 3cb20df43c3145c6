-- Which bot wins? Wins and points by bot; people are (person).
-- A seat counts for the bot that the log names for it.
-- picture: bar win_rate by bot
select coalesce(bot, '(person)') as bot, count(*) as seats,
  avg(won::INTEGER) as win_rate,
  wilson_low(sum(won::INTEGER), count(*)) as win_low,
  wilson_high(sum(won::INTEGER), count(*)) as win_high,
  avg(score) as score,
  avg(score) - mean_error(stddev_samp(score), count(*)) as score_low,
  avg(score) + mean_error(stddev_samp(score), count(*)) as score_high,
  avg(tokens) as tokens, avg(busts) as busts, avg(cards) as cards
from players
group by 1
order by win_rate desc, 1
