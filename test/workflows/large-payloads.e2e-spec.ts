import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSink } from '../outbound/support/shared-sink.js';
import type { Sink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, getRun, postWebhook, runUntil } from './support/workflow-client.js';

const MIB = 1024 * 1024;
const PARTS = 20;

/**
 * Returns the text of a JSON object of exactly 1 MiB, with the deepest nesting and the largest number of values that a
 * body can have.
 */
function largestBody(): string {
  const deep: unknown = JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`);
  const numbers = Array.from({ length: 9000 }, () => 1);
  const parts = Array.from({ length: PARTS }, (_, part) => `${part}`.padEnd(30_000, 'x'));
  const body = { deep, numbers, parts, text: '' };
  const missing = MIB - JSON.stringify(body).length;
  return JSON.stringify({ ...body, text: 'y'.repeat(missing) });
}

describe('JSON from other systems', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let shop: Sink;

  beforeAll(async () => {
    shop = await sharedSink(({ path, body }, response) => {
      const answer = path === '/echo' ? body : '{}';
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer);
    });
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const url = () => `http://127.0.0.1:${shop.port}/`;
  const echo = (id: string, text: string) => ({
    id,
    tool: 'probe_echo',
    arguments: { value: { text } },
  });

  it('can be the largest payload of a webhook, which is forwarded, passed to a workflow, and looped over', async () => {
    const body = largestBody();
    expect(Buffer.byteLength(body)).toBe(MIB);
    const child = await createWorkflow(
      acme,
      [echo('size', '{{ trigger.payload.all.text | size }}')],
      { trigger: { type: 'manual' } },
    );
    const { id } = await createWorkflow(acme, [
      {
        id: 'send',
        tool: 'http_request',
        arguments: { url: url(), method: 'POST', json: { all: '{{ trigger.payload }}' } },
      },
      {
        id: 'text',
        tool: 'http_request',
        arguments: { url: url(), method: 'POST', body: '{{ trigger.payload.text }}' },
      },
      { id: 'sub', run_workflow: child.id, payload: { all: '{{ trigger.payload }}' } },
      {
        id: 'each',
        for_each: '{{ trigger.payload.parts }}',
        steps: [echo('part', '{{ item }}')],
      },
      echo('results', '{{ each.results | map: "value" | map: "text" | last }}'),
    ]);
    const answer = await postWebhook(switchboard, id, body);
    expect(answer.status).toBe(202);
    const ended = await runUntil(acme, answer.body.runId, 'succeeded', 'failed');
    expect((await getRun(acme, ended.id)).reason).toBeNull();
    const payload = JSON.parse(body) as { text: string; parts: string[] };
    expect(JSON.parse(shop.requests[0]!.body)).toEqual({ all: payload });
    expect(shop.requests[1]!.body).toBe(payload.text);
    const of = (step: string) => ended.steps.find((one) => one.id === step)!;
    expect(of('sub').output).toMatchObject({
      outputs: { size: { value: { text: payload.text.length } } },
    });
  });

  it('is refused by http_request above 100,000 values, and the error explains the limit', async () => {
    const { id } = await createWorkflow(acme, [
      {
        id: 'call',
        tool: 'http_request',
        arguments: { url: `${url()}echo`, method: 'POST', body: '{{ trigger.payload.text }}' },
      },
    ]);
    const many = `[${'1,'.repeat(100_001)}1]`;
    const { body } = await postWebhook(switchboard, id, { text: many });
    const ended = await runUntil(acme, body.runId, 'succeeded', 'failed');
    expect(ended.steps[0]!.error).toMatchObject({
      code: 'rejected',
      message: 'The JSON of the response has more than 100000 values.',
    });
  });
});
