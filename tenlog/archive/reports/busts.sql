-- When is drawing too daring? Busts by the total before the draw.
-- Totals below zero count as 0. bust_rate counts both causes; decisions without a card in the
-- tableau are left out, as nobody can stop there.
-- picture: bar bust_rate by total
with draws as (
  select game, turn, n, type, cause,
    case when card[1] in ('C', 'W') or card[2] = 'W' then 0 else card[2]::INTEGER end as number,
    case when card[1] = 'C' then card[2]::INTEGER else 0 end as currency
  from events
  where type in ('CardDrawn', 'Busted')
), decided as (
  select type,
    sum(number - currency) over before as total,
    sum((number + currency > 0)::INTEGER) over before as tableau,
    lead(cause) over following as cause,
    lead(type) over following = 'Busted' as bust
  from draws
  window before as (partition by game, turn order by n
      rows between unbounded preceding and 1 preceding),
    following as (partition by game, turn order by n)
)
select greatest(total, 0)::INTEGER as total, count(*) as draws,
  avg(coalesce(bust, false)::INTEGER) as bust_rate,
  wilson_low(sum(coalesce(bust, false)::INTEGER), count(*)) as bust_low,
  wilson_high(sum(coalesce(bust, false)::INTEGER), count(*)) as bust_high,
  avg((coalesce(bust, false) and cause = 'numbers')::INTEGER) as by_numbers,
  avg((coalesce(bust, false) and cause = 'currency')::INTEGER) as by_currency
from decided
where type = 'CardDrawn' and tableau > 0
group by 1
order by 1
