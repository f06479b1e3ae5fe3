import { describe, expect, it } from 'vitest';
import { LastFound } from './last-found.js';

describe(LastFound.name, () => {
  /** As a statement that is sent and answered. */
  const find = async (lastFound: LastFound, found: string, key: string | undefined = found) =>
    await lastFound.keep(
      async () => {
        lastFound.forget();
        return found;
      },
      () => key,
    );

  it('keeps what one statement has found until the next', async () => {
    const lastFound = new LastFound();
    expect(await find(lastFound, 'a')).toBe('a');
    expect(lastFound.get('a')).toBe('a');
    expect(lastFound.get('b')).toBeUndefined();
    await find(lastFound, 'b');
    expect(lastFound.get('a')).toBeUndefined();
    expect(lastFound.get('b')).toBe('b');
    lastFound.forget();
    expect(lastFound.get('b')).toBeUndefined();
  });

  it('keeps nothing without a key', async () => {
    const lastFound = new LastFound();
    await lastFound.keep(
      async () => lastFound.forget(),
      () => undefined,
    );
    expect(lastFound.get('undefined')).toBeUndefined();
  });

  it('keeps nothing that another statement may have changed before it was known', async () => {
    const lastFound = new LastFound();
    let answer = (_found: string): void => undefined;
    const finding = lastFound.keep(
      async () => {
        lastFound.forget();
        return await new Promise<string>((resolve) => {
          answer = resolve;
        });
      },
      (found) => found,
    );
    lastFound.forget();
    answer('old');
    expect(await finding).toBe('old');
    expect(lastFound.get('old')).toBeUndefined();
  });
});
