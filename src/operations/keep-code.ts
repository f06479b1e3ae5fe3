import { setFlagsFromString } from 'node:v8';

/**
 * From now on the code of functions stays. V8 throws away what was not called between some collections of garbage, and
 * collects while there is little to do: what comes after a quiet time would wait for it to be compiled again.
 */
export function keepCode(): void {
  setFlagsFromString('--no-flush-bytecode');
}
