import { describe, expect, it } from 'vitest';
import { draftOf, toArguments } from './secret-draft.ts';

describe('toArguments', () => {
  const draft = { ...draftOf(undefined), name: ' stripe_key ', hosts: 'a.example.com, b.test\n' };

  it('reads hosts that are separated by commas, spaces and new lines', () => {
    expect(toArguments(draft)).toEqual({
      name: 'stripe_key',
      kind: 'value',
      hosts: ['a.example.com', 'b.test'],
    });
  });

  it('leaves out the fields of other kinds of secrets, and keeps spaces in the secret', () => {
    expect(
      toArguments({ ...draft, kind: 'basic', secret: ' x ', username: 'ada', header: 'X-Key' }),
    ).toEqual({
      name: 'stripe_key',
      kind: 'basic',
      secret: ' x ',
      hosts: ['a.example.com', 'b.test'],
      username: 'ada',
    });
  });

  it('contains empty optional fields, so that their stored values are removed', () => {
    const client = { token_url: 'https://a.example.com', client_id: 'id', client_auth: 'body' };
    expect(toArguments({ ...draft, ...client, kind: 'oauth2_client' })).toMatchObject({
      ...client,
      scope: '',
      header: '',
    });
  });
});
