-- What is bought? Purchases from the market by number of the card.
-- share is of all purchases, final of those of this number that were final buys; tokens, busts and
-- cards are what was paid on average.
-- picture: bar bought by number
select card[2]::INTEGER as number, count(*) as bought,
  count(*) / sum(count(*)) over () as share,
  count(*) / (select count(*) from games) as per_game,
  avg(final::INTEGER) as final,
  avg(tokens) as tokens, avg(busts) as busts, avg(len(cards)) as cards
from purchases
group by 1
order by 1
