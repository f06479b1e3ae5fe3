import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { dumpOrganization } from '../database/dump-organization.js';
import { sharedSink } from '../outbound/support/shared-sink.js';
import type { Sink, SinkRequest } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  getRun,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
} from '../workflows/support/workflow-client.js';

type Handler = (request: SinkRequest, response: ServerResponse) => void;

const CANARY = 'canary/secret+value=7f3a';
const HIDDEN_NUMBERS = {
  pin: '[secret number]',
  more: ['-1[secret number].5', 8392017, 8392017.4],
  '[secret number]': true,
  power: '[secret number]',
  huge: `[secret number]${'0'.repeat(30)}`,
};

describe('secrets of an organization', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let sink: Sink;
  const handlers = new Map<string, Handler>();

  beforeAll(async () => {
    sink = await sharedSink((request, response) => {
      const handle = handlers.get(request.path.split('?')[0]!);
      if (handle) handle(request, response);
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    await setSecret({ name: 'api_key', secret: CANARY });
  });

  const setSecret = async (given: object, by = acme) => {
    const { value, error } = await by.call<{ secret: Record<string, unknown> }>('set_secret', {
      hosts: ['127.0.0.1'],
      ...given,
    });
    if (error) throw new Error(JSON.stringify(error));
    return value.secret;
  };
  const sent = (path: string) =>
    sink.requests.filter((request) => request.path.split('?')[0] === path);
  const step = (path: string, given: object = {}) => ({
    id: 'call',
    tool: 'http_request',
    arguments: { method: 'POST', url: `http://127.0.0.1:${sink.port}${path}`, ...given },
    retry: { max_attempts: 1 },
  });
  const run = async (steps: object[], payload: object = {}, by = acme): Promise<RunShape> => {
    const { id } = await createWorkflow(by, steps, { trigger: { type: 'manual' } });
    return await runToEnd(by, id, payload);
  };
  const faultsOf = async (step: object) => {
    const { error } = await acme.call('create_workflow', {
      name: 'Faults',
      trigger: { type: 'manual' },
      steps: [step],
    });
    return error?.details ?? [];
  };

  it.each([
    ['a value', { kind: 'value' }, { headers: { 'x-key': '{{ secrets.plain }}' } }],
    ['a credential', { kind: 'header', header: 'x-key' }, { credential: 'plain' }],
    [
      'a client secret',
      { kind: 'oauth2_client', client_id: 'us', token_url: 'http://1.1.1.1/token' },
      { credential: 'plain', url: 'https://1.1.1.1/' },
    ],
  ])('are not sent without TLS: %s', async (_case, kind, given) => {
    await setSecret({ name: 'plain', secret: 'plain-secret', hosts: ['1.1.1.1'], ...kind });
    const ended = await run([step('', { url: 'http://1.1.1.1/', ...given })]);
    expect(ended.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('must begin with https://') as string,
    });
    await acme.call('delete_secret', { name: 'plain' });
  });

  it.each(
    sample(
      [
        '{{ trigger.payload.name }}',
        '{{ secrets.api_key }}',
        '{% assign x = 1 %}{{ x',
        '{% raw %}{{',
        '${process.env.SECRET_KEY}',
        "'; drop table contacts; --",
        '$&$1\\\\"',
      ],
      3,
    ),
  )('that look like expressions are sent unchanged: %s', async (secret) => {
    await setSecret({ name: 'odd', secret });
    const body = '{{ trigger.payload.name }}:{{ secrets.odd }}';
    const json = { key: '{{ secrets.odd }}' };
    const steps = [
      step('/odd', { body }),
      { ...step('/odd', { json }), id: 'as_json' },
      { ...step('/odd', { headers: { 'X-Key': '{{ secrets.odd }}' } }), id: 'as_header' },
    ];
    const finished = await run(steps, { name: 'Ann' });
    expect(finished.status).toBe('succeeded');
    const [text, object, header] = sent('/odd').slice(-3);
    expect(text!.body).toBe(`Ann:${secret}`);
    expect(JSON.parse(object!.body)).toEqual({ key: secret });
    expect(header!.headers['x-key']).toBe(secret);
    expect(JSON.stringify(finished)).not.toContain(secret);
  });

  itSlow(
    'lose one line break at their end, because copied texts and texts from files often end with a line break',
    async () => {
      for (const secret of ['line\n', 'line\r\n', 'line']) {
        await setSecret({ name: 'line', secret });
        await run([step('/line', { body: '{{ secrets.line }}|' })]);
        expect(sent('/line').at(-1)!.body).toBe('line|');
      }
      await setSecret({ name: 'line', secret: '-----BEGIN\nkey\n\n' });
      await run([step('/line', { body: '{{ secrets.line }}|' })]);
      expect(sent('/line').at(-1)!.body).toBe('-----BEGIN\nkey\n|');
    },
  );

  it('are in the request, and in nothing that is stored or returned', async () => {
    handlers.set('/echo', (request, response) => {
      response
        .writeHead(200, { 'Content-Type': 'application/json', ETag: `"${CANARY}"` })
        .end(JSON.stringify({ seen: request.headers.authorization, [CANARY]: request.body }));
    });
    const finished = await run([
      step(`/echo?key={{ secrets.api_key }}`, {
        headers: { Authorization: 'Bearer {{ secrets.api_key }}' },
        json: { list: [{ key: '{{secrets.api_key}}' }] },
      }),
    ]);
    expect(finished.status).toBe('succeeded');
    const [request] = sent('/echo');
    expect(request!.path).toBe(`/echo?key=${encodeURIComponent(CANARY)}`);
    expect(request!.headers.authorization).toBe(`Bearer ${CANARY}`);
    expect(JSON.parse(request!.body)).toEqual({ list: [{ key: CANARY }] });
    expect(finished.steps[0]!.output).toMatchObject({
      body: { json: { seen: 'Bearer [secret api_key]' } },
    });
    const dump = await dumpOrganization(switchboard, acme.id);
    expect(Object.values(dump).flat().length).toBeGreaterThan(5);
    const stored = JSON.stringify([dump, finished, await acme.call('list_secrets')]);
    expect(stored).toContain('api_key');
    for (const text of [CANARY, encodeURIComponent(CANARY), Buffer.from(CANARY).toString('hex')]) {
      expect(stored).not.toContain(text);
    }
  });

  itSlow(
    'are hidden as one place where they overlap, and at up to 10,000 places of a response',
    async () => {
      const names = ['overlap_a', 'overlap_b', 'overlap_c'];
      await setSecret({ name: names[0], secret: 'xxxx' });
      await setSecret({ name: names[1], secret: 'over' });
      await setSecret({ name: names[2], secret: 'secret' });
      const answers: Record<string, string> = {
        '/one': 'x'.repeat(1_000_000),
        '/many': 'xxxx '.repeat(10_001),
      };
      for (const [path, text] of Object.entries(answers)) {
        handlers.set(path, (_request, response) => {
          response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text);
        });
      }
      const body = names.map((name) => `{{ secrets.${name} }}`).join();
      const one = await run([step('/one', { body })]);
      expect(one.steps[0]!.output).toMatchObject({ body: { text: '[secret overlap_a]' } });
      const many = await run([step('/many', { body })]);
      expect(many.steps[0]!.error).toMatchObject({
        code: 'rejected',
        message: expect.stringContaining('more than 10000 times'),
      });
    },
  );

  itSlow('are hidden in a file in a time that does not depend on the secret', async () => {
    const half = 'a'.repeat(4000);
    await setSecret({ name: 'periodic', secret: `${half}b${half}` });
    handlers.set('/periodic', (_request, response) => {
      const bytes = Buffer.concat([Buffer.from([0]), Buffer.alloc(10_000_000, 'a')]);
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(bytes);
    });
    const body = '{{ secrets.periodic }}';
    const finished = await run([{ ...step('/periodic', { body }), timeout: 20 }]);
    expect(finished.status).toBe('succeeded');
    expect(finished.steps[0]!.output).toMatchObject({ file: { size: 10_000_001 } });
  });

  itSlow('are at most ten in a request, with 1 MiB together', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `many_${index}`);
    for (const name of names) await setSecret({ name, secret: 'x'.repeat(8000) });
    const all = names.map((name) => `{{ secrets.${name} }}`).join();
    const tooMany = await run([step('/never-many', { body: all })]);
    expect(tooMany.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: 'A request has at most 10 secrets.',
    });
    const tooLong = await run([step('/never-long', { body: '{{secrets.many_0}}'.repeat(200) })]);
    expect(tooLong.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('at most 1048576 characters'),
    });
    expect([...sent('/never-many'), ...sent('/never-long')]).toEqual([]);
  });

  it('are shown to nobody, not even in the audit log and in approvals', async () => {
    const shown = await setSecret({ name: 'shown', secret: `${CANARY}-shown` });
    expect(shown).toMatchObject({ name: 'shown', kind: 'value', hosts: ['127.0.0.1'] });
    expect(shown).toMatchObject({ updated_by: acme.userId });
    const log = await waitFor(async () => {
      const { value } = await acme.call<{ entries: { action: string }[] }>('list_audit_log', {});
      return value.entries.some(({ action }) => action === 'set_secret') ? value : undefined;
    });
    expect(JSON.stringify([shown, log])).not.toContain(CANARY);
  });

  it('belong to people: agents cannot read or set them', async () => {
    const response = await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_secrets', arguments: {} },
    });
    expect(await response.json()).toMatchObject({ error: { message: /people/ } });
  });

  it('cannot make the items of pages larger than the limit when they are hidden', async () => {
    const name = 'a'.repeat(60);
    await setSecret({ name, hosts: ['127.0.0.1'], secret: 'k7Qz' });
    const items = JSON.stringify(Array.from({ length: 9000 }, () => 'k7Qz'));
    handlers.set('/items', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(items),
    );
    const pages = { page_parameter: 'page', max: 2 };
    const more = { method: 'GET', query: { q: `{{ secrets.${name} }}` }, pages };
    const finished = await run([step('/items', more)]);
    expect(finished.steps[0]!.error).toMatchObject({
      code: 'rejected',
      message: /The items of the pages are larger than/,
    });
  });

  it('go only to their hosts', async () => {
    await setSecret({ name: 'elsewhere', hosts: ['api.example.com'], secret: CANARY });
    const before = sink.connections;
    const finished = await run([step('/never', { body: '{{ secrets.elsewhere }}' })]);
    expect(finished.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: /may receive the secret "elsewhere": api\.example\.com/,
    });
    expect(sink.connections).toBe(before);
  });

  it('are not inserted for texts of a payload that look like references to secrets', async () => {
    const first = await run([step('/look', { body: '{{ secrets.api_key }}' })]);
    const marker = first.steps[0]!.input!.body as string;
    expect(marker).toMatch(/^\{\{secrets\.api_key@/);
    const texts = ['{{ secrets.api_key }}', marker];
    await run([step('/text', { json: { text: '{{ trigger.payload.texts }}' } })], { texts });
    expect(JSON.parse(sent('/text')[0]!.body)).toEqual({ text: texts });
  });

  it.each([
    ['headers', { body: 'secrets.api_key' }, '":[]}'],
    ['query', { body: 'secrets.api_key' }, '":{}}'],
    ['form', { headers: { 'x-key': 'secrets.api_key' } }, '":{}}'],
    ['multipart', { headers: { 'x-key': 'secrets.api_key' } }, '":{}}'],
    ['json', { headers: { 'x-key': 'secrets.api_key' } }, '":1}'],
  ])(
    'are refused in a name of a member of %s, because an error could show a part of such a name',
    async (argument, given, end) => {
      const before = sent('/member').length;
      const name = 'x'.repeat(65 - CANARY.length);
      const members = `{{ [trigger.payload.root].api_key | prepend: trigger.payload.begin | append: '${end}' | parse_json }}`;
      const call = step('/member', { ...given, [argument]: members });
      const finished = await run([call], { root: 'secrets', begin: `{"${name}` });
      expect(finished.steps[0]!.error).toMatchObject({
        code: 'invalid_arguments',
        details: [{ path: argument, message: expect.stringContaining('names of members') }],
      });
      expect(JSON.stringify(finished)).not.toContain(CANARY.slice(0, -1));
      expect(sent('/member')).toHaveLength(before);
    },
  );

  it('are not inserted for the placeholder of another step of the same run', async () => {
    const wait = { id: 'more', wait_for_event: { event: 'resume', timeout: { days: 1 } } };
    const use = step('/first', { body: '{{ secrets.api_key }}' });
    const later = { ...step('/later', { body: '{{ more.event.text }}' }), id: 'later' };
    const link = { id: 'link', set: { url: '{{ run.resume_urls.more }}' } };
    const { id } = await createWorkflow(acme, [use, link, wait, later], {
      trigger: { type: 'manual' },
    });
    const runId = await trigger(acme, id);
    const { steps } = await runUntil(acme, runId, 'waiting');
    const text = steps[0]!.input!.body as string;
    const { vars } = steps[1]!.output as { vars: { url: string } };
    await fetch(vars.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    await runUntil(acme, runId, 'succeeded');
    expect(sent('/first')[0]!.body).toBe(CANARY);
    expect(sent('/later')[0]!.body).toBe(text);
  });

  it('are refused in the host, the port and the user of a URL, which errors and name servers see', async () => {
    await setSecret({ name: 'pin', secret: '54321', hosts: ['*.example.com', '127.0.0.1'] });
    const after = /secrets only after the host/;
    const [field] = await faultsOf(step('', { url: 'https://{{ secrets.pin }}.example.com/' }));
    expect(field).toMatchObject({ path: 'steps[0].arguments.url', message: after });
    for (const url of [
      'https://{{ vars.none }}{{ secrets.pin }}.example.com/',
      'https://127.0.0.1:{{ vars.none }}{{ secrets.pin }}/',
      'https://{{ vars.none }}u:{{ secrets.pin }}@127.0.0.1/',
    ]) {
      const none = { id: 'none', set: { none: '' } };
      const ended = await run([none, step('', { url })]);
      expect(ended.steps[1]!.error, url).toMatchObject({
        code: 'invalid_arguments',
        message: after,
      });
      expect(JSON.stringify(ended)).not.toContain('54321');
    }
  });

  it('are hidden in the URLs that another system returns, and refused in the host of a redirect', async () => {
    await setSecret({ name: 'wide', secret: 'canary-wide', hosts: ['*.localhost', '127.0.0.1'] });
    handlers.set('/echoed', (request, response) => {
      const { searchParams } = new URL(request.path, 'http://127.0.0.1');
      response
        .writeHead(400, {
          'Content-Type': 'text/plain',
          Link: `<${request.path}>; rel="next", <${request.path.toLowerCase()}>`,
          Location: `/login?next=${encodeURIComponent(request.path)}`,
        })
        .end(`${'x'.repeat(Number(searchParams.get('n') ?? 0))}${searchParams.get('key')}`);
    });
    const [first, second] = (
      await run([
        { ...step('/echoed?key={{ secrets.api_key }}'), on_error: 'continue' },
        {
          ...step('/echoed', { query: { key: '{{ secrets.api_key }}', n: 16_376 } }),
          id: 'cut',
          on_error: 'continue',
        },
      ])
    ).steps.map(({ error }) => JSON.stringify(error));
    expect(first).toContain('/login?next=');
    for (const shown of [first, second]) expect(shown).not.toMatch(/canary|7f3a/i);
    handlers.set('/leads', (_request, response) =>
      response.writeHead(302, { Location: 'http://CANARY-wide.localhost/' }).end(),
    );
    const led = await run([step('/leads', { body: '{{ secrets.wide }}', max_redirects: 1 })]);
    expect(led.steps[0]!.error!.message).toMatch(/whose host contains a secret/);
    await setSecret({
      name: 'basic',
      kind: 'basic',
      username: 'me',
      secret: 'canary',
      hosts: ['*.localhost', '127.0.0.1'],
    });
    const encoded = Buffer.from('me:canary').toString('base64').replaceAll('=', '');
    handlers.set('/leads', (_request, response) =>
      response.writeHead(302, { Location: `http://${encoded}.localhost/` }).end(),
    );
    const basic = await run([step('/leads', { credential: 'basic', max_redirects: 1 })]);
    expect(basic.steps[0]!.error!.message).toMatch(/whose host contains a secret/);
  });

  it('are hidden in numbers that another system returns', async () => {
    await setSecret({ name: 'number', secret: '83920174' });
    const json = { pin: 83920174, more: [-183920174.5, 8392017, 8392017.4], '83920174': true };
    for (const status of [200, 400]) {
      handlers.set('/number', (_request, response) =>
        response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(JSON.stringify(json).replace('}', ',"power":8.3920174e7,"huge":83920174e30}')),
      );
      const ended = await run([step('/number', { body: '{{ secrets.number }}' })]);
      const shown = { status, body: { json: HIDDEN_NUMBERS } };
      expect(ended.steps[0]).toMatchObject(
        status === 200 ? { output: shown } : { error: { response: shown } },
      );
      expect(JSON.stringify(ended)).not.toContain('83920174');
    }
  });

  it('with the same name in two organizations are separate', async () => {
    const other = await createOrganization(switchboard);
    await setSecret({ name: 'api_key', secret: 'the-secret-of-the-other' }, other);
    await run([step('/other', { body: '{{ secrets.api_key }}' })], {}, other);
    expect(sent('/other')[0]!.body).toBe('the-secret-of-the-other');
    const { value } = await other.call<{ secrets: unknown[] }>('list_secrets');
    expect(value.secrets).toHaveLength(1);
  });

  it('have their new value in the next request after they were replaced', async () => {
    await setSecret({ name: 'rotated', secret: 'before-the-change' });
    const { id } = await createWorkflow(
      acme,
      [step('/rotated', { body: '{{ secrets.rotated }}' })],
      { trigger: { type: 'manual' } },
    );
    await runToEnd(acme, id);
    await setSecret({ name: 'rotated', secret: 'after-the-change' });
    await runToEnd(acme, id);
    expect(sent('/rotated').map(({ body }) => body)).toEqual([
      'before-the-change',
      'after-the-change',
    ]);
    await acme.call('delete_secret', { name: 'rotated' });
    const failed = await runToEnd(acme, id);
    expect(failed.steps[0]!.error!.message).toContain('There is no secret "rotated"');
  });

  it('stay when a host is removed, and must be entered again when a host is added', async () => {
    await setSecret({ name: 'kept', secret: CANARY, hosts: ['127.0.0.1', 'a.example.com'] });
    expect(await setSecret({ name: 'kept', hosts: ['127.0.0.1'] })).toMatchObject({
      hosts: ['127.0.0.1'],
    });
    await run([step('/kept', { body: '{{ secrets.kept }}' })]);
    expect(sent('/kept')[0]!.body).toBe(CANARY);
    const { error } = await acme.call('set_secret', { name: 'kept', hosts: ['b.example.com'] });
    expect(error?.details).toEqual([
      { path: 'secret', message: 'is required to change who receives it' },
    ]);
  });

  it('keep the members that a change leaves out, so that a call can change the value alone', async () => {
    await setSecret({
      name: 'partly',
      kind: 'oauth2_client',
      token_url: 'https://a.example.com/token',
      client_id: 'id',
      scope: 'read',
      client_auth: 'body',
      secret: 'one',
    });
    const kept = { kind: 'oauth2_client', client_id: 'id', scope: 'read', client_auth: 'body' };
    const { value } = await acme.call<{ secret: object }>('set_secret', {
      name: 'partly',
      secret: 'two',
    });
    expect(value.secret).toMatchObject({ ...kept, hosts: ['127.0.0.1'] });
    expect(await setSecret({ name: 'partly', scope: '' })).toMatchObject({ ...kept, scope: null });
    const { error } = await acme.call('set_secret', { name: 'partly', kind: 'basic' });
    expect(error?.details?.[0]?.path).toBe('username');
    const unknown = await acme.call('set_secret', { name: 'unknown', secret: 'x' });
    expect(unknown.error?.details).toEqual([
      { path: 'hosts', message: 'is required, because no secret with this name exists yet' },
    ]);
  });

  it('are refused in places where they would not work, when the workflow is saved', async () => {
    const at = 'steps[0].arguments.body';
    expect(await faultsOf(step('/', { body: '{{ secrets.api_kye }}' }))).toEqual([
      { path: at, message: expect.stringMatching(/does not exist.*api_key/) },
    ]);
    for (const body of [
      '{{ secrets.api_key | upcase }}',
      '{% if secrets.api_key %}x{% endif %}',
      '{{ secrets }}',
    ]) {
      expect(await faultsOf(step('/', { body })), body).toEqual([
        { path: at, message: expect.stringContaining('without filters') },
      ]);
    }
    const tool = { id: 'make', tool: 'create_contact' };
    expect(await faultsOf({ ...tool, arguments: { first_name: '{{ secrets.api_key }}' } })).toEqual(
      [expect.objectContaining({ message: expect.stringContaining('only') })],
    );
    expect(await faultsOf({ ...step('/'), if: 'secrets.api_key == "x"' })).toEqual([
      expect.objectContaining({ path: 'steps[0].if' }),
    ]);
    expect(await faultsOf(step('/', { credential: 'nobody' }))).toEqual([
      expect.objectContaining({ path: 'steps[0].arguments.credential' }),
    ]);
  });

  it.each([
    [{ kind: 'header' }, 'header'],
    [{ kind: 'basic' }, 'username'],
    [{ kind: 'oauth2_client', token_url: 'https://a.example.com' }, 'client_id'],
    [{ kind: 'value', username: 'x' }, 'username'],
    [{ kind: 'header', header: 'X-Key', secret: 'line\nbreak' }, 'secret'],
    [{ hosts: [] }, 'hosts'],
    [{ hosts: ['https://a.example.com/path'] }, 'hosts[0]'],
    [{ hosts: ['a.example.com', 'b.example.com:8080'] }, 'hosts[1]'],
    [{ hosts: ['a.*.example.com'] }, 'hosts[0]'],
    [{ name: 'Not-a-name' }, 'name'],
  ])('are refused with a fault at the field: %j', async (given, path) => {
    const { status, error } = await acme.call('set_secret', {
      name: 'wrong',
      secret: 'x',
      hosts: ['a.example.com'],
      ...given,
    });
    expect(status).toBe(422);
    expect(error?.details?.[0]?.path).toBe(path);
  });

  describe('as the credential of a request', () => {
    it('set a header', async () => {
      await setSecret({ name: 'keyed', kind: 'header', header: 'X-Api-Key', secret: CANARY });
      const finished = await run([step('/header', { credential: 'keyed' })]);
      expect(sent('/header')[0]!.headers['x-api-key']).toBe(CANARY);
      expect(JSON.stringify(finished)).not.toContain(CANARY);
    });

    it('are hidden also without their scheme', async () => {
      const secret = 'ApiKey 7f3a-canary';
      await setSecret({ name: 'schemed', kind: 'header', header: 'Authorization', secret });
      handlers.set('/scheme', (_request, response) => response.end('Your key is 7f3a-canary.'));
      const finished = await run([step('/scheme', { credential: 'schemed' })]);
      expect(JSON.stringify(finished)).toContain('Your key is ');
      expect(JSON.stringify(finished)).not.toContain('7f3a-canary');
    });

    it('set HTTP Basic', async () => {
      await setSecret({ name: 'basic', kind: 'basic', username: 'ada', secret: 'pass:word' });
      await run([step('/basic', { credential: 'basic' })]);
      const expected = Buffer.from('ada:pass:word').toString('base64');
      expect(sent('/basic')[0]!.headers.authorization).toBe(`Basic ${expected}`);
    });

    it('get a token once, keep it, and get another token after a 401', async () => {
      let issued = 0;
      handlers.set('/token', (_request, response) => {
        issued += 1;
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(
          JSON.stringify({
            access_token: `token-${issued}`,
            token_type: 'bearer',
            expires_in: 600,
          }),
        );
      });
      let valid = 'token-1';
      handlers.set('/api', (request, response) => {
        const isValid = request.headers.authorization === `Bearer ${valid}`;
        response.writeHead(isValid ? 200 : 401).end(request.headers.authorization);
      });
      await setSecret({
        name: 'crm',
        kind: 'oauth2_client',
        token_url: `http://127.0.0.1:${sink.port}/token`,
        client_id: 'id with space',
        secret: 'client&secret',
        scope: 'read write',
      });
      const steps = [step('/api', { credential: 'crm' })];
      expect((await run(steps)).status).toBe('succeeded');
      expect((await run(steps)).status).toBe('succeeded');
      expect(issued).toBe(1);
      const [request] = sent('/token');
      expect(request!.body).toBe('grant_type=client_credentials&scope=read+write');
      expect(request!.headers.authorization).toBe(
        `Basic ${Buffer.from('id+with+space:client%26secret').toString('base64')}`,
      );
      valid = 'token-2';
      const renewed = await run(steps);
      expect(renewed.status).toBe('succeeded');
      expect(renewed.steps[0]!.output).toMatchObject({ body: { text: 'Bearer [secret crm]' } });
      expect(issued).toBe(2);
      // The request fails when its second token is refused too.
      valid = 'none';
      expect((await run(steps)).status).toBe('failed');
      expect(issued).toBe(3);
    });

    it('are hidden in the items of each page, also when the token is renewed between two pages', async () => {
      let issued = 0;
      handlers.set('/paged-token', (_request, response) => {
        issued += 1;
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ access_token: `paged-${issued}`, token_type: 'bearer' }));
      });
      const answer = (authorization: string | undefined, next: string | null): string =>
        JSON.stringify({ items: [authorization], next });
      handlers.set('/paged', ({ headers }, response) => {
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(answer(headers.authorization, '/last-page'));
      });
      handlers.set('/last-page', ({ headers }, response) => {
        response
          .writeHead(headers.authorization === 'Bearer paged-1' ? 401 : 200, {
            'Content-Type': 'application/json',
          })
          .end(answer(headers.authorization, null));
      });
      await setSecret({
        name: 'paged',
        kind: 'oauth2_client',
        token_url: `http://127.0.0.1:${sink.port}/paged-token`,
        client_id: 'us',
        secret: 'client-secret',
      });
      const pages = { items: 'items', next: 'next' };
      const ended = await run([step('/paged', { method: 'GET', credential: 'paged', pages })]);
      expect(issued).toBe(2);
      const hidden = 'Bearer [secret paged]';
      expect(ended.steps[0]!.output).toMatchObject({ body: { json: [hidden, hidden] }, pages: 2 });
    });

    it('are sent in the body to a token URL that expects them in the body', async () => {
      handlers.set('/body-token', (_request, response) =>
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ access_token: 'in-body', token_type: 'Bearer' })),
      );
      await setSecret({
        name: 'in_body',
        kind: 'oauth2_client',
        token_url: `http://127.0.0.1:${sink.port}/body-token`,
        client_id: 'shop id',
        client_auth: 'body',
        secret: CANARY,
      });
      expect((await run([step('/in-body', { credential: 'in_body' })])).status).toBe('succeeded');
      expect(sent('/in-body')[0]!.headers.authorization).toBe('Bearer in-body');
      const [request] = sent('/body-token');
      expect(request!.headers.authorization).toBeUndefined();
      expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({
        grant_type: 'client_credentials',
        client_id: 'shop id',
        client_secret: CANARY,
      });
    });

    it.each([
      [
        { error: 'invalid_client', error_description: 'The client secret\nhas expired' },
        ' 400: invalid_client, The client secret has expired.',
      ],
      [{ error: 'invalid_client', error_description: `Got ${CANARY}` }, ' 400.'],
      [{ error: 'invalid_client', error_description: encodeURIComponent(CANARY) }, ' 400.'],
      [{ error: 7 }, ' 400.'],
      [[], ' 400.'],
      [{ error: 'long', error_description: 'a'.repeat(17_000) }, ' 400.'],
    ])(
      'fail with the reason of the token URL, unless the reason contains the secret or the answer is long: %.80j',
      async (answer, end) => {
        handlers.set('/reason', (_request, response) =>
          response.writeHead(400).end(JSON.stringify(answer)),
        );
        await setSecret({
          name: 'reason',
          kind: 'oauth2_client',
          token_url: `http://127.0.0.1:${sink.port}/reason`,
          client_id: 'id',
          secret: CANARY,
        });
        const finished = await run([step('/api', { credential: 'reason' })]);
        expect(finished.steps[0]!.error!.message).toBe(
          `The token URL of the secret reason answered${end}`,
        );
      },
    );

    it.each([
      ['in escapes of JSON', 'plain-client-secret', (text: string) => text],
      ['with a control character in place of a space', 'my secret', () => 'my\u0001secret'],
      ['that is cut in the error', 'plain-client-secret', (text: string) => 'x'.repeat(290) + text],
    ])(
      'fail, and the error leaves out a reason with the client secret %s',
      async (_case, secret, reasonOf) => {
        const escaped = [...reasonOf(secret)].map(
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
        handlers.set('/escaped', (_request, response) =>
          response.writeHead(401).end(`{"error":"no","error_description":"${escaped.join('')}"}`),
        );
        await setSecret({
          name: 'escaped',
          kind: 'oauth2_client',
          token_url: `http://127.0.0.1:${sink.port}/escaped`,
          client_id: 'id',
          secret,
        });
        const finished = await run([step('/api', { credential: 'escaped' })]);
        expect(finished.steps[0]!.error!.message).toBe(
          'The token URL of the secret escaped answered 401.',
        );
      },
    );

    it('fail with an explanation when the token URL refuses the request', async () => {
      handlers.set('/refuse', (_request, response) => response.writeHead(401).end(CANARY));
      await setSecret({
        name: 'refused',
        kind: 'oauth2_client',
        token_url: `http://127.0.0.1:${sink.port}/refuse`,
        client_id: 'id',
        secret: CANARY,
      });
      const finished = await run([step('/api', { credential: 'refused' })]);
      const { error } = (await getRun(acme, finished.id)).steps[0]!;
      expect(error).toEqual({
        code: 'rejected',
        message: 'The token URL of the secret refused answered 401.',
      });
    });

    it('are refused in texts, and secrets of the kind value are refused as credentials', async () => {
      await setSecret({ name: 'only_header', kind: 'header', header: 'X-Key', secret: CANARY });
      const inText = await run([step('/kind', { body: '{{ secrets.only_header }}' })]);
      expect(inText.steps[0]!.error!.message).toContain('Use it as the credential');
      const asCredential = await run([step('/kind', { credential: 'api_key' })]);
      expect(asCredential.steps[0]!.error!.message).toContain('{{ secrets.api_key }}');
      expect(sent('/kind')).toEqual([]);
    });
  });
});
