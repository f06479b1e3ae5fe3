import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { createWorkflow, getRun, postWebhook, runUntil } from './support/workflow-client.js';

const deep = (depth: number) => `{"a":${'['.repeat(depth - 1)}1${']'.repeat(depth - 1)}}`;
const MIB = 1024 * 1024;
const ofSize = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

describe('a webhook with unusual input', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let workflowId: string;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    const step = {
      id: 'add',
      tool: 'create_contact',
      arguments: {
        external_id: '{{ run.id }}',
        first_name: '{{ trigger.payload.a }}',
        properties: { a: '{{ trigger.payload.a }}' },
      },
      on_error: 'continue',
    };
    workflowId = (await createWorkflow(acme, [step])).id;
  });

  it.each(
    sample(
      [
        ['U+0000', '{"a":"\\u0000"}'],
        ['a lone surrogate', '{"a":"\\ud800"}'],
        ['a key with U+0000', '{"\\u0000":1}'],
        ['a number beyond every type', '{"a":1e131073}'],
        ['a number that JavaScript rounds', '{"a":12345678901234567890.123}'],
        ['duplicate keys', '{"a":1,"a":2}'],
        ['__proto__', '{"__proto__":{"a":1},"constructor":1}'],
        ['odd white space', ' \t{ "a" :1 }\r\n'],
        ['a byte order mark', '\ufeff{"a":1}'],
        ['depth 64', deep(64)],
        ['exactly 1 MiB', ofSize(MIB)],
        ['nothing', '{}'],
      ],
      2,
    ),
  )('stores %s byte for byte, and the run succeeds', async (_what, body) => {
    const answer = await postWebhook(switchboard, workflowId, Buffer.from(body));
    expect(answer.status).toBe(202);
    const rows = await switchboard.ownerQuery<{ payload: Buffer }>(
      'select payload from workflow_runs where id = $1',
      [answer.body.runId],
    );
    expect(rows[0]!.payload.equals(Buffer.from(body))).toBe(true);
    expect((await runUntil(acme, answer.body.runId, 'succeeded', 'failed')).status).toBe(
      'succeeded',
    );
    expect((await getRun(acme, answer.body.runId)).trigger.type).toBe('webhook');
  });

  it.each(
    sample<[string, string | Uint8Array, number, string]>(
      [
        ['no JSON', '{', 400, 'invalid_json'],
        ['an empty body', '', 400, 'invalid_json'],
        ['bytes that are not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), 400, 'invalid_json'],
        ['a list', '[]', 400, 'not_an_object'],
        ['a text', '"a"', 400, 'not_an_object'],
        ['a number', '1', 400, 'not_an_object'],
        ['null', 'null', 400, 'not_an_object'],
        ['depth 65', deep(65), 400, 'too_complex'],
        ['depth 100,000', deep(100_000), 400, 'too_complex'],
        ['1 MiB and a byte', ofSize(MIB + 1), 413, 'payload_too_large'],
      ],
      2,
    ),
  )('refuses a body that is %s', async (_what, body, status, code) => {
    const answer = await postWebhook(switchboard, workflowId, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ ok: false, error: { code } });
  });

  it.each(
    sample<[string, Record<string, string>]>(
      [
        ['text/plain', { 'Content-Type': 'text/plain' }],
        ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
        ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }],
        ['compression', { 'Content-Encoding': 'gzip' }],
      ],
      2,
    ),
  )('refuses a request with %s', async (what, headers) => {
    const body = what === 'compression' ? gzipSync('{}') : '{}';
    const answer = await postWebhook(switchboard, workflowId, body, headers);
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ ok: false, error: { code: 'unsupported_media_type' } });
    if (what !== 'compression') expect(answer.body.error.message).toContain('"accept"');
  });
});
