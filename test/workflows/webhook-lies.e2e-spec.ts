import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { rawRequest } from '../http/raw-request.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook } from './support/workflow-client.js';

const MIB = 1024 * 1024;
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=X';

describe('a malformed or oversized webhook request', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let id: string;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    const accept = ['json', 'form', 'multipart', 'text', 'gzip', 'get'];
    ({ id } = await createWorkflow(acme, [], { trigger: { type: 'webhook', accept } }));
  });

  const path = () => `/api/webhooks/workflow/${id}`;
  const runs = async (): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ count: number }>(
      'select count(*)::integer as count from workflow_runs where workflow_id = $1',
      [id],
    );
    return row!.count;
  };
  /** Sends bytes as they are, with the given lines of the head. */
  const sendRaw = async (lines: readonly string[], body: string): Promise<string> => {
    const { host } = new URL(switchboard.url);
    const head = [`POST ${path()} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines];
    const { text } = await rawRequest(
      switchboard.url,
      `${head.join('\r\n')}\r\n\r\n${body}`,
      (socket) => socket.end(),
    );
    return text;
  };
  /** Expects that the request starts no run, and that the next request of another sender starts a run. */
  const expectNoRun = async (send: () => Promise<void>): Promise<void> => {
    const before = await runs();
    await send();
    expect(await runs()).toBe(before);
    expect((await postWebhook(switchboard, id, { ok: true })).status).toBe(202);
    expect(await runs()).toBe(before + 1);
  };

  it.each<[string, string, string | Buffer, number, string]>([
    ['a form as JSON', JSON_TYPE, 'a=1&b=2', 400, 'invalid_json'],
    [
      'a picture as JSON',
      JSON_TYPE,
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]),
      400,
      'invalid_json',
    ],
    ['gzip as JSON', JSON_TYPE, gzipSync('{"a":1}'), 400, 'invalid_json'],
    [
      'Latin-1 as UTF-8',
      `${JSON_TYPE}; charset=utf-8`,
      Buffer.from('{"a":"ü"}', 'latin1'),
      400,
      'invalid_json',
    ],
    ['UTF-16 as UTF-8', JSON_TYPE, Buffer.from('{"a":1}', 'utf16le'), 400, 'invalid_json'],
    ['UTF-8 as UTF-16', 'text/plain; charset=utf-16le', Buffer.from('abc'), 400, 'invalid_body'],
    ['JSON as multipart', MULTIPART, '{"a":1}', 400, 'invalid_body'],
    ['another boundary', MULTIPART, '--Y\r\n\r\n1\r\n--Y--\r\n', 400, 'invalid_body'],
    ['a form that is not UTF-8', FORM, 'a=%C3%28', 400, 'invalid_body'],
    [
      'two charsets',
      `${JSON_TYPE}; charset=utf-8; charset=latin1`,
      Buffer.from('{"a":"ü"}', 'latin1'),
      400,
      'invalid_json',
    ],
    ['an unknown charset', `${JSON_TYPE}; charset=klingon`, '{}', 415, 'unsupported_media_type'],
    ['100,000 parts', MULTIPART, '--X\r\n\r\n\r\n'.repeat(100_000), 400, 'too_complex'],
    ['100,000 fields', FORM, 'a=1&'.repeat(100_000), 400, 'too_complex'],
  ])('is refused for its content: %s', async (_what, type, body, status, code) => {
    await expectNoRun(async () => {
      const answer = await postWebhook(switchboard, id, body, { 'Content-Type': type });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });
  });

  it.each<[string, Buffer, number, string]>([
    ['a bomb', gzipSync(Buffer.alloc(200 * MIB, 'x'), { level: 9 }), 413, 'payload_too_large'],
    ['a bomb in a bomb', gzipSync(gzipSync(Buffer.alloc(64 * MIB))), 400, 'invalid_json'],
    ['a ZIP file', Buffer.from('PK\u0003\u0004rest of the file'), 400, 'invalid_body'],
    ['half of a file', gzipSync('{"a":1}').subarray(0, 12), 400, 'invalid_body'],
    [
      'more after the end',
      Buffer.concat([gzipSync('{"a":'), gzipSync('1}'), Buffer.from('{}')]),
      400,
      'invalid_body',
    ],
  ])('is refused for its compression: %s', async (_what, body, status, code) => {
    await expectNoRun(async () => {
      const answer = await postWebhook(switchboard, id, body, { 'Content-Encoding': 'gzip' });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });
  });

  it.each<[string, string[], string, RegExp]>([
    ['a longer body than it has', ['Content-Length: 100'], '{"a":1}', /^(?:HTTP\/1\.1 400 |$)/],
    ['a negative length', ['Content-Length: -1'], '{"a":1}', /^HTTP\/1\.1 400 /],
    ['two lengths', ['Content-Length: 7', 'Content-Length: 8'], '{"a":1}', /^HTTP\/1\.1 400 /],
    [
      'a length and chunks',
      ['Content-Length: 7', 'Transfer-Encoding: chunked'],
      '{"a":1}',
      /^HTTP\/1\.1 400 /,
    ],
    ['a length of 1 GB', ['Content-Length: 1000000000'], '{"a":1}', /^HTTP\/1\.1 4(?:00|13) /],
    ['chunks, but sends none', ['Transfer-Encoding: chunked'], '{"a":1}', /^HTTP\/1\.1 400 /],
  ])('starts no run when its headers announce %s', async (_what, lines, body, expected) => {
    await expectNoRun(async () => {
      expect(await sendRaw([`Content-Type: ${JSON_TYPE}`, ...lines], body)).toMatch(expected);
    });
  });

  it.each<[string, string[]]>([
    ['20 KB in one', [`X-Flood: ${'x'.repeat(20_000)}`]],
    ['5,000', Array.from({ length: 5000 }, (_, at) => `X-${at}: 1`)],
    ['5,000 of one name', Array.from({ length: 5000 }, () => 'X-Flood: 1')],
  ])('is refused for its headers: %s', async (_what, headers) => {
    await expectNoRun(async () => {
      const lines = [`Content-Type: ${JSON_TYPE}`, 'Content-Length: 7', ...headers];
      expect(await sendRaw(lines, '{"a":1}')).toMatch(/^HTTP\/1\.1 431 /);
    });
  });

  it('is refused for its query: more than 1,000 fields, or more bytes than the head may have', async () => {
    await expectNoRun(async () => {
      const get = (query: string) => fetch(`${switchboard.url}${path()}?${query}`);
      const many = await get('a&'.repeat(2000));
      expect([many.status, await many.json()]).toMatchObject([
        400,
        { error: { code: 'too_complex' } },
      ]);
      expect((await get('x'.repeat(20_000))).status).toBe(431);
    });
  });

  // The connection is refused while its first request is being stored, so this test is the last one.
  it('does not execute bytes after a Content-Length that is too short', async () => {
    const before = await runs();
    const text = await sendRaw(
      [`Content-Type: ${JSON_TYPE}`, 'Content-Length: 7'],
      '{"a":1}{"b":2}',
    );
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(await runs()).toBeLessThanOrEqual(before + 1);
  });
});
