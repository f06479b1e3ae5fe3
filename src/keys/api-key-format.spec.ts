import { describe, expect, it } from 'vitest';
import { isApiKey, newApiKey } from './api-key-format.js';

describe(isApiKey, () => {
  it('accepts every new key, and every new key is different', () => {
    const keys = Array.from({ length: 1000 }, newApiKey);
    expect(keys.every(isApiKey)).toBe(true);
    expect(new Set(keys).size).toBe(1000);
  });

  it('refuses a key in which any one character was changed', () => {
    const key = newApiKey();
    for (let index = 0; index < key.length; index += 1) {
      const other = key[index] === 'a' ? 'b' : 'a';
      expect(isApiKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
    }
  });

  it.each(['', 'swb_', 'x', `${newApiKey()}x`, newApiKey().slice(1), `${newApiKey()}\n`])(
    'refuses %j',
    (text) => expect(isApiKey(text)).toBe(false),
  );
});
