/** The number of requests for a first estimate of the rate. They are too few to warm up the compiler. */
const FIRST = 300;
const FEW = 50;
/**
 * The number of warm-up rounds of every contestant. It is large because Node compiles more code over a longer time.
 */
const ROUNDS = 6;

/** Warms the contestant up, and returns the number of requests for a round. */
export async function warmUp({ amount, measure }, { seconds, smoke }) {
  let { perSecond } = await measure(amount ?? (smoke ? FEW : FIRST));
  if (smoke || amount) return amount;
  for (let round = 0; round < ROUNDS; round += 1) {
    ({ perSecond } = await measure(Math.ceil(perSecond * seconds)));
  }
  return Math.ceil(perSecond * seconds);
}
