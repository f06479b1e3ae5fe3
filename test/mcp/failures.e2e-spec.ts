import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { answerOf, errorOf } from './support/answer.js';

let switchboard: Switchboard;
let acme: TestOrganization;
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

/** Makes the look-up of an API key fail in PostgreSQL with this SQLSTATE. */
async function breakKeys(state: string): Promise<void> {
  await switchboard.ownerQuery(`
    create or replace function gate.find_api_key(key_hash bytea)
    returns table (
      id text, organization_id text, stale boolean, policies jsonb, offered_revisions text,
      read_only boolean, tools text[], revoked_at timestamptz, expired_at timestamptz
    )
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
      begin raise exception 'secret detail' using errcode = '${state}'; end $$`);
}

it('a request fails with unavailable when the database does not respond', async () => {
  await breakKeys('53300');
  const answer = await answerOf(acme.rpc(ping));
  expect(answer).toMatchObject({ status: 503, body: errorOf(1503, null) });
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
});

it('the error of a bug outside of the tools shows only its log id', async () => {
  await breakKeys('XX001');
  const { status, text, body } = await answerOf(acme.rpc(ping));
  expect({ status, body }).toEqual({
    status: 500,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32603,
        message: 'Internal error',
        data: { error_id: expect.any(String) as string },
      },
    },
  });
  expect(text).not.toContain('secret');
});
