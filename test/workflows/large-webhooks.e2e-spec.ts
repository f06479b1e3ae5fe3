import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow, getRun, postWebhook, runUntil, sign } from './support/workflow-client.js';

const MIB = 1024 * 1024;
/** A payload of more than 1 MiB is large. The thorough tests send the largest payload that operators can allow. */
const SIZE = (IS_THOROUGH ? 10 : 3) * MIB;
const LINES = IS_THOROUGH ? 3000 : 600;

interface ValuePart {
  text: string;
  total: number;
  next_cursor: string | null;
}

interface Order {
  id: string;
  email: string;
  total: number;
  lines: { sku: string; text: string }[];
  note: string;
}

/** Returns the JSON of an order of exactly {@link SIZE} bytes. */
function largestOrder(): { body: string; order: Order } {
  const lines = Array.from({ length: LINES }, (_, index) => ({
    sku: `s${index}`,
    text: '"ü\\'.repeat(500),
  }));
  const order: Order = { id: 'o1', email: 'ann@example.com', total: 12.5, lines, note: '' };
  order.note = 'n'.repeat(SIZE - Buffer.byteLength(JSON.stringify(order)));
  return { body: JSON.stringify(order), order };
}

describe('a large webhook', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let shop: Sink;
  const { body, order } = largestOrder();

  beforeAll(async () => {
    shop = await startSink('127.0.0.1', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    switchboard = await startSwitchboard({
      env: { OUTBOUND_ALLOW: `127.0.0.1:${shop.port}`, MAX_PAYLOAD_BYTES: String(SIZE) },
      providers: [ProbeTools],
    });
    acme = await createOrganization(switchboard);
  });
  afterAll(async () => {
    await switchboard.close();
    await shop.close();
  });

  const echo = (id: string, text: string) => ({
    id,
    tool: 'probe_echo',
    arguments: { value: { text } },
  });
  const value = (run: { steps: { id: string; output: unknown }[] }, id: string): unknown =>
    run.steps.find((step) => step.id === id)?.output;

  async function run(steps: object[], more: object = {}, sent: string | Buffer = body) {
    const workflow = await createWorkflow(acme, steps, more);
    const headers = workflow.secret
      ? { 'x-webhook-signature': sign(sent, workflow.secret) }
      : undefined;
    const answer = await postWebhook(switchboard, workflow.id, sent, headers);
    expect(answer.body.error).toBeUndefined();
    expect(answer.status).toBe(202);
    return await runUntil(acme, answer.body.runId, 'succeeded', 'failed');
  }

  /** Reads a page of the payload. */
  async function page(run_id: string, cursor: number): Promise<ValuePart> {
    const given = { run_id, step_id: 'trigger', value: 'payload', cursor: String(cursor) };
    const found = await acme.call<ValuePart>('get_run_value', given);
    expect(found.error).toBeUndefined();
    return found.value;
  }

  it('is verified, its members are read, and its list is looped over', async () => {
    expect(Buffer.byteLength(body)).toBe(SIZE);
    const ended = await run(
      [
        echo('total', '{{ trigger.payload.total }}'),
        { id: 'big', if: 'trigger.payload.total > 10', then: [echo('yes', 'yes')] },
        {
          id: 'each',
          for_each: '{{ trigger.payload.lines }}',
          batch: 100,
          steps: [echo('one', '{{ item[0].text | size }}')],
          output: '{{ index }}: {{ item.first.sku }} to {{ item.last.sku }}, {{ one.value.text }}',
        },
        echo('done', '{{ each.results | size }} {{ each.failed }}'),
      ],
      { trigger: { type: 'webhook', secret: true, if: 'trigger.payload.id == "o1"' } },
    );
    expect(ended.reason).toBeNull();
    expect(value(ended, 'total')).toEqual({ value: { text: 12.5 } });
    expect(value(ended, 'yes')).toEqual({ value: { text: 'yes' } });
    const each = value(ended, 'each') as { results: unknown[] };
    expect(each.results).toEqual(
      Array.from({ length: LINES / 100 }, (_, index) => {
        return `${index}: s${index * 100} to s${index * 100 + 99}, 1500`;
      }),
    );
    expect(value(ended, 'done')).toEqual({ value: { text: `${LINES / 100} 0` } });
  });

  it('is forwarded with the bytes that were sent', async () => {
    const url = `http://127.0.0.1:${shop.port}/`;
    const json = '{{ trigger.payload }}';
    const send = { id: 'send', tool: 'http_request', arguments: { url, method: 'POST', json } };
    const ended = await run([send]);
    expect(ended.reason).toBeNull();
    const [sent] = shop.requests.slice(-1);
    expect(sent!.headers['content-type']).toBe('application/json');
    expect(sent!.body === body).toBe(true);
  });

  it('has a preview, is read in pages, and can be replayed', async () => {
    const ended = await run([echo('total', '{{ trigger.payload.total }}')]);
    const given = { run_id: ended.id };
    const { value: replayed, error } = await acme.call<{ run: { id: string } }>(
      'replay_run',
      given,
    );
    expect(error).toBeUndefined();
    // The copy keeps the payload when the original is deleted.
    await switchboard.ownerQuery('delete from workflow_runs where id = $1', [ended.id]);
    const copy = await runUntil(acme, replayed.run.id, 'succeeded', 'failed');
    expect(value(copy, 'total')).toEqual({ value: { text: 12.5 } });
    const { payload_cut: cut } = (await getRun(acme, copy.id)).trigger as {
      payload_cut?: { bytes: number; preview: string };
    };
    expect(cut!.bytes).toBe(SIZE);
    expect(body.startsWith(cut!.preview.slice(0, -1))).toBe(true);
    const bytes = Buffer.from(body);
    for (const at of [0, SIZE / 2, SIZE - 100]) {
      const { text, total } = await page(copy.id, at);
      expect(total).toBe(SIZE);
      expect(text.length).toBeGreaterThan(99);
      // A position inside a character means the next character.
      expect(bytes.indexOf(text, at) - at).toBeLessThan(4);
    }
    const first = await page(copy.id, 0);
    const second = await page(copy.id, Number(first.next_cursor));
    expect(body.startsWith(first.text + second.text)).toBe(true);
  });

  it('has a large list from which expressions read single items, the size, and the results of filters', async () => {
    const last = LINES - 1;
    const ended = await run(
      [
        echo('sku', '{{ trigger.payload.lines[3].sku }} of {{ trigger.payload.lines.size }}'),
        echo(
          'found',
          `{{ trigger.payload.lines | where: "sku", "s${last}" | map: "text" | first }}`,
        ),
        { id: 'big', if: 'trigger.payload.lines.size > 5', then: [echo('yes', 'yes')] },
        {
          id: 'some',
          for_each: '{{ trigger.payload.lines | slice: 10, 2 }}',
          steps: [echo('one', '{{ item.sku }}')],
        },
        { id: 'end', return: { last: '{{ trigger.payload.lines.last.sku }}' } },
      ],
      { trigger: { type: 'webhook', if: `trigger.payload.lines[1].sku == 's1'` } },
    );
    expect(ended.reason).toBe('returned:end');
    expect(value(ended, 'sku')).toEqual({ value: { text: `s3 of ${LINES}` } });
    expect(value(ended, 'found')).toEqual({ value: { text: order.lines[last]!.text } });
    expect(value(ended, 'yes')).toEqual({ value: { text: 'yes' } });
    expect(value(ended, 'some[1].one')).toEqual({ value: { text: 's11' } });
    expect(value(ended, 'end')).toMatchObject({ returned: { last: `s${last}` } });
    const none = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', if: `trigger.payload.lines[1].sku == 's2'` },
    });
    expect((await postWebhook(switchboard, none.id, body)).body).toMatchObject({ skipped: true });
  });

  it('fails a step that reads a value above the limit, and names filters that help', async () => {
    const ended = await run([echo('sorted', '{{ trigger.payload.lines | sort: "sku" }}')]);
    expect(ended.steps[0]!.error).toEqual({
      code: 'invalid_arguments',
      message: expect.stringMatching(
        /^trigger.payload.lines has .* use the filters where, map or sum/,
      ),
    });
  });

  it('cannot be put into another value, and the error explains this', async () => {
    const url = `http://127.0.0.1:${shop.port}/`;
    const json = { all: '{{ trigger.payload }}' };
    const send = { id: 'send', tool: 'http_request', arguments: { url, method: 'POST', json } };
    const ended = await run([send]);
    expect(ended.steps[0]!.error?.message).toContain('too large for an expression');
  });

  it('starts one run for one key, and no run when the condition is false', async () => {
    const files = async (): Promise<number> => {
      const [row] = await switchboard.ownerQuery<{ count: number }>(
        'select count(*)::integer as count from files',
      );
      return row!.count;
    };
    const limits = { concurrency: { runs_per_key: 1, key: '{{ trigger.payload.id }}' } };
    const condition = 'trigger.payload.total > 10';
    const { id } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', if: condition, limits },
    });
    const before = await files();
    const headers = { 'Idempotency-Key': 'order-1' };
    const first = await postWebhook(switchboard, id, body, headers);
    const second = await postWebhook(switchboard, id, body, headers);
    expect(second.body).toMatchObject({ runId: first.body.runId, duplicate: true });
    await runUntil(acme, first.body.runId, 'succeeded');
    const other = await postWebhook(switchboard, id, body.replace('12.5', '5.25'));
    expect(other.body).toMatchObject({ skipped: true });
    expect(await files()).toBe(before + 1);
    const [row] = await switchboard.ownerQuery('select slot_key from workflow_runs where id = $1', [
      first.body.runId,
    ]);
    expect(row).toEqual({ slot_key: 'o1' });
  });

  it('accepts lists, and a compressed body that has the largest allowed size after decompression', async () => {
    const trigger = { type: 'webhook', accept: ['json', 'gzip'] };
    const each = { id: 'each', for_each: '{{ trigger.payload.body }}', batch: 100 };
    const { id } = await createWorkflow(acme, [{ ...each, steps: [echo('one', 'x')] }], {
      trigger,
    });
    const list = gzipSync(JSON.stringify(order.lines));
    expect(list.length).toBeLessThan(MIB);
    const answer = await postWebhook(switchboard, id, list, { 'Content-Encoding': 'gzip' });
    const ended = await runUntil(acme, answer.body.runId, 'succeeded', 'failed');
    expect(ended.reason).toBeNull();
    expect(value(ended, 'each')).toMatchObject({ failed: 0 });
  });

  it('can be a form, a multipart body or a text', async () => {
    const trigger = { type: 'webhook', accept: ['form', 'multipart', 'text'] };
    const { id } = await createWorkflow(
      acme,
      [
        echo('name', '{{ trigger.payload.name }}'),
        echo('size', '{{ trigger.payload.photo.size }} {{ trigger.payload.tags.last }}'),
      ],
      { trigger },
    );
    const pad = 'p'.repeat(SIZE - 1000);
    const post = async (type: string, sent: string) => {
      const answer = await postWebhook(switchboard, id, sent, { 'Content-Type': type });
      expect(answer.body.error).toBeUndefined();
      const ended = await runUntil(acme, answer.body.runId, 'succeeded', 'failed');
      expect(ended.reason).toBeNull();
      return { name: value(ended, 'name'), size: value(ended, 'size') };
    };
    const form = `name=J%C3%BCrgen+%22x%22&tags=a&pad=${pad}&tags=b`;
    expect(await post('application/x-www-form-urlencoded', form)).toEqual({
      name: { value: { text: 'Jürgen "x"' } },
      size: { value: { text: ' b' } },
    });
    const part = (name: string, content: string, more = '') =>
      `--X\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
    const upload = `${part('name', 'Ann\n')}${part('photo', pad, '; filename="a.png"')}--X--\r\n`;
    expect(await post('multipart/form-data; boundary=X', upload)).toEqual({
      name: { value: { text: 'Ann\n' } },
      size: { value: { text: `${pad.length} ` } },
    });
    const { body: received } = await postWebhook(switchboard, id, `"${pad}"`, {
      'Content-Type': 'text/plain',
    });
    const { text } = await page(received.runId, 0);
    expect(text.startsWith(String.raw`{"body":"\"ppppp`)).toBe(true);
  });

  it('is refused with 503 while three large webhooks of the organization are being received', async () => {
    const { id } = await createWorkflow(acme, []);
    const slow = Array.from({ length: 4 }, () => beginSlowly(id));
    const refused = await Promise.race(slow.map(({ answer }) => answer));
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['retry-after']).toBe('2');
    expect((await postWebhook(switchboard, id, { small: true })).status).toBe(202);
    for (const { sent } of slow) sent.destroy();
    await waitFor(async () => (await postWebhook(switchboard, id, body)).status === 202);
  });

  it('occupies no slot while its sender waits for the outcome of the run', async () => {
    const trigger = { type: 'webhook', wait_seconds: 30 };
    const { id } = await createWorkflow(acme, [{ id: 'w', wait: { seconds: 3600 } }], { trigger });
    const waiting = Array.from({ length: 3 }, () => postWebhook(switchboard, id, body));
    const runs = async () =>
      (await acme.call<{ runs: { id: string }[] }>('list_runs', { workflow_id: id })).value.runs;
    await waitFor(async () => (await runs()).length === 3);
    const other = await createWorkflow(acme, []);
    expect((await postWebhook(switchboard, other.id, body)).status).toBe(202);
    for (const run of await runs()) await acme.call('cancel_run', { run_id: run.id });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('occupies no slot after it was refused or tested, while its response waits for an earlier response', async () => {
    const first = await createSlow();
    const signed = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    const { id } = await createWorkflow(acme, []);
    const invalid = '{'.padEnd(MIB + 1);
    const valid = JSON.stringify({ text: 'x'.repeat(MIB) });
    const socket = openSocket();
    socket.write(`${headOf(first.id, 2)}{}${headOf(signed.id, valid.length)}${valid}`);
    socket.write(`${headOf(id, invalid.length)}${invalid}`);
    socket.write(`${headOf(`${id}/test`, valid.length)}${valid}`);
    const codes = async (workflow_id: string): Promise<string[]> => {
      const { value: log } = await acme.call<{ deliveries: { code: string }[] }>(
        'list_webhook_deliveries',
        { workflow_id },
      );
      return log.deliveries.map(({ code }) => code).toSorted();
    };
    await waitFor(async () => (await codes(signed.id)).length === 1);
    await waitFor(async () => (await codes(id)).length === 2);
    expect(await codes(signed.id)).toEqual(['invalid_signature']);
    expect(await codes(id)).toEqual(['invalid_json', 'recorded']);
    expect((await postWebhook(switchboard, id, body)).status).toBe(202);
    socket.destroy();
  });

  it('occupies no slot after its connection was closed before an earlier request on it was answered', async () => {
    const first = await createSlow();
    const { id } = await createWorkflow(acme, []);
    const sockets: Socket[] = [];
    await waitFor(async () => {
      const { status } = await postWebhook(switchboard, id, body);
      if (status === 503) return true;
      const socket = openSocket();
      const incomplete = '{'.padEnd(MIB + 1);
      socket.write(`${headOf(first.id, 2)}{}${headOf(id, SIZE)}${incomplete}`);
      sockets.push(socket);
      return false;
    });
    for (const socket of sockets) socket.destroy();
    await waitFor(async () => (await postWebhook(switchboard, id, body)).status === 202);
  });

  /** Creates a workflow whose webhook answers only when its run ends, which takes an hour. */
  async function createSlow(): Promise<{ id: string }> {
    const trigger = { type: 'webhook', wait_seconds: 30 };
    return await createWorkflow(acme, [{ id: 'w', wait: { seconds: 3600 } }], { trigger });
  }

  function openSocket(): Socket {
    const { hostname, port } = new URL(switchboard.url);
    return connect(Number(port), hostname);
  }

  function headOf(workflowId: string, length: number): string {
    const { host } = new URL(switchboard.url);
    const fields = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${length}`;
    return `POST /api/webhooks/workflow/${workflowId} HTTP/1.1\r\n${fields}\r\n\r\n`;
  }

  /** Sends more than 1 MiB of a large body, and never sends the remaining bytes. */
  function beginSlowly(workflowId: string) {
    const sent = request(`${switchboard.url}/api/webhooks/workflow/${workflowId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': SIZE },
    });
    const answer = new Promise<IncomingMessage>((resolve) => {
      sent.on('response', resolve);
    });
    sent.on('error', () => undefined);
    sent.write('{'.padEnd(MIB + 1));
    return { sent, answer };
  }
});

describe('a webhook of more than 1 MiB', () => {
  it('is refused unless the operator allows it', async () => {
    const switchboard = await sharedSwitchboard();
    const { id } = await createWorkflow(await createOrganization(switchboard), []);
    const answer = await postWebhook(switchboard, id, { text: 'x'.repeat(MIB) });
    expect(answer.status).toBe(413);
    expect(answer.body.error.message).toContain('larger than 1048576 bytes');
  });
});
