import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditVerifier, type ChainHead } from '../../src/audit/audit-verifier.js';
import { backUp, digestOf, restore } from '../support/backup.js';
import { createDatabaseOwner, type DatabaseOwner } from '../support/database-owner.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  postWebhook,
  runUntil,
  sign,
  trigger,
} from '../workflows/support/workflow-client.js';
import { dumpSchema } from './dump-schema.js';

const SECRET_KEY = 'the-key-of-the-service-'.repeat(2);
const BODY = '{"order":1}';
const EMAIL = 'keyed@example.com';
const KEYED = { email: EMAIL, subject: 'Once', body: 'Once', idempotency_key: 'once' };
const contact = (email: string) => ({
  id: 'effect',
  tool: 'create_contact',
  arguments: { email },
});

describe('a backup that is made while calls change the database', () => {
  let owner: DatabaseOwner;
  let folder: string;
  let sourceUrl: string;
  let quiet: string;
  let busy: string;
  let acme: TestOrganization;
  let webhook: { id: string; secret: string };
  let firstDelivery: string;
  let keyedMessage: { message: { id: string } };
  let runs: { timed: string; resumed: string; crashed: string };
  let resumePath: string;
  let heads: readonly ChainHead[];
  let source: Record<string, string | null>;
  let targetUrl: string;
  let target: Record<string, string | null>;
  let restored: Switchboard;
  /** The organization of these tests. Its calls go to the restored Switchboard. */
  let again: TestOrganization;

  const start = (databaseUrl: string): Promise<Switchboard> =>
    startSwitchboard({ databaseUrl, env: { SECRET_KEY }, providers: [ProbeTools] });
  const connect = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    owner = await createDatabaseOwner();
    folder = await mkdtemp(join(tmpdir(), 'switchboard-backup-'));
    [quiet, busy] = [join(folder, 'quiet.backup'), join(folder, 'busy.backup')];
    sourceUrl = await owner.createDatabase();
    const original = await start(sourceUrl);
    try {
      await fill(original);
      await backUpDuringCalls();
      await waitFor(async () => {
        const waiting = await original.ownerQuery('select from private.audit_queue limit 1');
        return waiting.length === 0;
      });
    } finally {
      await original.close();
    }
    // A power cut leaves a run in this state: claimed by a worker, with a lease that has not ended yet.
    await owner.ask(
      sourceUrl,
      `update workflow_runs set status = 'running', epoch = epoch + 1, available_at = now() + interval '1 second'
       where id = $1`,
      [runs.crashed],
    );
    ({ heads } = await connect(sourceUrl, (client) => new AuditVerifier(client).verify([])));
    await backUp(sourceUrl, quiet, SECRET_KEY);
    source = await digestOf(owner, sourceUrl);
    targetUrl = await owner.createDatabase();
    await restore(quiet, targetUrl, SECRET_KEY);
    target = await digestOf(owner, targetUrl);
    restored = await start(targetUrl);
    again = inRestored(acme);
  });
  afterAll(async () => {
    await restored?.close();
    await owner.drop();
    await rm(folder, { recursive: true });
  });

  const fill = async (original: Switchboard): Promise<void> => {
    acme = await createOrganization(original, 'Acme "quoted" \\t \\N');
    await createOrganization(original);
    await acme.call('create_contact', { email: EMAIL });
    keyedMessage = (await acme.call<typeof keyedMessage>('send_message', KEYED)).value;
    await acme.call('create_contact', { email: 'o\u2019neil@example.com', first_name: 'N\\N' });
    await acme.call('send_message', {
      email: EMAIL,
      subject: 'Line\none\ttab',
      body: '\\. \\N "quotes" \u0001 \u{1F600}',
    });
    await acme.call('set_tool_policy', { tool: 'cancel_run', hidden: true });
    const { id, secret } = await createWorkflow(acme, [contact('webhook@example.com')], {
      trigger: { type: 'webhook', secret: true },
    });
    webhook = { id, secret: secret! };
    firstDelivery = (await deliver(original, 'first')).runId;
    await runUntil(acme, firstDelivery, 'succeeded');
    const manual = { trigger: { type: 'manual' } };
    const sleeper = async (email: string) =>
      await createWorkflow(acme, [{ id: 'wait', wait: { days: 1 } }, contact(email)], manual);
    const approval = await createWorkflow(
      acme,
      [
        {
          id: 'show',
          tool: 'probe_echo',
          arguments: { value: { url: '{{ run.resume_urls.approval }}' } },
        },
        { id: 'approval', wait_for_event: { event: 'resume', timeout: { days: 1 } } },
        contact('resumed@example.com'),
      ],
      manual,
    );
    runs = {
      timed: await trigger(acme, (await sleeper('timed@example.com')).id),
      crashed: await trigger(acme, (await sleeper('crashed@example.com')).id),
      resumed: await trigger(acme, approval.id),
    };
    for (const run of Object.values(runs)) await runUntil(acme, run, 'waiting');
    const { steps } = await getRun(acme, runs.resumed);
    resumePath = new URL((steps[0]!.output as { value: { url: string } }).value.url).pathname;
    await original.ownerQuery(
      `update run_steps set wake_at = now() where run_id = $1 and status = 'waiting'`,
      [runs.crashed],
    );
  };
  const backUpDuringCalls = async (): Promise<void> => {
    let isRunning = true;
    let created = 0;
    const calls = (async () => {
      while (isRunning) {
        created += 1;
        await acme.call('create_contact', { email: `busy${created}@example.com` });
      }
    })();
    await waitFor(() => created > 5);
    await backUp(sourceUrl, busy, SECRET_KEY);
    isRunning = false;
    await calls;
  };
  const deliver = async (to: Switchboard, key: string) => {
    const headers = {
      'x-webhook-signature': sign(BODY, webhook.secret),
      'Idempotency-Key': key,
    };
    return (await postWebhook(to, webhook.id, BODY, headers)).body;
  };
  /** Returns the organization with a `call` that sends its session to the restored Switchboard. */
  const inRestored = (organization: TestOrganization): TestOrganization => ({
    ...organization,
    call: async <T>(tool: string, given: unknown = {}) => {
      const response = await fetch(`${restored.url}/api/tools/${tool}`, {
        method: 'POST',
        headers: {
          Cookie: organization.cookie,
          Origin: restored.url,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify(given),
      });
      return { status: response.status, value: (await response.json()) as T };
    },
  });
  const countContacts = async (email: string): Promise<number> => {
    const [row] = await restored.ownerQuery<{ count: number }>(
      'select count(*)::int as count from contacts where email = $1',
      [email],
    );
    return row!.count;
  };

  it('restores every row, every sequence and the schema', async () => {
    expect(target).toEqual(source);
    expect(Object.keys(source).length).toBeGreaterThan(40);
    expect(await connect(targetUrl, dumpSchema)).toBe(await connect(sourceUrl, dumpSchema));
    const forced = `select relname, relforcerowsecurity from pg_class where relkind = 'r' order by oid::regclass::text`;
    expect(await owner.ask(targetUrl, forced)).toEqual(await owner.ask(sourceUrl, forced));
    const states = `select tgrelid::regclass::text, tgname, tgenabled from pg_trigger where not tgisinternal order by 1, 2`;
    expect(await owner.ask(targetUrl, states)).toEqual(await owner.ask(sourceUrl, states));
  });

  it('is a snapshot: it has each new contact together with the audit log entry of its call', async () => {
    const url = await owner.createDatabase();
    await restore(busy, url, SECRET_KEY);
    const [found] = await owner.ask<{ contacts: number; entries: number; all: number }>(
      url,
      `select (select count(*)::int from contacts where email like 'busy%') as contacts,
         (select count(*)::int from contacts) as all,
         (select count(*)::int from audit_log where action = 'create_contact' and outcome = 'ok') as entries`,
    );
    expect(found!.contacts).toBeGreaterThan(4);
    // The run of the webhook created one contact. That contact is in the run journal and has no audit log entry.
    expect([found!.entries, found!.entries + 1]).toContain(found!.all);
  });

  it('keeps API keys, sessions and results of idempotent calls', async () => {
    const listed = await fetch(`${restored.url}/api/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(listed.status).toBe(200);
    expect(keyedMessage.message.id).toMatch(/^msg_/);
    const repeated = await again.call<typeof keyedMessage>('send_message', KEYED);
    expect(repeated.value.message.id).toBe(keyedMessage.message.id);
  });

  it('keeps the secrets of webhooks, and the runs that deliveries started', async () => {
    expect(await deliver(restored, 'first')).toMatchObject({
      ok: true,
      runId: firstDelivery,
      duplicate: true,
    });
    expect((await deliver(restored, 'second')).runId).not.toBe(firstDelivery);
    const forged = await postWebhook(restored, webhook.id, BODY, {
      'x-webhook-signature': sign(BODY, 'another secret'),
    });
    expect(forged.status).toBe(401);
  });

  it('lets the waiting runs and the run of a dead worker continue after the restore, each once', async () => {
    await endWaits(restored, runs.timed);
    const resumed = await fetch(`${restored.url}${resumePath}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(resumed.status).toBe(202);
    for (const [name, run] of Object.entries(runs)) {
      const { steps } = await runUntil(again, run, 'succeeded', 'failed');
      expect(steps.at(-1)).toMatchObject({ id: 'effect', status: 'succeeded', attempts: 1 });
      expect(await countContacts(`${name}@example.com`)).toBe(1);
    }
    expect(await countContacts('webhook@example.com')).toBe(1);
    expect((await getRun(again, firstDelivery)).steps).toHaveLength(1);
  });

  it('keeps the chains of the audit log', async () => {
    expect(heads.length).toBeGreaterThan(1);
    const checked = await connect(targetUrl, (client) => new AuditVerifier(client).verify(heads));
    expect(checked.faults).toEqual([]);
    expect(checked.entries).toBeGreaterThan(5);
  });
});
