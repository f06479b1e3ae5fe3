import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sink, type SinkRequest, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { createWorkflow, type RunShape, runToEnd } from './support/workflow-client.js';

type Handler = (request: SinkRequest, response: ServerResponse) => void;
interface FileShape {
  id: string;
  name: string;
  content_type: string;
  size: number;
  sha256: string;
}

const MIB = 1024 * 1024;
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(1000)]);
const CANARY = 'canary-secret-in-a-file';

describe('files of http_request', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let sink: Sink;
  const handlers = new Map<string, Handler>();

  beforeAll(async () => {
    sink = await startSink('127.0.0.1', (request, response) => {
      const handle = handlers.get(request.path.split('?')[0]!);
      if (handle) handle(request, response);
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW: `127.0.0.1:${sink.port}` } });
    acme = await createOrganization(switchboard);
  });
  afterAll(async () => {
    await switchboard.close();
    await sink.close();
  });

  const answer = (path: string, headers: Record<string, string>, body: Buffer | string) =>
    handlers.set(path, (_request, response) => void response.writeHead(200, headers).end(body));
  const sent = (path: string) => sink.requests.filter((request) => request.path === path);
  const step = (path: string, given: object = {}, more: object = {}) => ({
    id: 'call',
    tool: 'http_request',
    arguments: { url: `http://127.0.0.1:${sink.port}${path}`, ...given },
    retry: { max_attempts: 2, backoff_seconds: 0 },
    ...more,
  });
  const run = async (steps: object[], payload: object = {}): Promise<RunShape> =>
    await runToEnd(
      acme,
      (await createWorkflow(acme, steps, { trigger: { type: 'manual' } })).id,
      payload,
    );
  const outputOf = async (path: string, given: object = {}) => {
    const { status, steps } = await run([step(path, given)]);
    expect(steps[0]!.error).toBeNull();
    expect(status).toBe('succeeded');
    return steps[0]!.output as { body: object; file?: FileShape };
  };
  const countFiles = async (runId?: string) => {
    const [row] = await switchboard.ownerQuery<{ files: number; chunks: number }>(
      `select (select count(*) from files where $1::text is null or run_id = $1)::integer as files,
         (select count(*) from file_chunks c join files f on f.id = c.file_id
          where $1::text is null or f.run_id = $1)::integer as chunks`,
      [runId ?? null],
    );
    return row!;
  };
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  it('keep a binary response, which later steps send and people save', async () => {
    const bytes = randomBytes(2 * MIB + 12_345);
    answer(
      '/logo',
      {
        'Content-Type': 'image/png',
        'Content-Disposition': `attachment; filename*=UTF-8''..%2FGr%C3%BC%C3%9Fe.png`,
      },
      bytes,
    );
    const ended = await run([
      step('/logo', {}, { id: 'download' }),
      step('/put', { method: 'PUT', file: '{{ download.file.id }}' }, { id: 'upload' }),
      step(
        '/form',
        {
          method: 'POST',
          multipart: {
            note: 'A logo',
            logo: { file: '{{ download.file.id }}' },
            both: [{ file: '{{ download.file.id }}', name: 'b.png' }, 7],
          },
        },
        { id: 'form' },
      ),
    ]);
    expect(ended.status).toBe('succeeded');
    const { body, file } = ended.steps[0]!.output as { body: object; file: FileShape };
    expect(body).toEqual({ json: null, text: null });
    expect(file).toEqual({
      id: expect.stringMatching(/^fil_[\w-]{22}$/) as string,
      name: 'Grüße.png',
      content_type: 'image/png',
      size: bytes.length,
      sha256: digest(bytes),
    });

    const [put] = sent('/put');
    expect(put!.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
    });
    expect(digest(put!.bytes)).toBe(digest(bytes));
    const [form] = sent('/form');
    const parts = await new Response(new Uint8Array(form!.bytes), {
      headers: { 'Content-Type': form!.headers['content-type']! },
    }).formData();
    expect(parts.get('note')).toBe('A logo');
    const logo = parts.get('logo') as File;
    expect(logo).toMatchObject({ name: 'Grüße.png', type: 'image/png' });
    expect(digest(Buffer.from(await logo.arrayBuffer()))).toBe(digest(bytes));
    expect(parts.getAll('both').map((part) => (part instanceof File ? part.name : part))).toEqual([
      'b.png',
      '7',
    ]);

    const saved = await acme.fetch(`/api/files/${file.id}`);
    expect(saved.status).toBe(200);
    expect(Object.fromEntries(saved.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="Gr__e.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.png`,
      'content-length': String(bytes.length),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(digest(Buffer.from(await saved.arrayBuffer()))).toBe(digest(bytes));
    const head = await acme.fetch(`/api/files/${file.id}`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
  });

  it('can be downloaded only by people of the organization', async () => {
    answer('/private', { 'Content-Type': 'image/png' }, PNG);
    const { file } = await outputOf('/private');
    const other = await createOrganization(switchboard);
    expect((await other.fetch(`/api/files/${file!.id}`)).status).toBe(404);
    expect((await acme.fetch('/api/files/fil_x%00')).status).toBe(404);
    const anonymous = await fetch(`${switchboard.url}/api/files/${file!.id}`);
    expect(anonymous.status).toBe(401);
    const theirs = await runToEnd(
      other,
      (
        await createWorkflow(other, [step('/put-theirs', { method: 'PUT', file: file!.id })], {
          trigger: { type: 'manual' },
        })
      ).id,
    );
    expect(theirs.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: `There is no file "${file!.id}". Files are deleted with the run that kept them.`,
    });
    expect(sent('/put-theirs')).toEqual([]);
  });

  itSlow('are not kept for text of any type', async () => {
    const kinds: [headers: Record<string, string>, body: Buffer | string, text: string | null][] = [
      [{}, PNG, null],
      [{ 'Content-Type': 'application/x' }, 'a\0b', null],
      [{ 'Content-Type': 'application/octet-stream' }, 'a,b', 'a,b'],
      [{}, 'Grüße', 'Grüße'],
      [{ 'Content-Type': 'image/svg+xml' }, '<svg/>', '<svg/>'],
      [{ 'Content-Type': 'text/plain' }, Buffer.from([0x41, 0xff]), 'A\ufffd'],
      [{ 'Content-Type': 'image/png' }, '', ''],
    ];
    kinds.forEach(([headers, body], index) => answer(`/kind${index}`, headers, body));
    const ended = await run(
      kinds.map((_kind, index) => step(`/kind${index}`, {}, { id: `kind${index}` })),
    );
    expect(ended.steps.map(({ output }) => output?.body)).toEqual(
      kinds.map(([, , text]) => ({ json: null, text })),
    );
    expect(ended.steps.map(({ output }) => output?.file !== undefined)).toEqual(
      kinds.map(([, , text]) => text === null),
    );
  });

  itSlow(
    'keep text and JSON up to 10 MiB when response is file, and the error for a large text recommends this setting',
    async () => {
      const text = `"${'ä'.repeat(5 * MIB - 1)}"`;
      answer('/export.json', { 'Content-Type': 'application/json' }, text);
      const failed = await run([step('/export.json')]);
      expect(failed.steps[0]!.error!.message).toBe(
        'The response is larger than 1048576 bytes. To keep up to 10485760 bytes as a file, set response to file.',
      );
      expect((await outputOf('/export.json', { response: 'file' })).file).toMatchObject({
        name: 'export.json',
        content_type: 'application/json',
        size: Buffer.byteLength(text),
      });
      expect(await outputOf('/empty', { response: 'file' })).toMatchObject({ file: { size: 2 } });
    },
  );

  it.each(
    sample<[string, Record<string, string>, Buffer, string]>(
      [
        [
          'as it is sent',
          {},
          Buffer.alloc(10 * MIB + 1, 1),
          'The response is larger than 10485760 bytes.',
        ],
        [
          'when it is decompressed',
          { 'Content-Encoding': 'gzip' },
          gzipSync(Buffer.alloc(10 * MIB + 1)),
          'The response is larger than 10485760 bytes when it is decompressed.',
        ],
      ],
      2,
    ),
  )('are refused above 10 MiB, %s', async (_title, headers, body, message) => {
    answer('/huge', { 'Content-Type': 'application/zip', ...headers }, body);
    const { id, steps } = await run([step('/huge')]);
    expect(steps[0]!.error).toEqual({ code: 'rejected', message });
    expect(await countFiles(id)).toEqual({ files: 0, chunks: 0 });
  });

  it.each([{ response: 'file' }, {}])(
    'and other responses are refused when they come in thousands of small chunks: %j',
    async (given) => {
      handlers.set('/crumbs', (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain' });
        for (let count = 0; count < 3000; count += 1) response.write('a');
        response.end();
      });
      const { id, steps } = await run([step('/crumbs', given)]);
      expect(steps[0]!.error).toEqual({
        code: 'rejected',
        message: 'The response comes in too many small chunks.',
      });
      expect(await countFiles(id)).toEqual({ files: 0, chunks: 0 });
    },
  );

  it('are not kept for an error of the other system', async () => {
    handlers.set('/broken', (_request, response) =>
      response.writeHead(400, { 'Content-Type': 'image/png' }).end(PNG),
    );
    const { id, steps } = await run([step('/broken', { response: 'file' })]);
    expect(steps[0]!.error).toMatchObject({ code: 'rejected' });
    expect(await countFiles(id)).toEqual({ files: 0, chunks: 0 });
  });

  it('have no secret of the request', async () => {
    const { error } = await acme.call('set_secret', {
      name: 'file_key',
      secret: CANARY,
      hosts: ['127.0.0.1'],
    });
    expect(error).toBeUndefined();
    handlers.set('/echo.bin', (request, response) =>
      response
        .writeHead(200, {
          'Content-Type': `image/png`,
          'Content-Disposition': `attachment; filename="${String(request.headers.authorization)}.png"`,
        })
        .end(Buffer.concat([PNG, Buffer.from(`${CANARY}${CANARY}`), PNG])),
    );
    const { file } = await outputOf('/echo.bin', {
      headers: { Authorization: '{{ secrets.file_key }}' },
    });
    expect(file!.name).toBe('[secret file_key].png');
    const saved = Buffer.from(await (await acme.fetch(`/api/files/${file!.id}`)).arrayBuffer());
    expect(saved.length).toBe(file!.size);
    expect(saved.includes(CANARY)).toBe(false);
    expect(saved.includes('[secret file_key][secret file_key]')).toBe(true);
  });

  it.each([
    ['escapes of a quoted text', (escaped: string) => `filename="${escaped}.png"`],
    ['percent-encoding', (_: string, encoded: string) => `filename*=UTF-8''${encoded}.png`],
    [
      'percent-encoding that is long',
      (_: string, encoded: string) =>
        `filename*=UTF-8''${'x'.repeat(995 - encoded.length)}%2F${encoded}.png`,
    ],
    [
      'characters that no name may have',
      (escaped: string) => `filename="${escaped.replaceAll('\\', '*')}.png"`,
    ],
    ['a part that is cut', (escaped: string) => `filename="${'x'.repeat(80)}${escaped}"`],
  ])('have no secret of the request in their name: %s', async (_case, nameOf) => {
    await acme.call('set_secret', { name: 'file_key', secret: CANARY, hosts: ['127.0.0.1'] });
    const letters = [...CANARY].map((letter) => [
      `\\${letter}`,
      `%${letter.charCodeAt(0).toString(16)}`,
    ]);
    const given = nameOf(
      ...(letters.reduce((a, b) => [a[0]! + b[0]!, a[1]! + b[1]!]) as [string, string]),
    );
    answer(
      '/named.bin',
      { 'Content-Type': 'image/png', 'Content-Disposition': `attachment; ${given}` },
      PNG,
    );
    const { file } = await outputOf('/named.bin', {
      headers: { Authorization: '{{ secrets.file_key }}' },
    });
    expect(file!.name).not.toMatch(/canary/i);
  });

  it('are not sent to people from whom the organization hides get_run', async () => {
    answer('/hidden', { 'Content-Type': 'image/png' }, PNG);
    const { file } = await outputOf('/hidden');
    await acme.call('set_tool_policy', { tool: 'get_run', hidden: true });
    try {
      const answered = await acme.fetch(`/api/files/${file!.id}`);
      expect(answered.status).toBe(404);
      expect(await answered.json()).toMatchObject({
        detail: 'Unknown tool. This request needs get_run.',
      });
    } finally {
      await acme.call('set_tool_policy', { tool: 'get_run', hidden: false });
    }
    expect((await acme.fetch(`/api/files/${file!.id}`)).status).toBe(200);
  });

  it('are stored together with the result of the step, or not at all', async () => {
    answer('/atomic', { 'Content-Type': 'image/png' }, PNG);
    await failOnce('idempotency_keys', 'update', 'new.result is not null');
    const { id, steps } = await run([step('/atomic', {}, { retry: { max_attempts: 1 } })]);
    expect(steps[0]!.status).toBe('failed');
    expect(await countFiles(id)).toEqual({ files: 0, chunks: 0 });
  });

  it('are not duplicated when the step is repeated after its result was stored', async () => {
    answer('/repeated', { 'Content-Type': 'image/png' }, PNG);
    await failOnce('run_steps', 'insert or update', `new.status = 'succeeded'`);
    const { id, status, steps } = await run([step('/repeated')]);
    expect({ status, attempts: steps[0]!.attempts }).toEqual({ status: 'succeeded', attempts: 2 });
    expect(sent('/repeated')).toHaveLength(1);
    expect(await countFiles(id)).toEqual({ files: 1, chunks: 1 });
    const { file } = steps[0]!.output as { file: FileShape };
    expect((await acme.fetch(`/api/files/${file.id}`)).status).toBe(200);
  });

  it('are not stored when the quota of stored bytes is used up', async () => {
    handlers.set('/full', (_request, response) => {
      void switchboard
        .ownerQuery(
          `insert into private.quota_refusals (organization_id, name, amount) values ($1, 'stored_bytes', 1e15)`,
          [acme.id],
        )
        .then(() => response.writeHead(200, { 'Content-Type': 'image/png' }).end(PNG));
    });
    const { id, steps } = await run([step('/full', {}, { retry: { max_attempts: 1 } })]);
    await switchboard.ownerQuery('delete from private.quota_refusals where organization_id = $1', [
      acme.id,
    ]);
    expect(steps[0]!.error).toMatchObject({ code: 'rate_limited' });
    expect(await countFiles(id)).toEqual({ files: 0, chunks: 0 });
  });

  it('are deleted with their run', async () => {
    answer('/purged', { 'Content-Type': 'image/png' }, PNG);
    const { id, steps } = await run([step('/purged')]);
    const { file } = steps[0]!.output as { file: FileShape };
    await switchboard.ownerQuery('delete from workflow_runs where id = $1', [id]);
    expect((await acme.fetch(`/api/files/${file.id}`)).status).toBe(404);
    const chunks = await switchboard.ownerQuery('select 1 from file_chunks where file_id = $1', [
      file.id,
    ]);
    expect(chunks).toEqual([]);
  });

  it.each<[object, string]>([
    [{ response: 'file', pages: { next: 'link' } }, 'response'],
    [{ response: 'stream' }, 'response'],
    [{ headers: { 'X-Id': '{{ call.file.idd }}' } }, 'idd'],
  ])('are refused at save in a wrong definition: %j', async (given, path) => {
    const { error } = await acme.call('create_workflow', {
      name: 'Wrong',
      trigger: { type: 'manual' },
      steps: [step('/first'), step('/second', given, { id: 'second' })],
    });
    expect(JSON.stringify(error)).toContain(path);
  });

  it('count each time that a multipart request sends them', async () => {
    const sentFile = { file: '{{ download.file.id }}' };
    answer('/six', { 'Content-Type': 'image/png' }, Buffer.alloc(6 * MIB, 1));
    const { steps } = await run([
      step('/six', {}, { id: 'download' }),
      step(
        '/twice',
        { method: 'POST', multipart: { a: [sentFile, sentFile] } },
        { id: 'form', retry: { max_attempts: 1 } },
      ),
    ]);
    expect(steps[1]!.error!.message).toContain('The files are larger than 10485760 bytes together');
    expect(sent('/twice')).toEqual([]);
  });

  it('fail a step with an explanation when they cannot be sent', async () => {
    const wrong: [given: object, words: string][] = [
      [{ file: 'fil_x', body: 'x' }, 'file must not be given together with body.'],
      [{ file: 'fil_x' }, 'There is no file "fil_x".'],
      [{ multipart: { a: { file: 1 } } }, 'multipart.a must be text'],
      [{ multipart: { a: { file: 'x', path: '/etc' } } }, 'multipart.a must be text'],
    ];
    const { steps } = await run(
      wrong.map(([given], index) =>
        step(
          '/never',
          { method: 'POST', ...given },
          { id: `wrong${index}`, on_error: 'continue', retry: { max_attempts: 1 } },
        ),
      ),
    );
    steps.forEach(({ error }, index) => expect(error!.message).toContain(wrong[index]![1]));
    expect(steps).toHaveLength(wrong.length);
    expect(sent('/never')).toEqual([]);
  });

  /** Makes the next statement of this kind fail in the database. */
  async function failOnce(table: string, event: string, condition: string): Promise<void> {
    await switchboard.ownerQuery('create sequence if not exists public.failures');
    await switchboard.ownerQuery("select setval('public.failures', 1, false)");
    await switchboard.ownerQuery(`create or replace function public.fail_once() returns trigger
      language plpgsql security definer as $$
      begin
        -- A sequence keeps its value when the transaction is rolled back.
        if nextval('public.failures') = 1 then raise exception 'fail once'; end if;
        return new;
      end $$`);
    for (const other of ['idempotency_keys', 'run_steps']) {
      await switchboard.ownerQuery(`drop trigger if exists fail_once on ${other}`);
    }
    await switchboard.ownerQuery(`create trigger fail_once before ${event} on ${table}
      for each row when (${condition}) execute function public.fail_once()`);
  }
});
