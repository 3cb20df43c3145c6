-- When is drawing too daring? Busts by the total before the draw.
-- Totals below zero count as 0. bust_rate counts both causes; decisions without a card in the
-- tableau are left out, as nobody can stop there. The sample of its interval is the game.
-- picture: bar bust_rate by total
with samples as (
  select greatest(total, 0)::INTEGER as total, count(*) as draws, count(bust) as busts,
    count(*) filter (bust = 'numbers') as numbers
  from draws
  where tableau > 0
  group by 1, game
), sums as (
  select total, count(*) as games, sum(draws) as draws, sum(busts) as busts,
    sum(numbers) as numbers, sum(busts) / sum(draws) as bust_rate,
    sum(busts * busts) as squares, sum(busts * draws) as products, sum(draws * draws) as draws_2
  from samples
  group by total
), sizes as (
  select *, alone(bust_rate, ratio_deviation(spread(bust_rate, squares, products, draws_2), games,
    draws), games, draws) as n
  from sums
)
select total, draws::BIGINT as draws, bust_rate,
  wilson_low(bust_rate * n, n) as bust_low, wilson_high(bust_rate * n, n) as bust_high,
  numbers / draws as by_numbers, (busts - numbers) / draws as by_currency
from sizes
order by total
