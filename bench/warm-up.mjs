/** Tells about how fast a contestant is; far too few for the code of any of them to be compiled. */
const FIRST = 300;
const FEW = 50;
/** Rounds until a contestant gets no faster by more than this factor, but no more than so many. */
const SETTLED = 1.1;
const MOST_ROUNDS = 4;

/** How many are to be measured in a round, found by rounds that do not count. */
export async function warmUp({ amount, measure }, { seconds, smoke }) {
  const first = await measure(amount ?? (smoke ? FEW : FIRST));
  if (smoke || amount) return amount;
  // Node goes on compiling for seconds, so that what was seen at first is too few for a round.
  let { perSecond } = first;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = perSecond;
    ({ perSecond } = await measure(Math.ceil(before * seconds)));
    if (perSecond < before * SETTLED) break;
  }
  return Math.ceil(perSecond * seconds);
}
