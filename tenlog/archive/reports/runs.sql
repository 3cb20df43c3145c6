-- How long are runs, and how often is one full? Points in a colour.
-- Ten points and more are a full run with its bonus in ten/1. Only games that were judged in full.
-- The sample of the share's interval is the game, with all its seats.
-- games: audit in ('full', 'engine')
-- picture: bar share by points
with colours as (
  unpivot (select game, red, blue, orange, green from players where red is not null)
  on red, blue, orange, green into name colour value points
), whole as (
  select game, count(*) as size
  from colours
  group by game
), samples as (
  select points, any_value(size) as size, count(*) as colours,
    count(*) filter (colour = 'red') as red, count(*) filter (colour = 'blue') as blue,
    count(*) filter (colour = 'orange') as orange, count(*) filter (colour = 'green') as green
  from colours join whole using (game)
  group by points, game
), sums as (
  select points, sum(colours) as colours, sum(colours * colours) as squares,
    sum(colours * size) as products, sum(red) as red, sum(blue) as blue, sum(orange) as orange,
    sum(green) as green
  from samples
  group by points
), shares as (
  select *, colours / of as share
  from sums, (select count(*) as games, sum(size) as of, sum(size * size) as sizes_2 from whole)
), sizes as (
  select *, alone(share, ratio_deviation(spread(share, squares, products, sizes_2), games, of),
    games, of) as n
  from shares
)
select points, colours::BIGINT as colours, share, wilson_low(share * n, n) as share_low,
  wilson_high(share * n, n) as share_high, red::BIGINT as red, blue::BIGINT as blue,
  orange::BIGINT as orange, green::BIGINT as green
from sizes
order by points
