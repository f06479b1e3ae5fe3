import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sink, type SinkRequest, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, type RunShape, runToEnd } from './support/workflow-client.js';

type Handler = (request: SinkRequest, response: ServerResponse) => void;

let switchboard: Switchboard;
let acme: TestOrganization;
let sink: Sink;
/** Another origin: the same server at another address. */
let other: Sink;
const handlers = new Map<string, Handler>();

beforeAll(async () => {
  const answer: Handler = (request, response) => {
    const handle = handlers.get(request.path.split('?')[0]!);
    if (handle) handle(request, response);
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}');
  };
  sink = await startSink('127.0.0.1', answer);
  other = await startSink('127.0.0.2', answer);
  const allowed = `127.0.0.1:${sink.port},127.0.0.2:${other.port}`;
  switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW: allowed } });
  acme = await createOrganization(switchboard);
});
afterAll(async () => {
  await switchboard.close();
  await sink.close();
  await other.close();
});

const step = (path: string, given: object = {}, more: object = {}) => ({
  id: 'call',
  tool: 'http_request',
  arguments: { url: `http://127.0.0.1:${sink.port}${path}`, ...given },
  retry: { max_attempts: 3, backoff_seconds: 0 },
  ...more,
});
const run = async (steps: object[], payload: object = {}): Promise<RunShape> =>
  await runToEnd(acme, (await createWorkflow(acme, steps)).id, payload);
const sent = (path: string, to = sink) =>
  to.requests.filter((request) => request.path.split('?')[0] === path);
const elsewhere = (path: string) => `http://127.0.0.2:${other.port}${path}`;

describe('the query of http_request', () => {
  it('is added to the URL, with lists, numbers and booleans as text', async () => {
    const query = {
      q: '{{ trigger.payload.q }}',
      page: '{{ trigger.payload.page }}',
      all: true,
      tag: ['a', 'b'],
      none: '{{ trigger.payload.missing }}',
    };
    const ended = await run([step('/query?a=1', { query })], { q: 'Grüße & mehr', page: 2 });
    expect(ended.status).toBe('succeeded');
    const [{ path }] = sent('/query') as [SinkRequest];
    const { searchParams } = new URL(path, 'http://x');
    expect([...searchParams]).toEqual([
      ['a', '1'],
      ['q', 'Grüße & mehr'],
      ['page', '2'],
      ['all', 'true'],
      ['tag', 'a'],
      ['tag', 'b'],
    ]);
  });

  it.each<[string, object, string]>([
    ['an object', { query: { a: { b: 1 } } }, 'query.a must be text, a number'],
    ['a form with a list of lists', { form: { a: [[1]] } }, 'form.a must be text, a number'],
    ['two bodies', { form: { a: 1 }, body: 'x' }, 'body must not be given together with form'],
    ['a long query', { query: { a: 'x'.repeat(9000) } }, 'query must be at most 8192'],
  ])('is refused with %s', async (_what, given, message) => {
    const ended = await run([step('/refused', given)]);
    expect(ended.steps[0]).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_arguments' },
    });
    expect((ended.steps[0]!.error as { message: string }).message).toContain(message);
    expect(sent('/refused')).toEqual([]);
  });
});

describe('the body of http_request', () => {
  it('can be a form', async () => {
    await run([step('/form', { method: 'POST', form: { name: 'Grace Hopper', n: [1, 2] } })]);
    expect(sent('/form')[0]).toMatchObject({ body: 'name=Grace+Hopper&n=1&n=2' });
    expect(sent('/form')[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('can be multipart, even if the headers have another content-type', async () => {
    const multipart = { name: 'Grüße', note: 'a\r\nb"c' };
    const headers = { 'Content-Type': 'multipart/form-data' };
    await run([step('/parts', { method: 'POST', multipart, headers })]);
    const [{ body, headers: received }] = sent('/parts') as [SinkRequest];
    const form = await new Response(body, {
      headers: { 'content-type': received['content-type']! },
    }).formData();
    expect([...form]).toEqual([
      ['name', 'Grüße'],
      ['note', 'a\r\nb"c'],
    ]);
  });

  it('changes the idempotency key when the body changes', async () => {
    const key = async (form: object): Promise<string> => {
      await run([step('/key', { method: 'POST', form })]);
      return (sent('/key').at(-1)!.headers['idempotency-key'] as string).split(':').at(-1)!;
    };
    const first = await key({ a: 1 });
    expect(await key({ a: 1 })).toBe(first);
    expect(await key({ a: 2 })).not.toBe(first);
  });
});

describe('a redirect', () => {
  it('is followed as often as max_redirects says', async () => {
    handlers.set('/hop', (_request, response) => {
      response.writeHead(302, { Location: '/hop' }).end();
    });
    const ended = await run([step('/hop', { max_redirects: 3 })]);
    expect(ended.steps[0]).toMatchObject({
      status: 'failed',
      error: {
        code: 'rejected',
        message: 'The other system answered 302. To follow redirects, set max_redirects.',
      },
    });
    expect(sent('/hop')).toHaveLength(4);
  });

  it('of a POST becomes a GET after 303, and is repeated after 307', async () => {
    for (const status of [303, 307]) {
      handlers.set(`/moved/${status}`, (_request, response) => {
        response.writeHead(status, { Location: `/target/${status}` }).end();
      });
      const given = { method: 'POST', json: { a: 1 }, max_redirects: 1 };
      expect((await run([step(`/moved/${status}`, given)])).status).toBe('succeeded');
    }
    expect(sent('/target/303')[0]).toMatchObject({ method: 'GET', body: '' });
    expect(sent('/target/307')[0]).toMatchObject({ method: 'POST', body: '{"a":1}' });
  });

  it('to another origin sends no header that identifies the caller', async () => {
    handlers.set('/away', (_request, response) => {
      response.writeHead(302, { Location: elsewhere('/elsewhere') }).end();
    });
    const headers = { Authorization: 'Bearer t', 'X-Api-Key': 'k', Accept: 'text/plain' };
    expect((await run([step('/away', { headers, max_redirects: 1 })])).status).toBe('succeeded');
    const [{ headers: received }] = sent('/elsewhere', other) as [SinkRequest];
    expect(received).toMatchObject({ accept: 'text/plain', host: `127.0.0.2:${other.port}` });
    expect(received).not.toHaveProperty('authorization');
    expect(received).not.toHaveProperty('x-api-key');
  });

  it.each(['http://169.254.169.254/latest/meta-data', 'http://127.0.0.1:1/'])(
    'to the private address %s is refused',
    async (location) => {
      handlers.set('/private', (_request, response) => {
        response.writeHead(302, { Location: location }).end();
      });
      const ended = await run([step('/private', { max_redirects: 5 })]);
      expect(ended.steps[0]).toMatchObject({
        status: 'failed',
        error: { code: 'invalid_arguments' },
      });
    },
  );

  it('is refused to a host that may not receive the secrets of the request', async () => {
    const created = await acme.call('set_secret', {
      name: 'shop_key',
      secret: 'sk_live_1234567890',
      hosts: ['127.0.0.1'],
    });
    expect(created.status).toBe(200);
    handlers.set('/leak', (_request, response) => {
      response.writeHead(307, { Location: elsewhere('/leaked') }).end();
    });
    const given = { method: 'POST', body: '{{ secrets.shop_key }}', max_redirects: 1 };
    const ended = await run([step('/leak', given)]);
    expect(sent('/leak')[0]).toMatchObject({ body: 'sk_live_1234567890' });
    expect(ended.steps[0]).toMatchObject({ status: 'failed', error: { code: 'rejected' } });
    expect(sent('/leaked', other)).toEqual([]);
  });
});

describe('the response to http_request', () => {
  it('with a status of accept_statuses is a result', async () => {
    handlers.set('/missing', (_request, response) => {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"why":"gone"}');
    });
    const ended = await run([step('/missing', { accept_statuses: [404] })]);
    expect(ended.steps[0]).toMatchObject({
      status: 'succeeded',
      output: { status: 404, body: { json: { why: 'gone' } } },
    });
  });

  it('is seen by the steps of on_error, and by people who look at the run', async () => {
    handlers.set('/declined', (_request, response) => {
      response
        .writeHead(402, { 'Content-Type': 'application/json' })
        .end('{"code":"card_declined","retry":false}');
    });
    const ended = await run([
      step(
        '/declined',
        {},
        {
          on_error: [
            {
              id: 'tell',
              tool: 'http_request',
              arguments: {
                url: `http://127.0.0.1:${sink.port}/told`,
                method: 'POST',
                json: {
                  why: '{{ call.error.response.body.json.code }}',
                  status: '{{ call.error.response.status }}',
                },
              },
            },
          ],
        },
      ),
    ]);
    expect(ended.status).toBe('succeeded');
    expect(JSON.parse(sent('/told')[0]!.body)).toEqual({ why: 'card_declined', status: 402 });
    expect(ended.steps[0]!.error).toMatchObject({
      code: 'rejected',
      message: 'The other system answered 402.',
      response: { status: 402, body: { json: { code: 'card_declined', retry: false } } },
    });
  });

  it('is cut in the error of a step when the response is long', async () => {
    handlers.set('/long', (_request, response) => {
      response.writeHead(400).end('x'.repeat(900_000));
    });
    const ended = await run([step('/long')]);
    expect(JSON.stringify(ended.steps[0]!.error).length).toBeLessThan(1500);
    const [row] = await switchboard.ownerQuery<{ size: number }>(
      'select length(error::text) as size from run_steps where run_id = $1',
      [ended.id],
    );
    expect(row!.size).toBeGreaterThan(16_000);
    expect(row!.size).toBeLessThan(18_000);
  });

  it('leads to a retry when its status is in retry_statuses, and not when it has another status', async () => {
    let calls = 0;
    handlers.set('/busy', (_request, response) => {
      calls += 1;
      response.writeHead(calls === 1 ? 409 : 200).end();
    });
    handlers.set('/gateway', (_request, response) => response.writeHead(502).end());
    const given = { retry_statuses: [409] };
    expect((await run([step('/busy', given)])).steps[0]).toMatchObject({ attempts: 2 });
    expect((await run([step('/gateway', given)])).steps[0]).toMatchObject({
      status: 'failed',
      attempts: 1,
    });
  });

  it('is decompressed', async () => {
    handlers.set('/packed', (_request, response) => {
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end(gzipSync('{"a":[1,2]}'));
    });
    const ended = await run([step('/packed')]);
    expect(ended.steps[0]!.output).toMatchObject({ body: { json: { a: [1, 2] } } });
  });
});

describe('pages', () => {
  const pagesOf = (path: string, lists: readonly (readonly unknown[])[]): void => {
    handlers.set(path, ({ path: asked }, response) => {
      const page = Number(new URL(asked, 'http://x').searchParams.get('page') ?? '1');
      const more = page < lists.length ? String(page + 1) : null;
      response
        .writeHead(200, {
          'Content-Type': 'application/json',
          ...(more && { Link: `<${path}?page=${more}>; rel="next"` }),
        })
        .end(JSON.stringify({ data: lists[page - 1] ?? [], next: more }));
    });
  };
  const LISTS = [[1, 2], [3], [{ id: 4 }]];

  it.each<[string, object]>([
    ['the header Link', { items: 'data', next: 'link' }],
    ['a cursor', { items: 'data', next: 'next', cursor_parameter: 'page' }],
    ['a page number in a parameter', { items: 'data', page_parameter: 'page' }],
  ])('are read to the last one by %s', async (what, pages) => {
    const path = `/pages/${what.replaceAll(' ', '-')}`;
    pagesOf(path, LISTS);
    const ended = await run([step(path, { pages })]);
    expect(ended.steps[0]).toMatchObject({
      status: 'succeeded',
      output: { status: 200, complete: true, body: { json: [1, 2, 3, { id: 4 }], text: null } },
    });
  });

  it('are read until their number is the maximum', async () => {
    pagesOf('/pages/many', LISTS);
    const ended = await run([
      step('/pages/many', { pages: { items: 'data', next: 'link', max: 2 } }),
    ]);
    expect(ended.steps[0]!.output).toMatchObject({ pages: 2, complete: false });
    expect(ended.steps[0]!.output!.body).toMatchObject({ json: [1, 2, 3] });
  });

  it.each<[string, object, string]>([
    [
      'that name themselves as the next page',
      { items: 'data', next: 'self' },
      'as its own next page',
    ],
    ['without a list', { items: 'nothing', next: 'link' }, 'no list at nothing'],
    ['of more than 1 MiB', { items: 'long', next: 'link' }, 'are larger than 1048576 bytes'],
    [
      'whose next page has a host that is longer than DNS allows',
      { items: 'data', next: 'far' },
      'is not a URL, or is too long',
    ],
  ])('fail the step: pages %s', async (_what, pages, message) => {
    handlers.set('/pages/bad', ({ path: asked }, response) => {
      const page = Number(new URL(asked, 'http://x').searchParams.get('page') ?? '1');
      response
        .writeHead(200, {
          'Content-Type': 'application/json',
          Link: `</pages/bad?page=${page + 1}>; rel=next`,
        })
        .end(
          JSON.stringify({
            data: [],
            long: ['x'.repeat(300_000)],
            self: asked,
            far: `//${'一'.repeat(2000)}.com/`,
          }),
        );
    });
    const ended = await run([step('/pages/bad', { pages })]);
    expect(ended.steps[0]).toMatchObject({ status: 'failed' });
    expect((ended.steps[0]!.error as { message: string }).message).toContain(message);
  });

  it('fail the step when they are larger than 1 MiB together, even if their compressed bodies are small', async () => {
    handlers.set('/pages/packed', ({ path: asked }, response) => {
      const page = Number(new URL(asked, 'http://x').searchParams.get('page') ?? '1');
      response
        .writeHead(200, {
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
          Link: `</pages/packed?page=${page + 1}>; rel=next`,
        })
        .end(gzipSync(JSON.stringify(['x'.repeat(300_000)])));
    });
    const ended = await run([step('/pages/packed', { pages: { next: 'link' } })]);
    expect(ended.steps[0]).toMatchObject({
      status: 'failed',
      error: { code: 'rejected', message: 'The items of the pages are larger than 1048576 bytes.' },
    });
    expect(sent('/pages/packed')).toHaveLength(4);
  });

  it('of another origin get no header that identifies the caller', async () => {
    handlers.set('/pages/first', (_request, response) => {
      const next = elsewhere('/pages/second');
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ data: [1], next }));
    });
    handlers.set('/pages/second', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":[2]}');
    });
    const headers = { 'X-Api-Key': 'k' };
    const pages = { items: 'data', next: 'next' };
    const ended = await run([step('/pages/first', { headers, pages })]);
    expect(ended.steps[0]!.output!.body).toMatchObject({ json: [1, 2] });
    expect(sent('/pages/second', other)[0]!.headers).not.toHaveProperty('x-api-key');
  });
});
