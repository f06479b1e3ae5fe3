import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { inTurn } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, sign } from '../workflows/support/workflow-client.js';
import { expectNoWaitsOf, type WaitCase } from './support/no-waits.js';
import { Stranger } from './support/stranger.js';

const MIB = 1024 * 1024;
const MOST = 10 * MIB;

let switchboard: Switchboard;
let acme: TestOrganization;
let shop: Sink;
let stranger: Stranger;

beforeAll(async () => {
  shop = await startSink('127.0.0.1', (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  switchboard = await startSwitchboard({
    env: {
      OUTBOUND_ALLOW: `127.0.0.1:${shop.port}`,
      MAX_PAYLOAD_BYTES: String(MOST),
      RATE_LIMIT_PER_MINUTE: '0',
    },
  });
  acme = await createOrganization(switchboard);
  stranger = new Stranger(`${switchboard.url}/health/live`);
});
afterAll(async () => {
  await stranger.close();
  await switchboard.close();
  await shop.close();
});

/** Fills the text with spaces, so that it has 10 MiB. */
const filled = (text: string): string => text + ' '.repeat(MOST - Buffer.byteLength(text));
const repeated = (text: string, bytes: number): string =>
  text.repeat(Math.floor(bytes / Buffer.byteLength(text)));

async function runToEnd(workflowId: string, secret: string, body: string): Promise<string> {
  const { status, text } = await stranger.send({
    url: `${switchboard.url}/api/webhooks/workflow/${workflowId}`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Webhook-Signature': sign(body, secret) },
    body,
  });
  expect(`${status} ${text}`).toMatch(/^202 /);
  const { runId } = JSON.parse(text) as { runId: string };
  const ended = await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ status: string }>(
      'select status from workflow_runs where id = $1 and finished_at is not null',
      [runId],
    );
    return row;
  });
  expect(ended.status).toBe('succeeded');
  return runId;
}

const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=X' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const TEXT_PLAIN = { 'Content-Type': 'text/plain' };
const LATIN_1 = { 'Content-Type': 'text/plain; charset=iso-8859-1' };
const TEXT = '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n';
const FILE = '--X\r\nContent-Disposition: form-data; name="a"; filename="a.png"\r\n\r\n';
const END = '\r\n--X--\r\n';

describe('a ping waits at most 100 ms longer than without other work', () => {
  it('while a webhook of 10 MiB is received, read, looped over, forwarded and shown', async () => {
    const lines = Array.from({ length: 60_000 }, (_, id) => ({ id, sku: `s${id}`, text: 'x' }));
    const order = { id: 'o1', lines, texts: Array.from({ length: 3000 }, () => 'y'.repeat(1000)) };
    const body = JSON.stringify({ ...order, note: 'n'.repeat(4 * MIB) });
    const url = `http://127.0.0.1:${shop.port}/`;
    const workflow = await createWorkflow(
      acme,
      [
        {
          id: 'send',
          tool: 'http_request',
          arguments: { url, method: 'POST', json: '{{ trigger.payload }}' },
        },
        {
          id: 'each',
          for_each: '{{ trigger.payload.lines }}',
          batch: 1000,
          steps: [{ id: 'one', set: { sku: '{{ item[0].sku }}' } }],
        },
        {
          id: 'read',
          set: {
            end: '{{ trigger.payload.lines.last.sku }}',
            found: '{{ trigger.payload.lines | where: "sku", "s59999" | first }}',
            sum: '{{ trigger.payload.lines | sum: "id" }}',
            text: '{{ trigger.payload.texts[2500] }}',
            missing: '{{ trigger.payload.texts contains "z" }}',
          },
        },
      ],
      { trigger: { type: 'webhook', secret: true, if: 'trigger.payload.id == "o1"' } },
    );
    let run_id = '';
    const call = (tool: string, given: object): Promise<unknown> => acme.call(tool, given);
    await expectNoWaitsOf(stranger, [
      ['the run', async () => (run_id = await runToEnd(workflow.id, workflow.secret!, body))],
      ['get_run', () => call('get_run', { run_id })],
      [
        'get_run_value',
        () => call('get_run_value', { run_id, step_id: 'trigger', value: 'payload' }),
      ],
      ['replay_run', () => call('replay_run', { run_id })],
    ]);
  });

  it('while hostile bodies of 10 MiB are refused or accepted', async () => {
    const trigger = { type: 'webhook', accept: ['json', 'form', 'multipart', 'text', 'gzip'] };
    const { id } = await createWorkflow(acme, [], { trigger });
    const send = async (
      status: number,
      body: string | Buffer,
      headers: Record<string, string> = {},
    ): Promise<void> => {
      const answer = await fetch(`${switchboard.url}/api/webhooks/workflow/${id}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      });
      expect(`${answer.status} ${await answer.text()}`).toMatch(new RegExp(`^${status}`));
    };
    const pairs = (count: number): string =>
      Array.from({ length: count }, (_, index) => `"key ${index}":${index}`).join(',');
    const part = '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
    const bomb = gzipSync(Buffer.alloc(64 * MIB, 'x'));
    const packed = gzipSync(`{"a":["${'x'.repeat(9 * MIB)}"]}`);
    // prettier-ignore
    const cases: [string, number, string | Buffer, Record<string, string>?][] = [
      ['one text', 202, `{"a":"${'x'.repeat(MOST - 8)}"}`],
      ['one text of escapes', 202, `{"a":"${repeated('\\u0000', MOST - 16)}"}`],
      ['a million values', 202, `{"a":[${repeated('1,', 1_999_900)}1]}`],
      ['five million values', 400, `{"a":[${repeated('1,', MOST - 16)}1]}`],
      ['empty objects', 202, `{"a":[${repeated('{"b":[]},', 4_000_000)}{}]}`],
      ['open lists', 400, '['.repeat(MOST - 16)],
      ['nested objects', 400, repeated('{"a":', MOST)],
      ['nested lists of the largest depth', 202, `{"a":[${repeated(`${'['.repeat(62)}${']'.repeat(62)},`, 1_900_000)}1]}`],
      ['many members', 400, `{${pairs(500_000)}}`],
      ['many members of a member', 202, `{"a":{${pairs(400_000)}}}`],
      ['spaces', 400, filled('{"a":1}')],
      ['spaces before', 400, `${' '.repeat(MOST - 7)}{"a":1}`],
      ['a long name', 400, `{"${'x'.repeat(MOST - 7)}":1}`],
      ['a long number', 400, `{"a":${'1'.repeat(MOST - 6)}}`],
      ['long numbers', 202, `{"a":[${repeated('12345678901234567890,', 9 * MIB)}1]}`],
      ['a text that does not end', 400, `{"a":"${'\\"'.repeat(MOST / 2 - 4)}`],
      ['text that is not JSON', 400, 'x'.repeat(MOST - 16)],
      ['bytes that are not UTF-8', 400, Buffer.alloc(MOST - 16, 0xfc)],
      ['a list', 202, `[${repeated('"a text of a list",', MOST - 100)}1]`],
      ['11 MiB', 413, 'x'.repeat(11 * MIB)],
      ['a bomb', 413, bomb, { 'Content-Encoding': 'gzip' }],
      ['packed JSON', 202, packed, { 'Content-Encoding': 'gzip' }],
      ['multipart', 400, repeated(part, MOST), MULTIPART],
      ['multipart with a file', 202, `${FILE}${'x'.repeat(9 * MIB)}${END}`, MULTIPART],
      ['multipart with a text', 202, `${TEXT}${'x'.repeat(9 * MIB)}${END}`, MULTIPART],
      ['multipart with a text of escapes', 413, `${TEXT}${repeated('\u0001', 9 * MIB)}${END}`, MULTIPART],
      ['multipart of delimiters', 202, `${TEXT}a${repeated('--X-', 9 * MIB)}${END}`, MULTIPART],
      ['multipart of beginnings', 202, `${TEXT}${repeated('\r\n--', 4 * MIB)}${END}`, MULTIPART],
      ['a form of fields', 400, repeated('a=%FC&', MOST), FORM],
      ['a form with a text', 202, `a=${repeated('%61+b', 9 * MIB)}`, FORM],
      ['a form with a text of escapes', 413, `a=${repeated('%01', 9 * MIB)}`, FORM],
      ['a form that is not UTF-8', 400, `a=${repeated('%FC', 9 * MIB)}`, FORM],
      ['a form of percent signs', 202, `a=${repeated('%', 9 * MIB)}`, FORM],
      ['a text', 202, repeated('ü', 9 * MIB), TEXT_PLAIN],
      ['a text that is too long as JSON', 413, repeated('ü', MOST), TEXT_PLAIN],
      ['a text of another charset', 202, Buffer.alloc(4 * MIB, 0xfc), LATIN_1],
      ['a text of another charset that is longer in UTF-8', 413, Buffer.alloc(9 * MIB, 0xfc), LATIN_1],
      ['another charset', 415, 'x'.repeat(MOST), { 'Content-Type': 'application/json; charset=latin1' }],
    ];
    await expectNoWaitsOf(
      stranger,
      inTurn(cases).map(([what, status, body, headers]): WaitCase => [
        what,
        async () => {
          await send(status, body, headers).catch((error: unknown) => {
            throw new Error(what, { cause: error });
          });
        },
      ]),
    );
  });
});
