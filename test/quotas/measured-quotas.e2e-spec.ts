import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createTemplate, publish } from '../templates/template.js';
import { storedBody } from '../messaging/support.js';
import { createWorkflow, postWebhook } from '../workflows/support/workflow-client.js';

const STEP = { id: 'a', tool: 'search_contacts', arguments: {} };
const MEASURE = 'select gate.measure_quotas($1)';

let switchboard: Switchboard;
let acme: TestOrganization;
let counter = 0;
beforeAll(async () => {
  switchboard = await startSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

/** Sets a quota and measures the organization, as `npm run quotas` does. */
async function limit(name: string, amount: number): Promise<void> {
  await switchboard.ownerQuery(
    `insert into private.quota_exceptions (organization_id, name, amount) values ($1, $2, $3)
     on conflict (organization_id, name) do update set amount = excluded.amount`,
    [acme.id, name, amount],
  );
  await measure();
}
/**
 * Waits for a measurement. The limit is long, because the pause before a measurement is twenty times as long as the
 * last measurement took.
 */
const untilMeasured = (ask: () => Promise<boolean>) => waitFor(ask, 500_000);
vi.setConfig({ testTimeout: 600_000 });
const measure = () => switchboard.ownerQuery(MEASURE, [acme.id]);
const count = async (table: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    `select count(*)::int from public.${table} where organization_id = $1`,
    [acme.id],
  );
  return row!.count;
};
const create = (fields: object = {}) => {
  counter += 1;
  return acme.call<{ contact: { id: string } }>('create_contact', {
    email: `c${counter}@example.com`,
    ...fields,
  });
};
const createVia = async ({ url }: Switchboard): Promise<number> => {
  counter += 1;
  const { status } = await fetch(`${url}/api/tools/create_contact`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: acme.cookie, Origin: url },
    body: JSON.stringify({ email: `c${counter}@example.com` }),
  });
  return status;
};

describe('the quota of contacts', () => {
  itSlow('refuses all new contacts in two processes when the quota is used up', async () => {
    const second = await startSwitchboard({
      databaseUrl: switchboard.databaseUrl,
      env: { ROLE: 'web' },
    });
    try {
      await limit('contacts', 20);
      for (const process of [switchboard, second]) {
        await untilMeasured(async () => (await createVia(process)) === 409);
      }
      const stored = await count('contacts');
      expect(stored).toBeGreaterThanOrEqual(20);
      for (const process of [switchboard, second]) expect(await createVia(process)).toBe(409);
      expect(await count('contacts')).toBe(stored);
    } finally {
      await second.close();
    }
  });

  it('says in its error what to do and when usage is measured again, and still allows changes', async () => {
    const { value } = await create({ external_id: 'x' });
    await limit('contacts', 1);
    const { status, error } = await create();
    expect(status).toBe(409);
    expect(error!.code).toBe('conflict');
    expect(error!.message).toMatch(
      /^The organization has used its quota of 1 contacts\. Delete contacts, or ask the operator for a higher quota\. What is stored is measured again in \d+ s\.$/,
    );
    const changed = { contact_id: value.contact.id, first_name: 'Ada' };
    expect((await acme.call('update_contact', changed)).status).toBe(200);
    expect((await create({ external_id: 'x', on_conflict: 'update' })).status).toBe(200);
    expect((await create({ external_id: 'y', on_conflict: 'update' })).status).toBe(409);
  });

  itSlow('has room again after contacts were deleted, without a call of the operator', async () => {
    const { value } = await create();
    await limit('contacts', 1);
    expect((await create()).status).toBe(409);
    await acme.call('delete_contact', { contact_id: value.contact.id });
    await untilMeasured(async () => (await create()).status === 200);
  });

  it('has room immediately when the operator raises it, and applies to one organization only', async () => {
    await limit('contacts', 0);
    expect((await create()).status).toBe(409);
    const other = await createOrganization(switchboard);
    const given = { email: 'someone@example.com' };
    expect((await other.call('create_contact', given)).status).toBe(200);
    await switchboard.ownerQuery(
      'update private.quota_exceptions set amount = 9 where organization_id = $1 and name = $2',
      [acme.id, 'contacts'],
    );
    expect((await create()).status).toBe(200);
  });

  it('is also enforced for SQL of a tool', async () => {
    await limit('contacts', 0);
    const tenants = switchboard.app.get(TenantDatabase);
    const insert = tenants.transaction(acme.id, () =>
      tenants
        .session(acme.id)
        .query(
          `insert into contacts (organization_id, id, email, search_text) values ($1, 'con_x', 'x', 'x')`,
          [acme.id],
        ),
    );
    await expect(insert).rejects.toMatchObject({ code: 'conflict' });
    const open = await switchboard.ownerQuery(
      `select c.relname from pg_class c, pg_roles r
       where c.relname like 'quota%' and c.relkind = 'r' and r.rolname ~ '^switchboard_(tenant|gate)_'
         and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate')`,
    );
    expect(open).toEqual([]);
  });

  itSlow('is measured by another worker when a worker has died during a measurement', async () => {
    await limit('contacts', 3);
    // Writes the lease that a killed worker leaves after it has claimed the organization.
    await switchboard.ownerQuery(
      `update private.quota_measures set active = false, due_at = now() + interval '2 s', next_at = now() + interval '2 s'
       where organization_id = $1`,
      [acme.id],
    );
    await untilMeasured(async () => (await create()).status === 409);
  });

  it('is in the audit log at 80 %, when it is used up, and when there is room again', async () => {
    await limit('contacts', 5);
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      ids.push((await create()).value.contact.id);
      await measure();
    }
    await acme.call('delete_contact', { contact_id: ids[0] });
    await measure();
    await measure();
    const rows = await switchboard.ownerQuery<{ action: string; subject: string }>(
      `select action, subject from audit_log where organization_id = $1 and actor_id = 'quotas' order by id`,
      [acme.id],
    );
    expect(rows).toEqual(
      ['quota_80_percent', 'quota_reached', 'quota_available'].map((action) => ({
        action,
        subject: 'contacts',
      })),
    );
  });

  itSlow(
    'is small for an organization that signed up, like the quotas of runs and stored bytes',
    async () => {
      const started = await startSwitchboard({
        databaseUrl: switchboard.databaseUrl,
        env: {
          NEW_ORGANIZATION_CONTACTS: '2',
          NEW_ORGANIZATION_RUNS: '3',
          NEW_ORGANIZATION_STORED_MB: '4',
          ROLE: 'web',
        },
      });
      try {
        acme = await createOrganization(started);
        const rows = await switchboard.ownerQuery(
          `select name, amount::int from private.quota_exceptions where organization_id = $1 and name <> 'messages'
         order by name`,
          [acme.id],
        );
        expect(rows).toEqual([
          { name: 'contacts', amount: 2 },
          { name: 'runs', amount: 3 },
          { name: 'stored_bytes', amount: 4_000_000 },
        ]);
      } finally {
        await started.close();
      }
    },
  );
});

describe('the quota of runs', () => {
  itSlow(
    'refuses webhooks before it acknowledges them, loses no acknowledged run, and accepts again later',
    async () => {
      const { id } = await createWorkflow(acme, [STEP]);
      const post = (key: string) =>
        postWebhook(switchboard, id, { key }, { 'Idempotency-Key': key });
      await limit('runs', 5);
      const acknowledged: string[] = [];
      await untilMeasured(async () => {
        const key = `key_${acknowledged.length}`;
        const { status, body } = await post(key);
        if (status === 202) acknowledged.push(body.runId);
        return status === 429;
      });
      expect(acknowledged.length).toBeGreaterThanOrEqual(5);
      const refused = await post('key_new');
      expect(refused.status).toBe(429);
      expect(refused.body.error.code).toBe('rate_limited');
      expect(refused.body.error.message).toContain(
        'quota of 5 runs. Let set_retention delete old runs,',
      );
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(30);
      // A sender that missed the answer repeats the delivery.
      const repeated = await post('key_0');
      expect(repeated.body).toMatchObject({ ok: true, duplicate: true, runId: acknowledged[0] });
      expect(await count('workflow_runs')).toBe(acknowledged.length);

      await switchboard.ownerQuery('delete from workflow_runs where organization_id = $1', [
        acme.id,
      ]);
      await untilMeasured(async () => (await post('key_new')).status === 202);
    },
  );

  it('refuses only the new delivery when new and repeated deliveries arrive at the same time', async () => {
    const { id } = await createWorkflow(acme, [STEP]);
    const post = (key: string) => postWebhook(switchboard, id, { key }, { 'Idempotency-Key': key });
    await post('old');
    await limit('runs', 1);
    const keys = ['old', 'new', 'old', 'newer'];
    const statuses = (await Promise.all(keys.map(post))).map(({ status }) => status);
    expect(statuses).toEqual([200, 429, 200, 429]);
  });

  itSlow(
    'delays the run of a schedule until there is room, and starts one run for the tick',
    async () => {
      await limit('runs', 0);
      const trigger = { type: 'schedule', cron: '0 0 1 1 *', missed: 'run_once' };
      const { id } = await createWorkflow(acme, [], { trigger });
      await switchboard.ownerQuery(
        `update workflow_schedules set next_tick_at = now() - interval '1 s', available_at = now() where workflow_id = $1`,
        [id],
      );
      // The epoch is raised when a worker has claimed the tick.
      const isTried = 'select from workflow_schedules where workflow_id = $1 and epoch > 0';
      await waitFor(async () => (await switchboard.ownerQuery(isTried, [id])).length === 1);
      expect(await count('workflow_runs')).toBe(0);
      await limit('runs', 10);
      await waitFor(async () => (await count('workflow_runs')) === 1);
      const isOver =
        'select from workflow_schedules where workflow_id = $1 and next_tick_at > now()';
      expect(await switchboard.ownerQuery(isOver, [id])).toHaveLength(1);
      expect(await count('workflow_runs')).toBe(1);
    },
  );

  it('does not prevent a domain event, but the event starts no runs', async () => {
    await createWorkflow(acme, [STEP], { trigger: { type: 'event', event: 'contact.created' } });
    await limit('runs', 0);
    expect((await create()).status).toBe(200);
    expect(await count('contacts')).toBe(1);
    expect(await count('workflow_runs')).toBe(0);
    await limit('runs', 10);
    await create();
    expect(await count('workflow_runs')).toBe(1);
  });

  it('refuses a run that a person starts, with the same error', async () => {
    const { id } = await createWorkflow(acme, [STEP], { trigger: { type: 'manual' } });
    await limit('runs', 0);
    const { status, error } = await acme.call('trigger_workflow', { workflow_id: id });
    expect([status, error?.code]).toEqual([429, 'rate_limited']);
  });
});

describe('the quota of stored bytes', () => {
  const LARGE = 8000;
  const large = () =>
    Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`p${index}`, noise(LARGE / 8)]));
  /** Returns text that PostgreSQL cannot compress. */
  const noise = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');

  it('refuses contacts, messages, versions and webhooks, until enough was deleted', async () => {
    const manual = await createWorkflow(acme, [STEP], { trigger: { type: 'manual' } });
    const webhook = await createWorkflow(acme, [STEP]);
    const ids: string[] = [];
    for (let made = 0; made < 10; made += 1) {
      ids.push((await create({ properties: large() })).value.contact.id);
    }
    await limit('stored_bytes', 10 * LARGE);
    const outcomes = [
      await create(),
      await acme.call('send_message', { contact_id: ids[0], subject: 'Hi', body: 'Hello' }),
      await acme.call('update_workflow', {
        workflow_id: manual.id,
        steps: [{ ...STEP, id: 'b' }],
      }),
      await acme.call('trigger_workflow', { workflow_id: manual.id }),
      await postWebhook(switchboard, webhook.id, {}),
    ];
    expect(outcomes.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
    expect((outcomes[0] as Awaited<ReturnType<typeof create>>).error!.message).toContain(
      `quota of ${10 * LARGE} stored bytes. Delete contacts, let set_retention delete old runs and messages,`,
    );
    for (const contact_id of ids.slice(0, 5)) await acme.call('delete_contact', { contact_id });
    await untilMeasured(async () => (await create()).status === 200);
  });

  it('counts results of idempotency keys, and refuses calls with new keys and new versions of templates', async () => {
    const { value } = await create({ properties: large() });
    const contact_id = value.contact.id;
    const change = async (key?: string) => {
      const response = await acme.rpc({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'update_contact',
          arguments: { contact_id, first_name: 'Ada' },
          _meta: key === undefined ? {} : { 'switchboard/idempotencyKey': key },
        },
      });
      return await response.text();
    };
    for (let made = 0; made < 10; made += 1) expect(await change(`key_${made}`)).toContain('Ada');
    const { id: templateId } = await createTemplate(acme, {
      variants: { en: { email: { subject: 'Hi', text: 'Hello' } } },
    });
    await limit('stored_bytes', 10 * LARGE);
    expect(await change('key_new')).toContain('quota of');
    expect(await change('key_0')).toContain('Ada');
    expect(await change()).toContain('Ada');
    expect((await publish(acme, templateId)).error?.message).toContain('quota of');
  });

  it('allows only withdrawals of consent, without evidence, when the quota is used up', async () => {
    const { value } = await create({ consent: { email: 'granted' } });
    const contact_id = value.contact.id;
    await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
    const decide = async (subscribed: boolean): Promise<number> => {
      const evidence = { text: 'x'.repeat(500) };
      const decision = { contact_id, topic: 'news', subscribed, evidence };
      return (await acme.call('set_topic_subscription', decision)).status;
    };
    const consent = async (email: string): Promise<number> =>
      (await acme.call('update_contact', { contact_id, consent: { email } })).status;
    expect([await decide(false), await decide(true)]).toEqual([200, 200]);
    await limit('stored_bytes', 1);
    // This call repeats the stored decision, and changes nothing.
    expect(await decide(true)).toBe(200);
    expect([await decide(false), await decide(true), await decide(true)]).toEqual([200, 429, 429]);
    expect([await consent('denied'), await consent('granted')]).toEqual([200, 429]);
    const logged = await switchboard.ownerQuery(
      `select name, to_state, evidence is not null as evidence from consent_changes
       where organization_id = $1 order by id`,
      [acme.id],
    );
    expect(logged).toEqual([
      { name: 'email', to_state: 'granted', evidence: false },
      { name: 'news', to_state: 'unsubscribed', evidence: true },
      { name: 'news', to_state: 'subscribed', evidence: true },
      { name: 'news', to_state: 'unsubscribed', evidence: false },
      { name: 'email', to_state: 'denied', evidence: false },
    ]);
    const [stored] = await switchboard.ownerQuery(
      'select evidence from topic_subscriptions where organization_id = $1',
      [acme.id],
    );
    expect(stored).toEqual({ evidence: null });
  });

  it('lets contacts leave topics on the page of preferences when the quota is used up', async () => {
    const { value } = await create();
    const contact_id = value.contact.id;
    await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
    await acme.call('create_topic', { name: 'offers', title: 'Offers', default: 'opted_out' });
    const sent = await acme.call<{ message: { id: string } }>('send_message', {
      contact_id,
      topic: 'news',
      subject: 'Hi',
      body: '{{ preferences_url }}',
      variables: {},
    });
    const link = await storedBody(switchboard, sent.value.message.id);
    await limit('stored_bytes', 1);
    const body = new URLSearchParams([
      ['shown', 'news'],
      ['shown', 'offers'],
      ['topic', 'offers'],
    ]);
    const page = await fetch(link, { method: 'POST', body });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Offers')]);
    const { value: stored } = await acme.call('list_topic_subscriptions', { contact_id });
    expect(stored).toMatchObject({
      subscriptions: [{ state: 'unsubscribed' }, { state: 'unsubscribed' }],
    });
  });

  itSlow('counts each entry of the log of consent', async () => {
    const { value } = await create();
    await switchboard.ownerQuery(
      `insert into consent_changes (organization_id, contact_id, recorded_for, kind, name, source)
       select $1, $2, $2, 'topic', 'news', 'test' from generate_series(1, 1200000)`,
      [acme.id, value.contact.id],
    );
    await measure();
    const [used] = await switchboard.ownerQuery<{ bytes: number }>(
      `select used::int as bytes from private.quota_usage where organization_id = $1 and name = 'stored_bytes'`,
      [acme.id],
    );
    expect(used!.bytes).toBeGreaterThan(170_000_000);
  });

  itSlow('is estimated from a sample of many rows, with an error of at most 20 %', async () => {
    const rows = 6000;
    const bytes = rows * (200 + 500);
    await switchboard.ownerQuery(
      `insert into contacts (organization_id, id, email, search_text, properties)
       select $1, 'con_' || i, i || '@example.com', i || '@example.com',
         jsonb_build_object('a', repeat('x', (i % 50) * 20))
       from generate_series(1, $2) i`,
      [acme.id, rows],
    );
    await measure();
    const [used] = await switchboard.ownerQuery<{ bytes: number; all: number }>(
      `select used::int as bytes, (select sum(200 + 2 * pg_column_size(search_text) + pg_column_size(tags)
           + pg_column_size(properties) + pg_column_size(consent))::int from contacts where organization_id = $1) as all
       from private.quota_usage where organization_id = $1 and name = 'stored_bytes'`,
      [acme.id],
    );
    expect(used!.all).toBeGreaterThan(bytes / 2);
    expect(used!.bytes / used!.all).toBeGreaterThan(0.8);
    expect(used!.bytes / used!.all).toBeLessThan(1.2);
  });
});
