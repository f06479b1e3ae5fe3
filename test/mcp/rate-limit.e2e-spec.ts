import { afterAll, beforeAll, expect, it } from 'vitest';
import { RateLimiter } from '../../src/http/rate-limiter.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { answerOf, errorOf } from './support/answer.js';
import { Listening } from './support/listening.js';
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

it('the rate limit counts every member of a batch, and refuses the complete batch', async () => {
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

it('the rate limit ends an endless loop of subscriptions, and says when to try again', async () => {
  const calm = await startSwitchboard({ env: { ROLE: 'web' } });
  try {
    const eager = await createOrganization(calm);
    const patient = await createOrganization(calm);
    const subscribe = async (key: string): Promise<Listening> => {
      const listening = await Listening.start(calm.url, key, { toolsListChanged: true });
      await waitFor(() => listening.ended || listening.frames.length > 0);
      listening.close();
      return listening;
    };
    // Takes the tokens that the first part of the loop would take, but sends no requests.
    const limiter = calm.app.get(RateLimiter);
    for (let count = 0; count < 127; count += 1) limiter.countStream(eager.id);
    const all = await Promise.all(Array.from({ length: 40 }, () => subscribe(eager.key)));
    const refused = all.find(({ frames }) => frames.length === 0)!;
    const body = await refused.body();
    expect(body).toEqual(errorOf(1429, 1));
    expect(body.error!.message).toMatch(/Try again in \d+ s/);
    expect((await subscribe(patient.key)).frames).toHaveLength(1);
  } finally {
    await calm.close();
  }
});
