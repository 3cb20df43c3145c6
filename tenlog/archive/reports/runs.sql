-- How long are runs, and how often is one full? Points in a colour.
-- Ten points and more are a full run with its bonus in ten/1. Only games that were judged in full.
-- picture: bar share by points
with colours as (
  unpivot (select red, blue, orange, green from players where red is not null)
  on red, blue, orange, green into name colour value points
)
select points, count(*) as colours, count(*) / sum(count(*)) over () as share,
  wilson_low(count(*), sum(count(*)) over ()) as share_low,
  wilson_high(count(*), sum(count(*)) over ()) as share_high,
  count(*) filter (colour = 'red') as red, count(*) filter (colour = 'blue') as blue,
  count(*) filter (colour = 'orange') as orange, count(*) filter (colour = 'green') as green
from colours
group by points
order by points
