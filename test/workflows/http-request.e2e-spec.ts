import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSink } from '../outbound/support/shared-sink.js';
import type { Sink, SinkRequest } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  getRun,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
  withoutDigest,
} from './support/workflow-client.js';

type Handler = (request: SinkRequest, response: ServerResponse, earlier: number) => void;

const TEXT = { 'Content-Type': 'text/plain' };
const SECRET = 'canary-secret-in-an-answer';

describe('the step http_request', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let sink: Sink;
  const handlers = new Map<string, Handler>();

  beforeAll(async () => {
    sink = await sharedSink((request, response) => {
      const path = request.path.split('?')[0]!;
      const earlier = sink.requests.filter((one) => one.path === request.path).length - 1;
      const handle = handlers.get(path);
      if (handle) handle(request, response, earlier);
      else response.writeHead(404).end(SECRET);
    });
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const sent = (path: string) => sink.requests.filter((request) => request.path === path);
  const step = (path: string, given: object = {}, more: object = {}) => ({
    id: 'call',
    tool: 'http_request',
    arguments: { url: `http://127.0.0.1:${sink.port}${path}`, ...given },
    retry: { max_attempts: 3, backoff_seconds: 0 },
    ...more,
  });
  const run = async (steps: object[], payload: object = {}): Promise<RunShape> =>
    await runToEnd(acme, (await createWorkflow(acme, steps)).id, payload);

  it('sends the given request and returns the response', async () => {
    handlers.set('/orders', (_request, response) => {
      response
        .writeHead(201, {
          'Content-Type': 'application/vnd.api+json; charset=utf-8',
          ETag: '"1"',
          'Set-Cookie': 'session=secret',
        })
        .end('{"id":"o1","lines":[1,2]}');
    });
    const ended = await run(
      [
        step('/orders?a=b%20c', {
          method: 'POST',
          headers: { Authorization: 'Bearer {{ trigger.payload.token }}', 'X-Source': 'test' },
          json: { name: '{{ trigger.payload.name }}', seats: '{{ trigger.payload.seats }}' },
        }),
        step(
          '/orders',
          { body: '{{ call.body.json.lines | json }}', method: 'PUT' },
          { id: 'then' },
        ),
      ],
      { token: 't1', name: 'Ada', seats: 3 },
    );
    expect(ended.status).toBe('succeeded');
    const [post] = sent('/orders?a=b%20c');
    expect(post).toMatchObject({ method: 'POST', body: '{"name":"Ada","seats":3}' });
    expect(post!.headers).toMatchObject({
      host: `127.0.0.1:${sink.port}`,
      authorization: 'Bearer t1',
      'x-source': 'test',
      'content-type': 'application/json',
      'content-length': '24',
      'accept-encoding': 'identity',
      'idempotency-key': expect.stringMatching(`^${ended.id}:call:[0-9a-f]{16}$`) as string,
    });
    expect(ended.steps[0]!.output).toEqual({
      status: 201,
      headers: { 'content-type': 'application/vnd.api+json; charset=utf-8', etag: '"1"' },
      body: { json: { id: 'o1', lines: [1, 2] }, text: null },
    });
    expect(sent('/orders')[0]).toMatchObject({ method: 'PUT', body: '[1,2]' });
    expect(sent('/orders')[0]!.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each(
    sample<[string, string, Buffer | string, object]>(
      [
        ['text', 'text/plain', 'Grüße', { json: null, text: 'Grüße' }],
        [
          'Latin-1',
          'text/plain; charset=iso-8859-1',
          Buffer.from('Grüße', 'latin1'),
          { json: null, text: 'Grüße' },
        ],
        ['empty', 'application/json', '', { json: null, text: '' }],
        ['invalid JSON', 'application/json', '{"a":', { json: null, text: '{"a":' }],
        ['a list', 'application/json', '[null]', { json: [null], text: null }],
        ['bytes', 'text/plain', Buffer.from([0, 0xff, 0x41]), { json: null, text: '\0\ufffdA' }],
        [
          'half a surrogate pair',
          'application/json',
          '"\\ud800\\u0000"',
          { json: '\ud800\0', text: null },
        ],
        [
          'an object with __proto__',
          'application/json',
          '{"__proto__":{"a":1}}',
          JSON.parse('{"json":{"__proto__":{"a":1}},"text":null}') as object,
        ],
      ],
      3,
    ),
  )('returns a response body that is %s', async (_what, type, body, shown) => {
    const path = `/body/${sink.requests.length}`;
    handlers.set(path, (_request, response) => {
      response.writeHead(200, { 'Content-Type': type }).end(body);
    });
    const ended = await run([step(path)]);
    expect(ended.status).toBe('succeeded');
    expect(ended.steps[0]!.output!.body).toEqual(shown);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  it.each(sample([301, 302, 303, 307, 308, 304, 400, 401, 404, 410, 422, 500, 501], 4))(
    'fails without a retry on status %i',
    async (status) => {
      const path = `/final/${status}`;
      handlers.set(path, (_request, response) => {
        response
          .writeHead(status, { Location: `http://127.0.0.1:${sink.port}/victim` })
          .end(SECRET);
      });
      const ended = await run([step(path)]);
      expect(ended).toMatchObject({ status: 'failed', reason: 'step_failed:call' });
      expect(ended.steps[0]).toMatchObject({
        attempts: 1,
        error: { code: 'rejected', details: [{ path: 'status', message: String(status) }] },
      });
      const { response: _response, ...shown } = ended.steps[0]!.error as { response?: object };
      expect(JSON.stringify(shown)).not.toContain(SECRET);
      expect(sent(path)).toHaveLength(1);
      expect(sent('/victim')).toEqual([]);
    },
  );

  it.each(sample([429, 502, 503, 504], 3))(
    'retries after status %i, with the same key and the same bytes',
    async (status) => {
      const path = `/passing/${status}`;
      handlers.set(path, (_request, response, earlier) => {
        response.writeHead(earlier < 2 ? status : 200).end(SECRET);
      });
      const ended = await run([step(path, { method: 'POST', json: { at: '{{ run.id }}' } })]);
      expect(ended.status).toBe('succeeded');
      expect(ended.steps[0]!.attempts).toBe(3);
      const requests = sent(path);
      expect(requests).toHaveLength(3);
      const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
      expect([...keys].map(withoutDigest)).toEqual([`${ended.id}:call`]);
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    },
  );

  it('fails when the other system sends interim responses without end', async () => {
    handlers.set('/interim', (_request, response) => {
      const { socket } = response;
      const send = (): void => {
        while (!socket!.destroyed && socket!.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
      };
      socket!.on('drain', send).on('error', () => undefined);
      send();
    });
    const ended = await run([step('/interim', {}, { retry: { max_attempts: 1 } })]);
    expect(ended.steps[0]!.error!.message).toBe(
      'The other system sends interim responses without end.',
    );
  });

  it('fails after its maximum of attempts', async () => {
    handlers.set('/away', (_request, response) => response.writeHead(503).end(SECRET));
    const ended = await run([
      step('/away', {}, { retry: { max_attempts: 2, backoff_seconds: 0 } }),
    ]);
    expect(ended.steps[0]).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: { code: 'unavailable', message: 'The other system answered 503.' },
    });
    expect(sent('/away')).toHaveLength(2);
  });

  it.each(
    sample<[string, string, number]>(
      [
        ['seconds', '600', 600],
        ['more than an hour', '86400', 3600],
        ['a time', new Date(Date.now() + 1_800_000).toUTCString(), 1800],
      ],
      3,
    ),
  )('waits for the time in Retry-After: %s', async (_what, header, seconds) => {
    const path = `/later/${seconds}`;
    handlers.set(path, (_request, response) => {
      response.writeHead(429, { 'Retry-After': header }).end();
    });
    const runId = await trigger(acme, (await createWorkflow(acme, [step(path)])).id);
    await runUntil(acme, runId, 'waiting');
    const [row] = await switchboard.ownerQuery<{ seconds: number }>(
      `select extract(epoch from available_at - now())::float as seconds from workflow_runs where id = $1`,
      [runId],
    );
    expect(row!.seconds).toBeGreaterThan(seconds - 120);
    expect(row!.seconds).toBeLessThanOrEqual(seconds);
    await acme.call('cancel_run', { run_id: runId });
  });

  it.each(
    sample<[string, Handler]>(
      [
        [
          'that is reset before the response',
          (_request, response) => void response.socket!.resetAndDestroy(),
        ],
        [
          'that ends in the middle of the body',
          (_request, response) => {
            response.writeHead(200, { 'Content-Length': '100' }).write('half');
            setTimeout(() => response.socket!.destroy(), 50);
          },
        ],
        [
          'that uses another protocol',
          (_request, response) => void response.socket!.end('220 smtp\r\n'),
        ],
        [
          'that changes the protocol',
          (_request, response) =>
            void response.socket!.end(
              'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
            ),
        ],
        [
          'with endless headers',
          (_request, response) =>
            void response.socket!.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
        ],
      ],
      3,
    ),
  )('retries after a connection %s', async (what, handle) => {
    const path = `/broken/${what.replaceAll(' ', '-')}`;
    handlers.set(path, (request, response, earlier) => {
      if (earlier === 0) handle(request, response, earlier);
      else response.end('"ok"');
    });
    const ended = await run([step(path)]);
    expect(ended).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
    expect(new Set(sent(path).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it.each(
    sample<[string, Handler]>(
      [
        [
          'a length that is too large',
          (_request, response) => {
            response.writeHead(200, { ...TEXT, 'Content-Length': String(5_000_000) });
            response.end(Buffer.alloc(5_000_000, SECRET));
          },
        ],
        [
          'no length and no end',
          (_request, response) => {
            response.writeHead(200, TEXT);
            const more = (): void => {
              while (!response.destroyed && response.write(Buffer.alloc(65_536, SECRET)));
            };
            response.on('drain', more);
            more();
          },
        ],
        [
          'a compression that hides its size',
          (_request, response) => {
            response.writeHead(200, { ...TEXT, 'Content-Encoding': 'gzip' });
            response.end(gzipSync(Buffer.alloc(20_000_000, SECRET)));
          },
        ],
      ],
      2,
    ),
  )('refuses a response with %s', async (what, handle) => {
    const path = `/refused/${what.replaceAll(' ', '-')}`;
    handlers.set(path, handle);
    const ended = await run([step(path)]);
    expect(ended.steps[0]).toMatchObject({ status: 'failed', error: { code: 'rejected' } });
    expect(JSON.stringify(ended)).not.toContain(SECRET);
    expect(sent(path)).toHaveLength(1);
  });

  it.each(
    sample<[string, Handler]>(
      [
        ['never responds', () => undefined],
        [
          'never ends its response',
          (_request, response) => {
            response.writeHead(200).write('a');
            const drip = setInterval(() => response.write('a'), 100);
            response.on('close', () => clearInterval(drip));
          },
        ],
      ],
      2,
    ),
  )('stops waiting for a system that %s', async (what, handle) => {
    const path = `/slow/${what.replaceAll(' ', '-')}`;
    let closed = 0;
    handlers.set(path, (request, response, earlier) => {
      response.on('close', () => {
        closed += 1;
      });
      handle(request, response, earlier);
    });
    const ended = await run([
      step(path, {}, { timeout: 1, retry: { max_attempts: 2, backoff_seconds: 0 } }),
    ]);
    expect(ended.steps[0]).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: { code: 'unavailable', message: 'The tool did not answer within 1 s.' },
    });
    // The step also closes its connections. Without this, they would stay open for up to 15 s.
    await waitFor(() => closed === 2, 10_000);
  });

  it('sends the same bytes again after its worker died, although the contact has changed', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'before@example.com',
    });
    const open: ServerResponse[] = [];
    handlers.set('/crash', (_request, response) => open.push(response));
    const workflow = await createWorkflow(acme, [
      step('/crash', { method: 'POST', body: '{{ contact.email }}' }),
    ]);
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      contact_id: value.contact.id,
    });
    const runId = started.value.run_id;
    await waitFor(() => sent('/crash').length === 1);
    await acme.call('update_contact', { contact_id: value.contact.id, email: 'after@example.com' });
    // Ends the lease, as if the worker had died. Repeats this, because the living worker may renew the lease.
    await waitFor(async () => {
      await switchboard.ownerQuery(
        `update workflow_runs set available_at = now() where id = $1 and epoch = 1`,
        [runId],
      );
      return sent('/crash').length === 2;
    });
    for (const response of open) response.end('"ok"');
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
    expect(sent('/crash').map(({ body }) => body)).toEqual([
      'before@example.com',
      'before@example.com',
    ]);
    const keys = new Set(sent('/crash').map(({ headers }) => headers['idempotency-key']));
    expect([...keys].map(withoutDigest)).toEqual([`${runId}:call`]);
  });

  it.each(
    sample(
      [
        ['a private address', 'http://10.0.0.1/'],
        ['another port of the same machine', 'http://127.0.0.1:1/'],
        ['itself', ''],
        ['a user in the URL', 'http://a:b@example.com/'],
        ['a file', 'file:///etc/passwd'],
      ],
      2,
    ),
  )('refuses %s at run time', async (_what, url) => {
    const ended = await run([step('', { url: '{{ trigger.payload.url }}' })], {
      url: url === '' ? switchboard.url : url,
    });
    expect(ended.steps[0]).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'invalid_arguments', details: [{ path: 'url' }] },
    });
  });

  it('refuses headers that the caller may not set, and two bodies', async () => {
    // Literal headers are refused when the workflow is saved. The values of these headers are known only in a run.
    for (const given of [
      { headers: { 'X-A': '{{ "a" | append: "\r\nX-B: b" }}' } },
      { method: 'POST', json: {}, body: '' },
    ]) {
      const ended = await run([step('/never', given)]);
      expect(ended.steps[0]!.error!.code).toBe('invalid_arguments');
    }
    expect(sent('/never')).toEqual([]);
  });

  it('can be called only by steps, not by agents and people', async () => {
    expect((await acme.call('http_request', { url: 'http://example.com' })).status).toBe(404);
    const response = await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'http_request', arguments: { url: 'http://example.com' } },
    });
    expect(await response.text()).toContain('-32602');
  });

  it('writes an audit log row', async () => {
    handlers.set('/audited', (_request, response) => response.end());
    const ended = await run([step('/audited')]);
    const rows = await switchboard.ownerQuery(
      `select action from audit_log where organization_id = $1 and actor_id = $2`,
      [acme.id, ended.id],
    );
    expect(rows).toEqual([{ action: 'http_request' }]);
    expect((await getRun(acme, ended.id)).status).toBe('succeeded');
  });
});
