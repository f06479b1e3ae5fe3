import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DeliveryQueues } from '../../src/workflows/webhooks/delivery-queues.js';
import { resultOf } from '../mcp/support/ask.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { HeldTransactions } from './support/held-transactions.js';
import { createWorkflow, postWebhook, sign, signStandard } from './support/workflow-client.js';

interface Delivery {
  id: string;
  kind: string;
  status: number;
  code: string;
  run_id: string | null;
  headers: Record<string, string>;
  body_bytes: number | null;
  body_sha256: string | null;
  payload: object | null;
  mistakes: { code: string; advice: string }[];
}

interface Deliveries {
  test_url: string | null;
  previous_secret_until: string | null;
  deliveries: Delivery[];
}

const BODY = '{"a": 1}';
const TOOL = 'list_webhook_deliveries';

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const list = async (id: string, limit = 200): Promise<Deliveries> => {
  const { value, error } = await acme.call<Deliveries>(TOOL, { workflow_id: id, limit });
  if (error) throw new Error(error.message);
  return value;
};
/** Returns the log of the workflow once it has `count` deliveries. */
const logged = async (id: string, count: number): Promise<Delivery[]> =>
  await waitFor(async () => {
    const { deliveries } = await list(id);
    return deliveries.length >= count ? deliveries : undefined;
  });
const create = async (trigger: object = { secret: true }, more: object = {}) => {
  const created = await createWorkflow(acme, [], {
    trigger: { type: 'webhook', ...trigger },
    ...more,
  });
  return { id: created.id, secret: created.secret! };
};
const countRows = async (id: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ n: number }>(
    'select count(*)::int as n from webhook_deliveries where workflow_id = $1',
    [id],
  );
  return row!.n;
};
const countRuns = async (id: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ n: number }>(
    'select count(*)::int as n from workflow_runs where workflow_id = $1',
    [id],
  );
  return row!.n;
};

describe.concurrent('the delivery log of a webhook', () => {
  it('shows each delivery and its answer', async () => {
    const { id, secret } = await create();
    const headers = {
      'x-webhook-signature': sign(BODY, secret),
      'idempotency-key': 'one',
      'user-agent': 'Forms/1.0',
      authorization: 'Bearer something',
    };
    const first = await postWebhook(switchboard, id, BODY, headers);
    await postWebhook(switchboard, id, BODY, headers);
    const [duplicate, accepted] = await logged(id, 2);
    expect(accepted).toEqual({
      id: expect.stringMatching(/^dlv_/) as string,
      received_at: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      kind: 'accepted',
      status: 202,
      code: 'accepted',
      run_id: first.body.runId,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Forms/1.0',
        'idempotency-key': 'one',
        'x-webhook-signature': '(64 characters)',
      },
      body_bytes: 8,
      body_sha256: createHash('sha256').update(BODY).digest('hex'),
      payload: null,
      mistakes: [],
    });
    expect(duplicate).toMatchObject({ status: 200, code: 'duplicate', run_id: first.body.runId });
  });

  it('shows refused deliveries of every kind with the status of the answer', async () => {
    const { id, secret } = await create();
    const signed = (body: string) => ({ 'x-webhook-signature': sign(body, secret) });
    const cases: [string, string | Uint8Array, Record<string, string>][] = [
      ['invalid_signature', BODY, {}],
      ['invalid_json', 'no', signed('no')],
      ['not_an_object', '[]', signed('[]')],
      ['invalid_arguments', BODY, { ...signed(BODY), 'idempotency-key': 'a b' }],
      ['unsupported_media_type', BODY, { ...signed(BODY), 'content-type': 'text/plain' }],
      ['payload_too_large', new Uint8Array(1024 * 1024 + 1), {}],
    ];
    const answered = new Map<string, number>();
    for (const [code, body, headers] of cases) {
      answered.set(code, (await postWebhook(switchboard, id, body, headers)).status);
    }
    await acme.call('deactivate_workflow', { workflow_id: id });
    answered.set('inactive', (await postWebhook(switchboard, id, BODY, signed(BODY))).status);
    const deliveries = await logged(id, answered.size);
    expect(new Map(deliveries.toReversed().map(({ code, status }) => [code, status]))).toEqual(
      answered,
    );
    for (const delivery of deliveries) expect(delivery.kind).toBe('refused');
    const tooLarge = deliveries.find(({ code }) => code === 'payload_too_large')!;
    expect(tooLarge).toMatchObject({ body_bytes: null, body_sha256: null });
  });

  it('shows deliveries that the condition of the trigger skipped', async () => {
    const { id } = await create({ if: "trigger.payload.plan == 'pro'" });
    const skipped = await postWebhook(switchboard, id, { plan: 'free' });
    expect(skipped).toMatchObject({ status: 202, body: { ok: true, skipped: true } });
    const started = await postWebhook(switchboard, id, { plan: 'pro' });
    expect(await logged(id, 2)).toMatchObject([
      { kind: 'accepted', status: 202, code: 'accepted', run_id: started.body.runId },
      { kind: 'accepted', status: 202, code: 'skipped', run_id: null, payload: null },
    ]);
    expect(await countRuns(id)).toBe(1);
  });

  it('stores no secret and no signature, in any header', async () => {
    const { id, secret } = await create();
    const signature = sign(BODY, secret);
    const inHeaders = { 'user-agent': `x ${secret}`, 'webhook-id': secret, cookie: secret };
    await postWebhook(switchboard, id, BODY, { ...inHeaders, 'x-webhook-signature': secret });
    await postWebhook(switchboard, id, `{"secret":"${secret}"}`, {
      'x-webhook-signature': signature,
    });
    await logged(id, 2);
    const rows = await switchboard.ownerQuery(
      `select row_to_json(d)::text as row from webhook_deliveries d where workflow_id = $1`,
      [id],
    );
    const text = JSON.stringify(rows);
    expect(text).toContain('(the secret)');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(signature);
  });

  it('keeps no long header and no address in memory, except for the diagnosis of a signature', async () => {
    const add = vi.spyOn(DeliveryQueues.prototype, 'add');
    const { id } = await create({});
    const long = 'y'.repeat(5000);
    const headers = { 'user-agent': long, 'x-other': 'other header' };
    await postWebhook(switchboard, `${id}?query=${long}`, '[1]', headers);
    const item = add.mock.calls.find(([, workflowId]) => workflowId === id)![3];
    add.mockRestore();
    const kept = JSON.stringify({ ...(item as object), webhook: undefined });
    expect(kept).toContain('"code":"not_an_object"');
    expect(kept).toContain('y'.repeat(255));
    expect(kept).not.toContain('y'.repeat(256));
    expect(kept).not.toContain('other header');
  });

  itSlow('keeps accepted deliveries when many refused deliveries follow', async () => {
    const { id, secret } = await create();
    await postWebhook(switchboard, id, BODY, { 'x-webhook-signature': sign(BODY, secret) });
    await logged(id, 1);
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 40 }, () => postWebhook(switchboard, id, BODY)));
    }
    await waitFor(async () => (await countRows(id)) >= 51);
    const { deliveries } = await list(id);
    expect(deliveries.filter(({ kind }) => kind === 'refused')).toHaveLength(50);
    expect(deliveries.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
  });

  itSlow('logs a burst of fifty refused deliveries, and then one a second', async () => {
    const { id } = await create();
    const other = await create({});
    await switchboard.ownerQuery('create table written (id text)');
    await switchboard.ownerQuery(`
      create function note_written() returns trigger language plpgsql security definer set search_path = public
      as $$ begin insert into written values (new.workflow_id); return null; end $$`);
    await switchboard.ownerQuery(
      'create trigger note_written after insert on webhook_deliveries for each row execute function note_written()',
    );
    const began = performance.now();
    for (let round = 1; round <= 5; round += 1) {
      await Promise.all(Array.from({ length: 40 }, () => postWebhook(switchboard, id, BODY)));
      // The log writes deliveries in the order of their arrival.
      await postWebhook(switchboard, other.id, BODY);
      await logged(other.id, round);
    }
    const seconds = (performance.now() - began) / 1000;
    const written = await switchboard.ownerQuery('select from written where id = $1', [id]);
    await switchboard.ownerQuery('drop function note_written cascade');
    expect(written.length).toBeGreaterThanOrEqual(50);
    expect(written.length).toBeLessThanOrEqual(50 + Math.ceil(seconds));
  });

  itSlow('keeps the newest deliveries', async () => {
    const { id } = await create({});
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 25 }, () => postWebhook(switchboard, id, BODY)));
      await waitFor(async () => (await countRows(id)) === Math.min(50, (round + 1) * 25));
    }
    const last = await postWebhook(switchboard, id, BODY);
    await waitFor(async () => {
      const { deliveries } = await list(id, 1);
      return deliveries[0]!.run_id === last.body.runId;
    });
    expect(await countRows(id)).toBe(50);
  });

  it('is deleted with the workflow, and is invisible to other organizations', async () => {
    const { id } = await create({});
    await postWebhook(switchboard, id, BODY);
    await logged(id, 1);
    const stranger = await createOrganization(switchboard);
    const seen = await stranger.call(TOOL, { workflow_id: id });
    expect(seen).toMatchObject({ status: 404, error: { code: 'not_found' } });
    await acme.call('delete_workflow', { workflow_id: id });
    expect(await countRows(id)).toBe(0);
  });

  itSlow(
    'stays empty for a workflow that was deleted before the last delivery was written',
    async () => {
      const other = await create({});
      for (let round = 1; round <= 5; round += 1) {
        const { id } = await create({});
        await postWebhook(switchboard, id, BODY);
        const { error } = await acme.call('delete_workflow', { workflow_id: id });
        expect(error).toBeUndefined();
        // The log writes deliveries in the order of their arrival.
        await postWebhook(switchboard, other.id, BODY);
        await logged(other.id, round);
        expect(await countRows(id)).toBe(0);
      }
    },
  );

  // Runs alone, because the test looks for transactions that wait for locks, and transactions of other tests may wait.
  it.sequential(
    'stays empty for a workflow that is deleted while a delivery is written',
    async () => {
      const [{ id }, other] = [await create({}), await create({})];
      const held = await HeldTransactions.in(switchboard.databaseUrl);
      try {
        await held.hold('insert', 'webhook_deliveries', `new.workflow_id = '${id}'`);
        await postWebhook(switchboard, id, BODY);
        await held.blocked(1);
        const deleting = acme.call('delete_workflow', { workflow_id: id });
        await Promise.race([deleting, held.blocked(2)]);
        await held.release();
        expect((await deleting).error).toBeUndefined();
      } finally {
        await held.close();
      }
      await postWebhook(switchboard, other.id, BODY);
      await logged(other.id, 1);
      expect(await countRows(id)).toBe(0);
    },
  );

  itSlow('is complete after the process stops', async () => {
    const { id } = await create({});
    const sibling = await startSwitchboard({ databaseUrl: switchboard.databaseUrl });
    await postWebhook(sibling, id, BODY);
    await sibling.close();
    expect(await countRows(id)).toBe(1);
  });

  itSlow('is a resource for agents and not a tool', async () => {
    const { id } = await create({});
    await postWebhook(switchboard, id, BODY);
    await logged(id, 1);
    const uri = `switchboard://workflows/${id}/deliveries`;
    const { contents } = await resultOf<{ contents: { text: string }[] }>(acme, 'resources/read', {
      uri,
    });
    expect(JSON.parse(contents[0]!.text)).toEqual(await list(id));
    const { tools } = await resultOf<{ tools: { name: string }[] }>(acme, 'tools/list');
    expect(tools.map(({ name }) => name)).not.toContain(TOOL);
  });

  it('shows until when the previous secret is valid', async () => {
    const { id } = await create();
    expect((await list(id)).previous_secret_until).toBeNull();
    await acme.call('update_workflow', {
      workflow_id: id,
      trigger: { type: 'webhook', secret: true, overlap_seconds: 3600 },
    });
    expect(Date.parse((await list(id)).previous_secret_until!)).toBeGreaterThan(Date.now());
  });
});

describe.concurrent('the diagnosis of a refused signature', () => {
  const value: unknown = JSON.parse(BODY);

  it('shows the mistake in the log, but not in the answer', async () => {
    const { id, secret: first } = await create();
    const { secret: other } = await create();
    const { value: rotated } = await acme.call<{ secret: string }>('update_workflow', {
      workflow_id: id,
      trigger: { type: 'webhook', secret: true, overlap_seconds: 0 },
    });
    const { secret } = rotated;
    const good = sign(BODY, secret);
    const hex = (signature: string) => ({ 'x-webhook-signature': signature });
    const standard = signStandard(BODY, secret);
    const old = Math.floor(Date.now() / 1000) - 400;
    const cases: [string, Record<string, string>][] = [
      ['missing_signature', {}],
      ['reserialized', hex(sign(JSON.stringify(value), secret))],
      ['base64', hex(Buffer.from(good, 'hex').toString('base64'))],
      ['prefix', hex(`sha256=${good}`)],
      ['trailing_newline', hex(sign(`${BODY}\n`, secret))],
      ['previous_secret', hex(sign(BODY, first))],
      ['other_workflow', hex(sign(BODY, other))],
      ['secret_sent', hex(secret)],
      [
        'key_encoding',
        hex(
          createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
            .update(BODY)
            .digest('hex'),
        ),
      ],
      ['no_version', { ...standard, 'webhook-signature': standard['webhook-signature'].slice(3) }],
      ['too_old', signStandard(BODY, secret, { timestamp: old })],
      ['milliseconds', signStandard(BODY, secret, { timestamp: Date.now() })],
      ['no_match', hex('0'.repeat(64))],
    ];
    const answers: object[] = [];
    for (const [, headers] of cases) {
      const answer = await postWebhook(switchboard, id, BODY, headers);
      expect(answer.status).toBe(401);
      answers.push(answer.body);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const deliveries = (await logged(id, cases.length)).toReversed();
    expect(deliveries.map(({ mistakes }) => mistakes.map(({ code }) => code))).toEqual(
      cases.map(([code]) => [code]),
    );
    for (const { mistakes } of deliveries) expect(mistakes[0]!.advice).toMatch(/\.$/);
    expect(await countRuns(id)).toBe(0);
  });

  it('does not compare with secrets of other organizations', async () => {
    const stranger = await createOrganization(switchboard);
    const theirs = await createWorkflow(stranger, [], {
      trigger: { type: 'webhook', secret: true },
    });
    const { id } = await create();
    await postWebhook(switchboard, id, BODY, {
      'x-webhook-signature': sign(BODY, theirs.secret!),
    });
    const [delivery] = await logged(id, 1);
    expect(delivery!.mistakes.map(({ code }) => code)).toEqual(['no_match']);
  });

  itSlow('is made only for a bounded number of small bodies', async () => {
    const { id, secret } = await create();
    const large = JSON.stringify({ a: 'x'.repeat(70_000) });
    const wrong = { 'x-webhook-signature': `sha256=${sign(large, secret)}` };
    await postWebhook(switchboard, id, large, wrong);
    const [delivery] = await logged(id, 1);
    expect(delivery!.mistakes.map(({ code }) => code)).toEqual(['not_examined']);
    await Promise.all(Array.from({ length: 40 }, () => postWebhook(switchboard, id, BODY)));
    const deliveries = await logged(id, 41);
    const looked = deliveries.filter(({ mistakes }) => mistakes[0]!.code === 'missing_signature');
    expect(looked.length).toBeGreaterThanOrEqual(20);
    expect(looked.length).toBeLessThan(40);
  });
});

describe.concurrent('the test URL of a webhook', () => {
  const test = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    postWebhook(switchboard, `${id}/test`, body, headers);

  it('logs the delivery and starts no run', async () => {
    const { id, secret } = await create();
    const { test_url } = await list(id);
    expect(test_url).toBe(`${switchboard.url}/api/webhooks/workflow/${id}/test`);
    const answer = await test(id, BODY, {
      'x-webhook-signature': sign(BODY, secret),
      'idempotency-key': 'same',
    });
    // Test deliveries are logged before the answer, so there is no need to wait.
    const { deliveries } = await list(id);
    expect(deliveries).toHaveLength(1);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ok: true, deliveryId: deliveries[0]!.id });
    expect(deliveries[0]).toMatchObject({
      kind: 'test',
      code: 'recorded',
      run_id: null,
      payload: { a: 1 },
      body_bytes: 8,
    });
    expect(await countRuns(id)).toBe(0);
    // The test delivery has not used the idempotency key.
    const real = await postWebhook(switchboard, id, BODY, {
      'x-webhook-signature': sign(BODY, secret),
      'idempotency-key': 'same',
    });
    expect(real.status).toBe(202);
  });

  itSlow(
    'works for an inactive workflow, and refuses the same requests as the real URL',
    async () => {
      const { id, secret } = await create({ secret: true }, { active: false });
      const signed = (body: string) => ({ 'x-webhook-signature': sign(body, secret) });
      expect((await test(id, BODY, signed(BODY))).status).toBe(200);
      expect(
        (await test(id, BODY, { 'x-webhook-signature': `sha256=${sign(BODY, secret)}` })).status,
      ).toBe(401);
      expect((await test(id, '[]', signed('[]'))).status).toBe(400);
      expect((await test(id, BODY, { ...signed(BODY), 'webhook-id': 'a b' })).status).toBe(400);
      const deliveries = await logged(id, 4);
      expect(deliveries.map(({ code }) => code).sort()).toEqual([
        'invalid_arguments',
        'invalid_signature',
        'not_an_object',
        'recorded',
      ]);
      const wrong = deliveries.find(({ code }) => code === 'invalid_signature')!;
      expect(wrong.mistakes.map(({ code }) => code)).toEqual(['prefix']);
    },
  );

  it('answers 404 for workflows without a webhook, and accepts only POST', async () => {
    const manual = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    expect((await list(manual.id)).test_url).toBeNull();
    for (const id of [manual.id, '0'.repeat(32), 'x']) {
      const [tested, real] = [await test(id, BODY), await postWebhook(switchboard, id, BODY)];
      expect(tested.status).toBe(404);
      expect(tested.body).toEqual(real.body);
    }
    const { id } = await create({});
    const url = `${switchboard.url}/api/webhooks/workflow/${id}/test`;
    expect((await fetch(url)).status).toBe(405);
  });

  itSlow('stores fifty small bodies, and limits the rate of test deliveries', async () => {
    const { id } = await create({});
    const large = { a: 'x'.repeat(20_000) };
    expect((await test(id, large)).status).toBe(200);
    expect((await list(id)).deliveries[0]).toMatchObject({ payload: null, body_bytes: 20_008 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => test(id, BODY)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    const [row] = await switchboard.ownerQuery<{ n: number }>(
      `select count(*)::int as n from webhook_deliveries where workflow_id = $1 and kind = 'test'`,
      [id],
    );
    expect(row!.n).toBeLessThanOrEqual(50);
  });

  itSlow('keeps the newest fifty test deliveries', async () => {
    const { id } = await create({});
    await test(id, BODY);
    await switchboard.ownerQuery(
      `insert into webhook_deliveries (organization_id, id, workflow_id, kind, received_at, status, code, headers, verified)
       select organization_id, id || n, workflow_id, kind, received_at - n * interval '1 s', status, code, headers, verified
       from webhook_deliveries, generate_series(1, 60) n where workflow_id = $1`,
      [id],
    );
    const { body } = await test(id, BODY);
    expect(await countRows(id)).toBe(50);
    expect((await list(id, 1)).deliveries[0]!.id).toBe(
      (body as unknown as { deliveryId: string }).deliveryId,
    );
  });
});
