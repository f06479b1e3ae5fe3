import { describe, expect, it } from 'vitest';
import { withSecret } from './request-secret.ts';

describe(withSecret, () => {
  it('puts a secret of the kind value into a header, and keeps the other headers', () =>
    expect(
      withSecret({ url: 'u', headers: { Accept: 'a' } }, { name: 'key', kind: 'value' }),
    ).toEqual({
      url: 'u',
      headers: { Accept: 'a', Authorization: 'Bearer {{ secrets.key }}' },
    }));
  it('sets the credential to the name of a secret of another kind', () =>
    expect(withSecret({ url: 'u' }, { name: 'login', kind: 'basic' })).toEqual({
      url: 'u',
      credential: 'login',
    }));
});
