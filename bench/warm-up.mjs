/** Tells about how fast a contestant is; far too few for the code of any of them to be compiled. */
const FIRST = 300;
const FEW = 50;
/** The same for everybody, for Node goes on compiling for that long: the more code, the longer. */
const ROUNDS = 6;

/** How many are to be measured in a round, found by rounds that do not count. */
export async function warmUp({ amount, measure }, { seconds, smoke }) {
  let { perSecond } = await measure(amount ?? (smoke ? FEW : FIRST));
  if (smoke || amount) return amount;
  for (let round = 0; round < ROUNDS; round += 1) {
    ({ perSecond } = await measure(Math.ceil(perSecond * seconds)));
  }
  return Math.ceil(perSecond * seconds);
}
