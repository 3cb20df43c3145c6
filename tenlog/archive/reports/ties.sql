-- What decides games? Points, tokens, fewest cards, or nothing.
-- picture: bar share by decided_by within players
select players, decided_by, count(*) as games,
  count(*) / sum(count(*)) over (partition by players) as share,
  wilson_low(count(*), sum(count(*)) over (partition by players)) as share_low,
  wilson_high(count(*), sum(count(*)) over (partition by players)) as share_high
from games
group by players, decided_by
order by players, list_position(['points', 'tokens', 'cards', 'shared', 'solo'], decided_by)
