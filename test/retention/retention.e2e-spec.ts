import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { AuditSealWorker } from '../../src/audit/audit-seal.worker.js';
import { RetentionWorker } from '../../src/retention/retention.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

interface Retention {
  retention: Record<string, number | null>;
}

/** The age of a message in days. */
interface Age {
  created: number;
  changed?: number;
  counted?: boolean;
}

describe('retention', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let globex: TestOrganization;

  beforeAll(async () => {
    // There is no worker, so rows are purged only when a test calls the purge.
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  });
  afterAll(() => switchboard.close());
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
    globex = await createOrganization(switchboard);
  });

  const set = (given: object) => acme.call<Retention>('set_retention', given);
  const get = () => acme.call<Retention>('get_retention');
  const purge = () => switchboard.app.get(RetentionWorker, { strict: false }).purge();
  const gate = <Row extends object>(name: string, values: unknown[]) =>
    switchboard.app.get(GateDatabase, { strict: false }).call<Row>(name, values);
  const count = async (table: string, organization = acme): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ n: number }>(
      `select count(*)::int as n from ${table} where organization_id = $1`,
      [organization.id],
    );
    return row!.n;
  };

  /**
   * Inserts `n` runs with this status and one step each. The runs ended `days` days ago, or have not ended if the
   * status says so.
   */
  async function runs(
    organization: TestOrganization,
    n: number,
    status: string,
    days: number,
  ): Promise<void> {
    const { id } = await createWorkflow(organization, []);
    await switchboard.ownerQuery(
      `with made as (
         insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status,
           created_at, finished_at)
         select $1, $2 || n, $2, 1, 'webhook', '{}', $3, now() - make_interval(days => $5 + 1),
           case when $3 in ('succeeded', 'failed', 'canceled') then now() - make_interval(days => $5) end
         from generate_series(1, $4::int) n returning organization_id, id)
       insert into run_steps (organization_id, run_id, step_id, position, status, attempts, started_at)
       select organization_id, id, 'a', 1, 'succeeded', 1, now() from made`,
      [organization.id, id, status, n, days],
    );
  }

  it('is unlimited until an owner sets it', async () => {
    const forEver = {
      runs_days: null,
      messages_days: null,
      webhook_deliveries_days: null,
      audit_log_days: null,
    };
    expect((await get()).value.retention).toEqual(forEver);
    expect((await set({ runs_days: 30 })).value.retention).toEqual({ ...forEver, runs_days: 30 });
    expect((await set({ audit_log_days: 365 })).value.retention).toMatchObject({
      runs_days: 30,
      audit_log_days: 365,
    });
    expect((await set({ runs_days: null })).value.retention).toMatchObject({
      runs_days: null,
      audit_log_days: 365,
    });
    expect((await get()).value.retention).toEqual({ ...forEver, audit_log_days: 365 });
    for (const days of [6, 3651, 7.5, 0, -1]) {
      expect((await set({ runs_days: days })).error!.code).toBe('invalid_arguments');
    }
    expect((await set({ audit_log_days: 89 })).error!.code).toBe('invalid_arguments');
    await switchboard.ownerQuery(
      `update memberships set role = 'member' where organization_id = $1`,
      [acme.id],
    );
    expect((await set({ runs_days: 7 })).error!.code).toBe('forbidden');
    await runs(acme, 3, 'succeeded', 4000);
    await purge();
    expect(await count('workflow_runs')).toBe(3);
  });

  it('deletes only runs that ended too long ago, with their steps', async () => {
    for (const organization of [acme, globex]) {
      await runs(organization, 450, 'succeeded', 31);
      await runs(organization, 2, 'failed', 31);
      await runs(organization, 2, 'canceled', 29);
      for (const status of ['queued', 'running', 'waiting'])
        await runs(organization, 1, status, 400);
    }
    await set({ runs_days: 30 });
    await purge();
    expect(await count('workflow_runs')).toBe(5);
    expect(await count('run_steps')).toBe(5);
    expect(await count('workflow_runs', globex)).toBe(457);
    expect(await count('run_steps', globex)).toBe(457);
  });

  describe('of messages', () => {
    let contactId: string;
    beforeEach(async () => {
      const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
        email: 'a@example.com',
      });
      contactId = value.contact.id;
    });

    /**
     * Inserts an e-mail that was created and changed for the last time these numbers of days ago. With `counted`, its
     * attempt counts for caps since the last change. Returns its id.
     */
    async function insertMessage(
      status: string,
      { created, changed = created, counted = false }: Age,
    ): Promise<string> {
      const id = `msg_${status}_${created}_${changed}${counted ? '_counted' : ''}`;
      await switchboard.ownerQuery(
        `insert into messages (organization_id, id, contact_id, channel, direction, recipient, body, status, attempts,
           created_at, updated_at, counted_at)
         values ($1, $2, $3, 'email', 'outbound', 'a@example.com', '', $4, 1, now() - make_interval(days => $5),
           now() - make_interval(days => $6), case when $7 then now() - make_interval(days => $6) end)`,
        [acme.id, `${id}_${acme.id}`, contactId, status, created, changed, counted],
      );
      return `${id}_${acme.id}`;
    }
    const remaining = async (): Promise<string[]> => {
      const rows = await switchboard.ownerQuery<{ id: string }>(
        'select id from messages where organization_id = $1',
        [acme.id],
      );
      return rows.map(({ id }) => id.replace(`_${acme.id}`, '')).toSorted();
    };
    const limitEmail = (windowSeconds: number) =>
      acme.call('set_sending_rules', {
        timezone: 'UTC',
        transactional_email: true,
        caps: [{ channel: 'email', most: 1, window_seconds: windowSeconds, on_cap: 'drop' }],
      });

    it('deletes old messages that are finished', async () => {
      for (const status of ['sent', 'failed', 'canceled', 'scheduled', 'queued', 'sending'])
        await insertMessage(status, { created: 11 });
      await insertMessage('sent', { created: 9 });
      await set({ messages_days: 10 });
      await purge();
      expect(await remaining()).toEqual([
        'msg_queued_11_11',
        'msg_scheduled_11_11',
        'msg_sending_11_11',
        'msg_sent_9_9',
      ]);
    });

    it('keeps a message whose outcome is unknown, so that a person can still resolve it', async () => {
      const id = await insertMessage('uncertain', { created: 100 });
      await set({ messages_days: 7 });
      await purge();
      const { error } = await acme.call('resolve_message', { message_id: id, outcome: 'sent' });
      expect(error).toBeUndefined();
    });

    it('keeps a message that was created long ago and sent just now, so that a bounce report finds it', async () => {
      const id = await insertMessage('sent', { created: 100, changed: 0 });
      await set({ messages_days: 7 });
      await purge();
      const report = { message_id: id, outcome: 'bounced', bounce_type: 'hard' };
      expect((await acme.call('report_delivery', report)).error).toBeUndefined();
    });

    it('keeps a message as long as a cap of the organization can count it', async () => {
      await limitEmail(30 * 86_400);
      await insertMessage('sent', { created: 8, counted: true });
      await insertMessage('sent', { created: 31, counted: true });
      await insertMessage('sent', { created: 8 });
      await set({ messages_days: 7 });
      await purge();
      expect(await remaining()).toEqual(['msg_sent_8_8_counted']);
      const { value } = await acme.call<{ outcome: string }>('explain_send', {
        contact_id: contactId,
        channel: 'email',
      });
      expect(value).toMatchObject({ outcome: 'refuse' });
      await limitEmail(86_400);
      await switchboard.ownerQuery(
        'update retention_rules set available_at = now() where organization_id = $1',
        [acme.id],
      );
      await purge();
      expect(await remaining()).toEqual([]);
    });

    it('ignores caps that only SQL of a tool can store', async () => {
      await limitEmail(86_400);
      await switchboard.ownerQuery(
        'update sending_rules set caps = $2 where organization_id = $1',
        [acme.id, JSON.stringify([{ window_seconds: 1e300 }, { window_seconds: 'x' }, 7, null])],
      );
      await insertMessage('sent', { created: 8, counted: true });
      await set({ messages_days: 7 });
      await purge();
      expect(await remaining()).toEqual([]);
    });
  });

  it('deletes old entries of the delivery log and the audit log, which the service itself may not delete', async () => {
    const { id } = await createWorkflow(acme, []);
    await switchboard.ownerQuery(
      `insert into webhook_deliveries (organization_id, id, workflow_id, kind, received_at, status, code, headers)
       select $1, 'whd_' || n, $2, 'accepted', now() - make_interval(days => n), 202, 'accepted', '{}'
       from generate_series(8, 11) n`,
      [acme.id, id],
    );
    const seal = () => switchboard.app.get(AuditSealWorker, { strict: false }).sealEntries();
    // Deletes the recent entries of the sign-up. A purge deletes entries in the order of their chain, and would stop at
    // the first recent entry.
    for (const table of ['private.audit_queue', 'audit_log']) {
      await switchboard.ownerQuery(`delete from ${table} where organization_id = $1`, [acme.id]);
    }
    await switchboard.ownerQuery(
      `select private.write_audit(json_agg(json_build_object('organization_id', $1::text, 'actor_kind', 'user',
         'actor_id', 'somebody', 'action', 'long ago', 'at', now() - interval '100 days')))
       from generate_series(1, 1200)`,
      [acme.id],
    );
    await seal();
    await set({ webhook_deliveries_days: 10, audit_log_days: 99 });
    await purge();
    expect(await count('webhook_deliveries')).toBe(2);
    const actions = await switchboard.ownerQuery<{ action: string }>(
      'select distinct action from audit_log where organization_id = $1',
      [acme.id],
    );
    expect(actions.map(({ action }) => action)).not.toContain('long ago');
  });

  it('purges only a claimed organization, and only rows that its rules allow to purge', async () => {
    await runs(acme, 5, 'succeeded', 31);
    await set({ runs_days: 40 });
    const claimed = async () =>
      await gate<{ organization_id: string; kind: string; epoch: number }>('claim_purge', [60]);
    const batch = async (organization: string, epoch: number, kind = 'runs') =>
      (await gate<{ purge: number }>('purge', [organization, kind, epoch, 2, 60]))[0]!.purge;
    const [first] = await claimed();
    expect(first).toMatchObject({ organization_id: acme.id, kind: 'runs' });
    expect(await claimed()).toEqual([]);
    expect(await batch(acme.id, first!.epoch)).toBe(0);
    expect(await batch(acme.id, first!.epoch + 1)).toBe(-1);
    expect(await batch(acme.id, first!.epoch, 'audit_log')).toBe(-1);
    expect(await batch(globex.id, first!.epoch)).toBe(-1);
    // Setting the same value changes nothing. A different value makes the rule due immediately, for the next claim.
    await set({ runs_days: 40 });
    expect(await claimed()).toEqual([]);
    await set({ runs_days: 30 });
    expect(await batch(acme.id, first!.epoch)).toBe(-1);
    const [second] = await claimed();
    expect(await batch(acme.id, second!.epoch)).toBe(2);
    expect(await count('workflow_runs')).toBe(3);
    await gate('finish_purge', [acme.id, 'runs', second!.epoch, 3600]);
    expect(await claimed()).toEqual([]);
    await set({ runs_days: null });
    expect(await batch(acme.id, second!.epoch)).toBe(-1);
  });

  it('skips rows that are locked', async () => {
    await runs(acme, 3, 'succeeded', 31);
    await set({ runs_days: 30 });
    const client = new Client({ connectionString: switchboard.databaseUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(
        'select from workflow_runs where organization_id = $1 order by id limit 1 for update',
        [acme.id],
      );
      await purge();
      expect(await count('workflow_runs')).toBe(1);
    } finally {
      await client.end();
    }
  });

  it('is enforced by the workers', async () => {
    await runs(acme, 1, 'succeeded', 31);
    await set({ runs_days: 30 });
    const worker = await startSwitchboard({
      env: { ROLE: 'worker' },
      databaseUrl: switchboard.databaseUrl,
    });
    try {
      await worker.app.get(RetentionWorker, { strict: false }).purge();
      expect(await count('workflow_runs')).toBe(0);
      const [row] = await switchboard.ownerQuery<{ later: boolean }>(
        `select available_at > now() + interval '50 minutes' as later from retention_rules where organization_id = $1`,
        [acme.id],
      );
      expect(row).toEqual({ later: true });
    } finally {
      await worker.close();
    }
  });
});
