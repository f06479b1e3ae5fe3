import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretBox } from './secret-box.js';

const [FIRST, SECOND] = ['first '.repeat(8), 'second '.repeat(8)];
const installation = randomBytes(32);

describe(SecretBox, () => {
  it('opens secrets that either key sealed, and seals with the current key', () => {
    const old = new SecretBox(installation, FIRST);
    const both = new SecretBox(installation, SECOND, FIRST);
    const current = new SecretBox(installation, SECOND);
    const sealed = old.seal('secret', 'context');
    expect(both.open(sealed, 'context')).toBe('secret');
    expect(() => current.open(sealed, 'context')).toThrow('OTHER_SECRET_KEY');
    const resealed = both.reseal(sealed, 'context');
    expect(current.open(resealed, 'context')).toBe('secret');
    expect(() => old.open(resealed, 'context')).toThrow('SECRET_KEY');
    expect(both.reseal(resealed, 'context')).toBe(resealed);
    expect(() => both.reseal(sealed, 'other context')).toThrow();
  });

  it('opens secrets that were sealed with the random key in the database, if the other key is the word "database"', () => {
    const sealed = new SecretBox(installation).seal('secret', 'context');
    expect(new SecretBox(installation, FIRST, 'database').open(sealed, 'context')).toBe('secret');
    expect(() => new SecretBox(installation, FIRST).open(sealed, 'context')).toThrow();
  });

  it('decides by the id of a key whether it can open the secrets that were sealed with this key', () => {
    const id = new SecretBox(installation, FIRST).currentId.toString('hex');
    expect(new SecretBox(installation, SECOND, FIRST).opens(id)).toBe(true);
    expect(new SecretBox(installation, SECOND).opens(id)).toBe(false);
  });

  it('derives one secret for signatures from each key, and returns the secret of the current key first', () => {
    const [old, current] = [
      new SecretBox(installation, FIRST),
      new SecretBox(installation, SECOND),
    ];
    const both = new SecretBox(installation, SECOND, FIRST);
    expect(both.deriveAll('purpose')).toEqual([current.derive('purpose'), old.derive('purpose')]);
    expect(current.deriveAll('purpose')).toEqual([current.derive('purpose')]);
  });
});
