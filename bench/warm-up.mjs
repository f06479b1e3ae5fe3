/** Tells about how fast a contestant is; far too few for the code of any of them to be compiled. */
const FIRST = 300;
const FEW = 50;

/** How many are to be measured in a round, found by about one round that does not count. */
export async function warmUp({ amount, measure }, { seconds, smoke }) {
  const first = await measure(amount ?? (smoke ? FEW : FIRST));
  if (smoke || amount) return amount;
  // Node goes on compiling for seconds, so that what was seen at first is too few for a round.
  const warm = await measure(Math.ceil(first.perSecond * seconds));
  return Math.ceil(warm.perSecond * seconds);
}
