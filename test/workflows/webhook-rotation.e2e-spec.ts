import { beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganization,
  type Outcome,
  type TestOrganization,
} from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook, sign, signStandard } from './support/workflow-client.js';

interface Updated {
  secret: string | null;
  workflow: { version: number; trigger: object };
}

const BODY = '{"a":1}';
const DAY = 24 * 60 * 60;

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const create = async (trigger: object = { secret: true }) => {
  const { id, secret } = await createWorkflow(acme, [], {
    trigger: { type: 'webhook', ...trigger },
  });
  return { id, secret: secret! };
};
const update = (id: string, trigger: object): Promise<Outcome<Updated>> =>
  acme.call<Updated>('update_workflow', {
    workflow_id: id,
    trigger: { type: 'webhook', ...trigger },
  });
/** Returns the statuses for deliveries signed with the secret, in both ways of signing. */
const statuses = async (id: string, secret: string): Promise<number[]> => {
  const ways = [{ 'x-webhook-signature': sign(BODY, secret) }, signStandard(BODY, secret)];
  const answers = await Promise.all(
    ways.map((headers) => postWebhook(switchboard, id, BODY, headers)),
  );
  return answers.map(({ status }) => status);
};
const TAKEN = [202, 202];
const REFUSED = [401, 401];

describe('the secret of a webhook', () => {
  it('is replaced with an overlap in which both secrets are accepted', async () => {
    const { id, secret: first } = await create();
    const { value } = await update(id, { secret: true, overlap_seconds: DAY });
    const second = value.secret!;
    expect(second).toMatch(/^whsec_[0-9A-Za-z]{44}$/);
    expect(second).not.toBe(first);
    expect(value.workflow).toMatchObject({
      version: 1,
      trigger: { type: 'webhook', secret: true },
    });
    expect(await statuses(id, first)).toEqual(TAKEN);
    expect(await statuses(id, second)).toEqual(TAKEN);
    await switchboard.ownerQuery(
      `update workflows set previous_secret_until = now() - interval '1 second' where id = $1`,
      [id],
    );
    expect(await statuses(id, first)).toEqual(REFUSED);
    expect(await statuses(id, second)).toEqual(TAKEN);
  });

  it('becomes invalid immediately when the change has no overlap or an overlap of 0', async () => {
    for (const overlap of [{}, { overlap_seconds: 0 }]) {
      const { id, secret: first } = await create();
      await update(id, { secret: 'the second secret', ...overlap });
      expect(await statuses(id, first)).toEqual(REFUSED);
      expect(await statuses(id, 'the second secret')).toEqual(TAKEN);
    }
  });

  it('can be invalidated before its overlap ends, and stays invalid', async () => {
    const { id, secret: first } = await create();
    const { value } = await update(id, { secret: true, overlap_seconds: DAY });
    expect((await update(id, { overlap_seconds: 0 })).value.secret).toBeNull();
    expect(await statuses(id, first)).toEqual(REFUSED);
    expect(await statuses(id, value.secret!)).toEqual(TAKEN);
    expect((await update(id, { overlap_seconds: 60 })).error).toMatchObject({
      code: 'invalid_arguments',
      details: [{ path: 'trigger.overlap_seconds' }],
    });
    expect(await statuses(id, first)).toEqual(REFUSED);
  });

  itSlow(
    'is replaced twice within an overlap, and each earlier secret is valid until its own time',
    async () => {
      const { id, secret: first } = await create();
      const second = (await update(id, { secret: true, overlap_seconds: 1 })).value.secret!;
      const third = (await update(id, { secret: true, overlap_seconds: DAY })).value.secret!;
      expect(await statuses(id, second)).toEqual(TAKEN);
      expect(await statuses(id, third)).toEqual(TAKEN);
      await waitFor(async () => (await statuses(id, first))[0] === 401);
      expect(await statuses(id, second)).toEqual(TAKEN);
      const fourth = (await update(id, { secret: true, overlap_seconds: DAY })).value.secret!;
      for (const secret of [second, third, fourth])
        expect(await statuses(id, secret)).toEqual(TAKEN);
    },
  );

  it('ends all overlaps when the secret is replaced without an overlap', async () => {
    const { id, secret: first } = await create();
    const second = (await update(id, { secret: true, overlap_seconds: DAY })).value.secret!;
    await update(id, { secret: 'the third secret' });
    for (const secret of [first, second]) expect(await statuses(id, secret)).toEqual(REFUSED);
    expect(await statuses(id, 'the third secret')).toEqual(TAKEN);
  });

  it('does not become valid again after its overlap was ended', async () => {
    const { id, secret: first } = await create();
    const second = (await update(id, { secret: true, overlap_seconds: DAY })).value.secret!;
    await update(id, { overlap_seconds: 0 });
    await update(id, { secret: true, overlap_seconds: DAY });
    expect(await statuses(id, first)).toEqual(REFUSED);
    expect(await statuses(id, second)).toEqual(TAKEN);
  });

  itSlow('has at most five previous secrets that are valid', async () => {
    const { id } = await create();
    for (let times = 0; times < 5; times += 1) {
      expect((await update(id, { secret: true, overlap_seconds: DAY })).error).toBeUndefined();
    }
    expect((await update(id, { secret: true, overlap_seconds: DAY })).error).toMatchObject({
      details: [{ path: 'trigger.overlap_seconds' }],
    });
    expect((await update(id, { secret: true, overlap_seconds: 0 })).error).toBeUndefined();
  });

  itSlow('keeps its overlap when a change of the workflow contains no overlap', async () => {
    const { id, secret: first } = await create();
    await update(id, { secret: true, overlap_seconds: DAY });
    await update(id, { secret: true });
    await update(id, {});
    await acme.call('update_workflow', { workflow_id: id, name: 'Other' });
    expect(await statuses(id, first)).toEqual(TAKEN);
  });

  it('is removed together with the previous secret', async () => {
    const { id, secret: first } = await create();
    await update(id, { secret: true, overlap_seconds: DAY });
    await update(id, { secret: null });
    const second = (await update(id, { secret: true, overlap_seconds: DAY })).value.secret!;
    expect(await statuses(id, first)).toEqual(REFUSED);
    expect(await statuses(id, second)).toEqual(TAKEN);
  });

  it('is stored encrypted, like the previous secret', async () => {
    const { id, secret: first } = await create();
    const second = (await update(id, { secret: true, overlap_seconds: DAY })).value.secret!;
    const [row] = await switchboard.ownerQuery<{ secret: Buffer; previous_secret: Buffer }>(
      'select secret, previous_secret from workflows where id = $1',
      [id],
    );
    for (const stored of Object.values(row!)) {
      for (const secret of [first, second]) expect(stored.includes(secret)).toBe(false);
    }
  });

  it.each([-1, 0.5, '60', null, 30 * DAY + 1])('refuses an overlap of %s', async (overlap) => {
    const { id } = await create();
    const { error } = await update(id, { secret: true, overlap_seconds: overlap });
    expect(error).toMatchObject({ details: [{ path: 'trigger.overlap_seconds' }] });
  });
});

describe('rotate_webhook_secret', () => {
  const rotate = (id: string, given: object = {}): Promise<Outcome<Updated>> =>
    acme.call<Updated>('rotate_webhook_secret', { workflow_id: id, ...given });

  it('replaces the secret with an overlap of a day, and changes nothing else', async () => {
    const rest = {
      tolerance_seconds: 250,
      wait_seconds: 5,
      dedupe_seconds: 60,
      if: 'trigger.payload.a',
      contact: { external_id: '{{ trigger.payload.a }}' },
      limits: { rate: { runs: 10, per_seconds: 1 } },
    };
    const { id, secret: first } = await create({ secret: true, ...rest });
    const { value } = await rotate(id);
    expect(value.workflow).toMatchObject({
      version: 1,
      trigger: { type: 'webhook', secret: true, ...rest },
    });
    const [row] = await switchboard.ownerQuery<{ seconds: number }>(
      `select extract(epoch from previous_secret_until - now())::float as seconds from workflows where id = $1`,
      [id],
    );
    expect(row!.seconds).toBeGreaterThan(DAY - 600);
    expect(row!.seconds).toBeLessThanOrEqual(DAY + 600);
    expect((await statuses(id, first))[1]).toBe(200);
    expect((await statuses(id, value.secret!))[1]).toBe(200);
  });

  it('accepts a secret, and ends all overlaps when the given overlap is 0', async () => {
    const { id, secret: first } = await create();
    const second = (await rotate(id)).value.secret!;
    const third = 'a secret of the sender';
    expect((await rotate(id, { secret: third, overlap_seconds: 0 })).value.secret).toBe(third);
    for (const secret of [first, second]) expect(await statuses(id, secret)).toEqual(REFUSED);
    expect(await statuses(id, third)).toEqual(TAKEN);
  });

  it('gives a webhook its first secret in a new version, and refuses other workflows', async () => {
    const { id } = await create({});
    const { value } = await rotate(id);
    expect(value.workflow).toMatchObject({ version: 2, trigger: { secret: true } });
    expect(await statuses(id, value.secret!)).toEqual(TAKEN);
    const manual = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    expect((await rotate(manual.id)).error).toMatchObject({ code: 'conflict' });
    expect((await rotate(id, { secret: 'short' })).error).toMatchObject({
      details: [{ path: 'secret' }],
    });
  });
});

describe('an update of a trigger', () => {
  it('lists the members that it removes', async () => {
    const { id } = await create({
      if: 'trigger.payload.a',
      contact: { email: '{{ trigger.payload.email }}' },
      limits: { concurrency: { runs: 1 } },
    });
    const { value } = await update(id, { secret: true, contact: { email: 'a@example.com' } });
    expect((value as { removed?: string[] }).removed!.sort()).toEqual(['if', 'limits']);
    const again = await update(id, { contact: { email: 'a@example.com' } });
    expect(again.value).not.toHaveProperty('removed');
  });
});

describe('the tolerance of a webhook', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const postAt = async (id: string, secret: string, timestamp: number) =>
    (await postWebhook(switchboard, id, BODY, signStandard(BODY, secret, { timestamp }))).status;

  it('accepts only signatures with a timestamp within the tolerance', async () => {
    const { id, secret } = await create({ secret: true, tolerance_seconds: 3600 });
    expect(await statuses(id, secret)).toEqual([401, 202]);
    for (const [offset, status] of [
      [-3500, 202],
      [3500, 202],
      [-3700, 401],
      [3700, 401],
    ] as const) {
      expect(await postAt(id, secret, now() + offset)).toBe(status);
    }
  });

  itSlow('is shown, kept, changed and removed with the trigger', async () => {
    const { id, secret } = await create({ secret: true, tolerance_seconds: 60 });
    const shown = { type: 'webhook', secret: true, tolerance_seconds: 60 };
    expect((await update(id, {})).value.workflow.trigger).toEqual(shown);
    expect((await update(id, shown)).value).toMatchObject({
      secret: null,
      workflow: { trigger: shown },
    });
    expect(await statuses(id, secret)).toEqual([401, 202]);
    expect(await postAt(id, secret, now() - 200)).toBe(401);
    await update(id, { tolerance_seconds: 250 });
    expect(await postAt(id, secret, now() - 200)).toBe(202);
    const { value } = await update(id, { tolerance_seconds: null });
    expect(value.workflow.trigger).toEqual({ type: 'webhook', secret: true });
    expect(await statuses(id, secret)).toEqual(TAKEN);
  });

  it('needs a secret, and is removed together with the secret', async () => {
    const details = [{ path: 'trigger.tolerance_seconds', message: 'needs a secret' }];
    const refused = await acme.call('create_workflow', {
      name: 'Test',
      trigger: { type: 'webhook', tolerance_seconds: 60 },
      steps: [],
    });
    expect(refused.error).toMatchObject({ code: 'invalid_arguments', details });
    const { id } = await create({ secret: true, tolerance_seconds: 60 });
    const both = { secret: null, tolerance_seconds: 60 };
    expect((await update(id, both)).error).toMatchObject({ details });
    expect((await update(id, { secret: null })).value.workflow.trigger).toEqual({
      type: 'webhook',
    });
    expect((await update(id, { tolerance_seconds: 60 })).error).toMatchObject({ details });
  });

  it.each([0, -1, 1.5, '60', 24 * 60 * 60 + 1])('cannot be %s', async (tolerance) => {
    const { error } = await update((await create()).id, { tolerance_seconds: tolerance });
    expect(error).toMatchObject({ details: [{ path: 'trigger.tolerance_seconds' }] });
  });
});
