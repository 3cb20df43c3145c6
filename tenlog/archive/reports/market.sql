-- What is bought? Purchases from the market by number of the card.
-- share is of all purchases, per_game a mean over all games; tokens, busts and cards are what was
-- paid on average; final is the share of those of this number that were final buys. The sample of
-- the intervals is the game.
-- picture: bar bought by number
with samples as (
  select card[2]::INTEGER as number, count(*) as bought, count(*) filter (final) as final
  from purchases
  group by 1, game
), sums as (
  select number, count(*) as games, sum(bought) as bought, sum(bought * bought) as squares,
    sum(final) / sum(bought) as final, sum(final * final) as finals_2,
    sum(final * bought) as products
  from samples
  group by number
), paid as (
  select card[2]::INTEGER as number, avg(tokens) as tokens, avg(busts) as busts,
    avg(len(cards)) as cards
  from events
  where type = 'CardBought'
  group by 1
), rates as (
  select *, bought / of as per_game
  from sums, (select count(*) as of from games)
), sizes as (
  select *, mean_error(ratio_deviation(spread(per_game, squares, bought, of), of, of), of)
      as error,
    alone(final, ratio_deviation(spread(final, finals_2, products, squares), games, bought),
      games, bought) as n
  from rates
)
select number, bought::BIGINT as bought, bought / sum(bought) over () as share, per_game,
  per_game - error as per_game_low, per_game + error as per_game_high, tokens, busts, cards,
  final, wilson_low(final * n, n) as final_low, wilson_high(final * n, n) as final_high
from sizes join paid using (number)
order by number
