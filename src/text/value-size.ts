/**
 * The largest JSON text, in bytes, of one value of a run. The limit applies to the arguments and the result of a step,
 * the results of a loop, and the payload of a run that a step starts. A body of a request has at most 1 MiB, so a step
 * can forward a whole body, with other values beside it.
 */
export const MAX_VALUE_BYTES = 1536 * 1024;

/**
 * The limits of a value of a run: how deep it is nested and how many members it has. A step can forward the largest
 * body, with other values beside it.
 */
export const VALUE_LIMITS = { depth: 72, members: 20_000 };
