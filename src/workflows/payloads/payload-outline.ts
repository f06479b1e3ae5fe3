import { AppError } from '../../errors/app-error.js';
import type { ScannedValue } from './json-scan.js';
import { MIN_RECORDED_BYTES } from './json-scan.js';
import { largeValueText } from './large-value.js';

/**
 * The largest outline of a payload, in bytes. An outline is the JSON without the large values. Expressions read the
 * outline, which is parsed in a few milliseconds.
 */
export const MAX_OUTLINE_BYTES = 1024 * 1024;
export const MAX_OUTLINE_MEMBERS = 10_000;
/**
 * The limits in bytes. A value of this size or larger is left out. The limits are tried in this order until the outline
 * is small enough.
 */
const SIZES = [1024, 256, 64, 16, 4].map((kibibytes) => kibibytes * 1024);

/**
 * Returns the JSON of a payload in which texts stand for its large values. Lists and texts are left out before objects,
 * and the largest values first, so that expressions can read as many members as possible. The last of `values` is the
 * payload itself. Throws `too_complex` when the outline is still too large.
 */
export function payloadOutline(
  bytes: Buffer,
  values: readonly ScannedValue[],
  members: number,
  nonce: string,
): Buffer {
  for (const withObjects of [false, true]) {
    for (const size of SIZES) {
      const cuts = chooseCuts(values, size, withObjects);
      let [restBytes, restMembers] = [bytes.length, members];
      for (const cut of cuts) {
        restBytes -= cut.end - cut.start - largeValueText(cut, nonce).length;
        restMembers -= cut.members;
      }
      if (restBytes > MAX_OUTLINE_BYTES || restMembers > MAX_OUTLINE_MEMBERS) continue;
      return replaceCuts(bytes, cuts, nonce);
    }
  }
  throw new AppError(
    'too_complex',
    `Without its lists, objects and texts of at least ${MIN_RECORDED_BYTES} bytes, the body has more than ` +
      `${MAX_OUTLINE_MEMBERS} values or ${MAX_OUTLINE_BYTES} bytes.`,
  );
}

/** Returns the outermost values that are large enough, in their order in the text. */
function chooseCuts(
  values: readonly ScannedValue[],
  size: number,
  withObjects: boolean,
): ScannedValue[] {
  const cuts: ScannedValue[] = [];
  // In reverse order, a value comes before the values inside of it. The first value is the payload itself, which is
  // skipped.
  for (let index = values.length - 2; index >= 0; index -= 1) {
    const value = values[index]!;
    const isInside = cuts.length > 0 && value.start > cuts.at(-1)!.start;
    if (isInside || value.end - value.start < size) continue;
    if (withObjects || value.kind !== 'object') cuts.push(value);
  }
  return cuts.toReversed();
}

function replaceCuts(bytes: Buffer, cuts: readonly ScannedValue[], nonce: string): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  for (const cut of cuts) {
    parts.push(bytes.subarray(start, cut.start), Buffer.from(largeValueText(cut, nonce)));
    start = cut.end;
  }
  return Buffer.concat([...parts, bytes.subarray(start)]);
}
