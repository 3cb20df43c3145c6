-- How many cards are drawn in a turn, and how do turns end?
-- Wilds count as draws. Shares are of the turns with so many draws.
-- picture: bar turns by draws
select draws, count(*) as turns, count(*) / sum(count(*)) over () as share,
  avg((ended = 'numbers')::INTEGER) as numbers,
  avg((ended = 'currency')::INTEGER) as currency,
  avg((ended = 'bust by numbers')::INTEGER) as bust_numbers,
  avg((ended = 'bust by currency')::INTEGER) as bust_currency
from turns
group by draws
order by draws
