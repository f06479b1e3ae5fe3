import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, sign } from './support/workflow-client.js';

const MANY = 60;
const BODY = '{}';

describe('requests of strangers', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it('do not use up the limit of test deliveries', async () => {
    const { id, secret } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', secret: true },
    });
    const test = async (headers = {}) =>
      (await postWebhook(switchboard, `${id}/test`, BODY, headers)).status;
    const refused = await Promise.all(Array.from({ length: MANY }, () => test()));
    expect(new Set(refused)).toEqual(new Set([401]));
    const signed = { 'x-webhook-signature': sign(BODY, secret!) };
    expect(await test(signed)).toBe(200);
    const accepted = await Promise.all(Array.from({ length: MANY }, () => test(signed)));
    expect(new Set(accepted)).toEqual(new Set([200, 429]));
  });

  it('do not use up the limit of challenges of other networks', async () => {
    const { id } = await createWorkflow(acme, [], {
      trigger: {
        type: 'webhook',
        secret: 'a'.repeat(32),
        signature: 'meta',
        verify_token: 'right',
      },
    });
    const ask = (token: string, localAddress: string) =>
      new Promise<number>((resolve, reject) => {
        const query = new URLSearchParams({
          'hub.mode': 'subscribe',
          'hub.verify_token': token,
          'hub.challenge': '1158201444',
        });
        const url = `${switchboard.url}/api/webhooks/workflow/${id}?${String(query)}`;
        const sent = request(url, { localAddress }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        });
        sent.on('error', reject).end();
      });
    const refused = Array.from({ length: MANY }, () => ask('wrong', '127.0.0.2'));
    expect(new Set(await Promise.all(refused))).toEqual(new Set([401, 429]));
    expect(await ask('right', '127.0.0.1')).toBe(200);
  });
});
