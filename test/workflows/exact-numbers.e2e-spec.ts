import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSink } from '../outbound/support/shared-sink.js';
import type { Sink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, type RunShape, runUntil } from './support/workflow-client.js';

const LARGE = '12345678901234567890';

describe('numbers of a payload', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let shop: Sink;

  beforeAll(async () => {
    shop = await sharedSink((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(`{"order":${LARGE},"total":19.9}`);
    });
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const run = async (steps: object[], body: string, more: object = {}): Promise<RunShape> => {
    const { id } = await createWorkflow(acme, steps, more);
    const answer = await postWebhook(switchboard, id, body);
    return await runUntil(acme, answer.body.runId, 'succeeded', 'failed');
  };

  it('are written with all their digits where a step expects text', async () => {
    const ended = await run(
      [
        {
          id: 'person',
          tool: 'create_contact',
          arguments: {
            external_id: '{{ trigger.payload.id }}',
            first_name: '{{ trigger.payload.n }}',
            tags: ['{{ trigger.payload.n }}'],
            properties: { n: '{{ trigger.payload.n }}' },
          },
        },
        {
          id: 'call',
          tool: 'http_request',
          arguments: {
            url: `http://127.0.0.1:${shop.port}/{{ trigger.payload.id }}`,
            method: 'POST',
            headers: { 'X-Id': '{{ trigger.payload.id }}', 'X-N': '{{ trigger.payload.n }}' },
            body: '{{ trigger.payload.n }}',
          },
        },
      ],
      `{"id":${LARGE},"n":1e21}`,
    );
    expect(ended.status).toBe('succeeded');
    const written = `1${'0'.repeat(21)}`;
    expect(ended.steps[0]!.output).toMatchObject({
      contact: {
        external_id: LARGE,
        first_name: written,
        tags: [written],
        properties: { n: 1e21 },
      },
    });
    expect(shop.requests.at(-1)).toMatchObject({
      path: `/${LARGE}`,
      headers: { 'x-id': LARGE, 'x-n': written },
      body: written,
    });
  });

  it('can identify the contact of a trigger', async () => {
    const trigger = { type: 'webhook', contact: { external_id: '{{ trigger.payload.id }}' } };
    const ended = await run([], `{"id":${LARGE}}`, { trigger });
    expect(ended.steps[0]!.output).toMatchObject({ contact: { external_id: LARGE } });
  });

  it('keep their digits in conditions, in views of the run, and in requests to other systems', async () => {
    const ended = await run(
      [
        {
          id: 'call',
          if: `trigger.payload.id == '${LARGE}' and trigger.payload.id > 5 and trigger.payload.n == 0.1`,
          tool: 'http_request',
          arguments: { url: `http://127.0.0.1:${shop.port}/` },
        },
      ],
      `{"id":${LARGE},"n":0.1}`,
    );
    expect(ended.trigger.payload).toEqual({ id: LARGE, n: 0.1 });
    expect(ended.steps[0]!.output).toMatchObject({
      body: { json: { order: LARGE, total: 19.9 } },
    });
  });
});
