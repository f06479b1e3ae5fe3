import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { answerOf, errorOf } from './support/answer.js';
import { ProtocolTools } from './support/protocol.tools.js';
import { tracesOf } from './support/traces.js';

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await startSwitchboard({
    env: { RATE_LIMIT_PER_MINUTE: '30' },
    providers: [ProtocolTools],
  });
});
afterAll(() => switchboard.close());

it('the rate limit counts every member of a batch and refuses a batch as a whole', async () => {
  const eager = await createOrganization(switchboard);
  const batch = (text: string) =>
    Array.from({ length: 20 }, () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'note', arguments: { text } },
    }));
  expect(await answerOf(eager.rpc(batch('first')))).toMatchObject({ status: 200 });
  const refused = await answerOf(eager.rpc(batch('second')));
  expect(refused).toMatchObject({ status: 429, body: errorOf(1429, null) });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await tracesOf(switchboard, eager)).toEqual(Array.from({ length: 20 }, () => 'first'));
});

it('the rate limit refuses a request before its body is read, per organization', async () => {
  const eager = await createOrganization(switchboard);
  const patient = await createOrganization(switchboard);
  let last = await answerOf(eager.rpc('{'));
  for (let count = 0; count < 100 && last.status === 400; count += 1) {
    last = await answerOf(eager.rpc('{'));
  }
  expect(last).toMatchObject({ status: 429, body: errorOf(1429, null) });
  expect(last.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect(await answerOf(patient.rpc(ping))).toMatchObject({ status: 200 });
});
