-- When is drawing too daring? Busts by the total before the draw.
-- Totals below zero count as 0. bust_rate counts both causes; decisions without a card in the
-- tableau are left out, as nobody can stop there.
-- picture: bar bust_rate by total
select greatest(total, 0)::INTEGER as total, count(*) as draws,
  avg((bust is not null)::INTEGER) as bust_rate,
  wilson_low(count(bust), count(*)) as bust_low,
  wilson_high(count(bust), count(*)) as bust_high,
  avg(coalesce(bust = 'numbers', false)::INTEGER) as by_numbers,
  avg(coalesce(bust = 'currency', false)::INTEGER) as by_currency
from draws
where tableau > 0
group by 1
order by 1
