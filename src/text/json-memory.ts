const OBJECT = '{'.charCodeAt(0);
const ARRAY = '['.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
/** The sizes in the heap of V8, in bytes: of an object, of a list, and of each further value or name of a member. */
const OBJECT_BYTES = 64;
const ARRAY_BYTES = 48;
const VALUE_BYTES = 16;

/** The largest number of bytes that {@link jsonMemory} returns for one character. */
export const MOST_JSON_MEMORY = 1 + OBJECT_BYTES;

/**
 * Returns the approximate bytes that a JSON text takes in memory when it is parsed. `[{},{},…]` takes 22 times as many
 * bytes as it has characters. Objects with many different names can take twice the result. Braces, brackets, commas and
 * colons inside strings count too. The function takes about 1 ms for 1 MB.
 */
export function jsonMemory(json: string): number {
  let bytes = json.length;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === COMMA || code === COLON) bytes += VALUE_BYTES;
    else if (code === OBJECT) bytes += OBJECT_BYTES;
    else if (code === ARRAY) bytes += ARRAY_BYTES;
  }
  return bytes;
}
