-- How many cards are drawn in a turn, and how do turns end?
-- Wilds count as draws. share is of all turns; the others are of those with so many draws, and add
-- up to 1: nothing is the share in which there was nothing to take.
-- picture: bar turns by draws
select draws, count(*) as turns, count(*) / sum(count(*)) over () as share,
  avg((ended = 'numbers')::INTEGER) as numbers,
  avg((ended = 'currency')::INTEGER) as currency,
  avg((ended = 'bust by numbers')::INTEGER) as bust_numbers,
  avg((ended = 'bust by currency')::INTEGER) as bust_currency,
  avg((ended = 'nothing')::INTEGER) as nothing
from turns
group by draws
order by draws
