-- How are points distributed? Seats by points.
-- won is the share of the seats with so many points that won, alone or with others.
-- picture: bar seats by score
select score, count(*) as seats, count(*) / sum(count(*)) over () as share,
  avg(won::INTEGER) as won
from players
group by score
order by score
