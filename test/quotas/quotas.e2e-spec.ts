import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runQuotas } from '../../src/bootstrap/quotas.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { listOutbox } from '../messaging/support.js';
import { createTemplate } from '../templates/template.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { itSlow } from '../support/thorough.js';

const PARALLEL = 40;
const STEP = { id: 'a', tool: 'search_contacts', arguments: {} };

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const limit = (name: string, amount: number) =>
  switchboard.ownerQuery(
    `insert into private.quota_exceptions (organization_id, name, amount) values ($1, $2, $3)
     on conflict (organization_id, name) do update set amount = excluded.amount`,
    [acme.id, name, amount],
  );
const count = async (table: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    `select count(*)::int from public.${table} where organization_id = $1`,
    [acme.id],
  );
  return row!.count;
};

describe('the quota of workflows', () => {
  const create = () =>
    acme.call<{ workflow: { id: string } }>('create_workflow', {
      name: 'Counted',
      trigger: { type: 'manual' },
      steps: [STEP],
    });

  it('is exact for sequential calls, and its error says what to do', async () => {
    await limit('workflows', 5);
    for (let made = 0; made < 5; made += 1) expect((await create()).status).toBe(200);
    const { status, error } = await create();
    expect(status).toBe(409);
    expect(error).toMatchObject({
      code: 'conflict',
      message:
        'The organization has used its quota of 5 workflows. Delete workflows, or ask the operator for a higher quota.',
    });
    expect(await count('workflows')).toBe(5);
  });

  it('cannot be exceeded by parallel calls, which can use the whole quota', async () => {
    await limit('workflows', 25);
    const outcomes = await Promise.all(Array.from({ length: PARALLEL }, create));
    expect(outcomes.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await count('workflows')).toBeLessThanOrEqual(25);
    while ((await count('workflows')) < 25) expect((await create()).status).toBe(200);
    expect((await create()).status).toBe(409);
  });

  it('is free again after a deletion, and counts no dry run', async () => {
    await limit('workflows', 1);
    const dryRun = await acme.fetch('/api/tools/create_workflow', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        name: 'Dry',
        trigger: { type: 'manual' },
        steps: [STEP],
        dry_run: true,
      }),
    });
    expect(dryRun.status).toBe(200);
    const { value } = await create();
    expect((await create()).status).toBe(409);
    await acme.call('delete_workflow', { workflow_id: value.workflow.id });
    expect((await create()).status).toBe(200);
    expect((await create()).status).toBe(409);
  });

  it('is higher as soon as the operator raises it, and applies to one organization only', async () => {
    await limit('workflows', 1);
    await create();
    expect((await create()).status).toBe(409);
    const other = await createOrganization(switchboard);
    await createWorkflow(other, [STEP]);
    await limit('workflows', 2);
    expect((await create()).status).toBe(200);
  });

  it('writes to the audit log at 80 %, once', async () => {
    await limit('workflows', 10);
    for (let made = 0; made < 10; made += 1) await create();
    const rows = await switchboard.ownerQuery(
      `select actor_kind, subject from audit_log where organization_id = $1 and action = 'quota_80_percent'`,
      [acme.id],
    );
    expect(rows).toEqual([{ actor_kind: 'system', subject: 'workflows' }]);
  });
});

describe('the daily quota of messages', () => {
  const send = async () => {
    await acme.call('create_contact', { email: 'a@example.com', on_conflict: 'update' });
    return await acme.call('send_message', {
      email: 'a@example.com',
      subject: 'Hi',
      body: 'Hello',
    });
  };

  it('is small for an organization that signed up, until an operator raises it', async () => {
    const started = await startSwitchboard({
      databaseUrl: switchboard.databaseUrl,
      env: { NEW_ORGANIZATION_MESSAGES: '3', ROLE: 'web' },
    });
    try {
      acme = await createOrganization(started);
      for (let sent = 0; sent < 3; sent += 1) expect((await send()).status).toBe(200);
      const { status, error } = await send();
      expect(status).toBe(429);
      expect(error).toMatchObject({
        code: 'rate_limited',
        message:
          'The organization has used its quota of 3 messages a day. Wait until 00:00 UTC, or ask the operator for a higher quota.',
      });
      await limit('messages', 4);
      expect((await send()).status).toBe(200);
      expect((await send()).status).toBe(429);
    } finally {
      await started.close();
    }
  });

  it('cannot be exceeded by messages that SQL of a tool calls inbound', async () => {
    await limit('messages', 0);
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      phone: '+4930123456',
    });
    const tenants = switchboard.app.get(TenantDatabase);
    const run = (statement: string, ...values: string[]): Promise<unknown> =>
      tenants.transaction(acme.id, () =>
        tenants.session(acme.id).query(statement, [acme.id, ...values]),
      );
    const insert = (status: string): Promise<unknown> =>
      run(
        `insert into messages (organization_id, id, contact_id, channel, direction, recipient, body, status)
         values ($1, $2, $3, 'sms', 'inbound', '+4930123456', 'Buy now', $4)`,
        `msg_${status}`,
        value.contact.id,
        status,
      );
    await expect(insert('queued')).rejects.toThrow();
    expect(await count('messages')).toBe(0);
    // A received message is not counted, and cannot be sent.
    await insert('received');
    const queue = `update messages set direction = 'outbound', status = 'queued' where organization_id = $1`;
    await expect(run(queue)).rejects.toThrow();
  });

  it('starts again on the next day', async () => {
    await limit('messages', 1);
    await send();
    expect((await send()).status).toBe(429);
    for (const table of ['quota_grants', 'quota_blocks']) {
      await switchboard.ownerQuery(
        `update private.${table} set day = day - 1 where organization_id = $1 and name = 'messages'`,
        [acme.id],
      );
    }
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
  });

  itSlow(
    'cannot be exceeded by parallel tests of a template, and each e-mail that was sent has a stored message',
    async () => {
      await limit('messages', 5);
      const variants = { en: { email: { subject: 'Test', text: 'Hello' } } };
      const { id } = await createTemplate(acme, { variants });
      const before = new Set(await listOutbox(switchboard));
      const answers = await Promise.all(
        Array.from({ length: PARALLEL }, () =>
          acme.call<{ message_id: string }>('send_template_test', { template_id: id }),
        ),
      );
      const sent = answers.filter(({ status }) => status === 200);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(PARALLEL - sent.length);
      expect(sent.length).toBeLessThanOrEqual(5);
      const mails = (await listOutbox(switchboard)).filter((name) => !before.has(name));
      expect(mails.toSorted()).toEqual(
        sent.map(({ value }) => `${value.message_id}.eml`).toSorted(),
      );
      const rows = await switchboard.ownerQuery(
        `select from messages where organization_id = $1 and status = 'sent' and sent_at is not null`,
        [acme.id],
      );
      expect(rows).toHaveLength(sent.length);
    },
  );
});

describe('the quota of versions', () => {
  it('refuses a new version', async () => {
    await limit('versions', 1);
    const { id } = await createWorkflow(acme, [STEP], { trigger: { type: 'manual' } });
    const changed = { workflow_id: id, steps: [{ ...STEP, id: 'b' }] };
    const { error } = await acme.call('update_workflow', changed);
    expect(error?.message).toContain('quota of 1 versions');
  });
});

describe('the counters of quotas', () => {
  it('are open to no role of the service, so SQL of a tool cannot raise a quota', async () => {
    const open = await switchboard.ownerQuery(
      `select c.relname, r.rolname from pg_class c, pg_roles r
       where c.relname like 'quota%' and c.relkind = 'r' and r.rolname ~ '^switchboard_(tenant|gate)_'
         and (has_schema_privilege(r.oid, 'private', 'usage')
           or has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate'))`,
    );
    expect(open).toEqual([]);
  });
});

describe('the command of operators', () => {
  it('shows and sets the quotas of one organization, and refuses unknown names', async () => {
    const printed: string[] = [];
    const out = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      printed.push(String(line));
      return true;
    });
    const failed = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    vi.stubEnv('DATABASE_URL', switchboard.databaseUrl);
    try {
      await createWorkflow(acme, [STEP]);
      await runQuotas([acme.id, 'messages', '7']);
      expect(printed).toContain('messages: 7 a day, 0 used\n');
      expect(printed).toContain('workflows: 1000, 1 used\n');
      await runQuotas([acme.id, 'messages', 'default']);
      expect(printed).toContain('messages: no limit a day, 0 used\n');
      await runQuotas([acme.id, 'nothing', '7']);
      await runQuotas(['org_unknown']);
      expect(failed).toHaveBeenCalledTimes(2);
      expect(process.exitCode).toBe(2);
    } finally {
      process.exitCode = 0;
      vi.unstubAllEnvs();
      out.mockRestore();
      failed.mockRestore();
    }
  });
});

describe('a daily quota at midnight', () => {
  const take = (day: string): Promise<unknown> =>
    switchboard.ownerQuery('select private.take_quota($1, $2, 10, $3)', [acme.id, 'messages', day]);

  it('counts a transaction that began before midnight for the new day, when that day has begun to count', async () => {
    await limit('messages', 10);
    await take('2026-03-01');
    await take('2026-03-02');
    for (const day of ['2026-03-01', '2026-03-02']) {
      await expect(take(day), day).rejects.toThrow('used its quota of 10 messages');
    }
    await take('2026-03-03');
  });

  it('begins again after the clock of the database was wrong by years', async () => {
    await limit('messages', 10);
    await take('2036-03-01');
    await take('2026-03-02');
    await expect(take('2026-03-02')).rejects.toThrow('used its quota of 10 messages');
  });
});
