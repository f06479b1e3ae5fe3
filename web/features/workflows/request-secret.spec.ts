import { describe, expect, it } from 'vitest';
import { withSecret } from './request-secret.ts';

describe(withSecret, () => {
  it('puts a value into a header, and keeps the other headers', () =>
    expect(
      withSecret({ url: 'u', headers: { Accept: 'a' } }, { name: 'key', kind: 'value' }),
    ).toEqual({
      url: 'u',
      headers: { Accept: 'a', Authorization: 'Bearer {{ secrets.key }}' },
    }));
  it('names a secret of another kind as the credential', () =>
    expect(withSecret({ url: 'u' }, { name: 'login', kind: 'basic' })).toEqual({
      url: 'u',
      credential: 'login',
    }));
});
