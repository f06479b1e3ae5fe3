import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { uploadedImport } from '../support/uploaded-import.js';
import {
  createWorkflow,
  endWaits,
  getRun,
  postWebhook,
  runToEnd,
  runUntil,
  trigger,
} from '../workflows/support/workflow-client.js';
import { runSql, SqlTools } from './sql-tools.js';

const STEPS = [{ id: 'add', tool: 'create_contact', arguments: { external_id: '{{ run.id }}' } }];
const WAIT = [{ id: 'pause', wait: { seconds: 3600 } }];

let switchboard: Switchboard;
let hostile: TestOrganization;
let victim: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [SqlTools] });
});
beforeEach(async () => {
  hostile = await createOrganization(switchboard, 'Hostile');
  victim = await createOrganization(switchboard, 'Victim');
});
afterAll(() => switchboard.close());

const createContact = async (organization: TestOrganization): Promise<string> => {
  const { value } = await organization.call<{ contact: { id: string } }>('create_contact', {
    email: 'grace@example.com',
    consent: { email: 'granted' },
  });
  return value.contact.id;
};

const sendLater = async (organization: TestOrganization): Promise<string> => {
  const { value, error } = await organization.call<{ message: { id: string } }>('send_message', {
    contact_id: await createContact(organization),
    channel: 'email',
    subject: 'Hello',
    body: 'Hello',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  expect(error).toBeUndefined();
  return value.message.id;
};

const newMessage = (id: string, epoch = 0): string =>
  `insert into messages (organization_id, id, contact_id, channel, direction, body, status, epoch)
   select organization_id, '${id}', id, 'email', 'outbound', 'Hello', 'queued', ${epoch} from contacts limit 1`;
const newImport = (id: string): string =>
  `insert into imports (organization_id, id, name, encoding, delimiter, columns)
   select organization_id, '${id}', 'x', 'utf-8', ',', '[]' from contacts limit 1`;
const newEvent = (id: string): string =>
  `insert into pending_events (organization_id, id, name, payload, xid, happened_at)
   select organization_id, '${id}', 'test', '{}', '1', now() from contacts limit 1`;

describe('SQL of a tool', () => {
  const DUPLICATE = [{ error: expect.stringMatching(/^duplicate key value .*_id_key"$/) }];

  it('cannot reuse the id of a run: the canceled run of another organization does not start again', async () => {
    const { id: workflowId } = await createWorkflow(victim, [...WAIT, ...STEPS]);
    const runId = await trigger(victim, workflowId);
    await runUntil(victim, runId, 'waiting');
    await victim.call('cancel_run', { run_id: runId });
    const before = await getRun(victim, runId);
    await createWorkflow(hostile, STEPS);
    const outcomes = await runSql(
      hostile,
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status)
       select organization_id, '${runId}', id, version, 'manual', '\\x7b7d', 'queued' from workflows limit 1`,
    );
    // When this new run has ended, a worker has claimed all runs that were due before it.
    await runToEnd(victim, (await createWorkflow(victim, STEPS)).id);
    expect(await getRun(victim, runId)).toEqual(before);
    expect(outcomes).toEqual(DUPLICATE);
  });

  it('cannot reuse the id of a workflow: the webhook of another organization still starts its own runs', async () => {
    const { id: workflowId } = await createWorkflow(victim, STEPS);
    await createWorkflow(hostile, STEPS);
    const outcomes = await runSql(
      hostile,
      `insert into workflows
       select (jsonb_populate_record(own, '{"id": "${workflowId}"}')).* from workflows own limit 1`,
    );
    await victim.call('update_workflow', { workflow_id: workflowId, name: 'Changed' });
    const { body } = await postWebhook(switchboard, workflowId, { secret: 'of the victim' });
    expect((await getRun(victim, body.runId)).workflow_id).toBe(workflowId);
    expect(outcomes).toEqual(DUPLICATE);
  });

  it('cannot reuse the id of a message, an import or an event', async () => {
    const messageId = await sendLater(victim);
    const importId = await uploadedImport(victim);
    await switchboard.ownerQuery(
      `insert into pending_events (organization_id, id, name, payload, xid, happened_at, available_at)
       values ($1, 'evt_of_the_victim', 'test', '{}', '1', now(), 'infinity')`,
      [victim.id],
    );
    await createContact(hostile);
    for (const statement of [
      newMessage(messageId),
      newImport(importId),
      newEvent('evt_of_the_victim'),
    ]) {
      expect(await runSql(hostile, statement)).toEqual(DUPLICATE);
    }
  });
});

const LARGEST = 2_147_483_647;

/** Lists statements with values that made the work of all organizations fail in earlier versions. */
const POISON: [name: string, statements: string[]][] = [
  [
    'the largest epoch in queued runs',
    [
      `update workflow_runs set epoch = ${LARGEST}, status = 'queued', delayed_by = null, available_at = '-infinity'`,
    ],
  ],
  [
    'the largest number of crashes',
    [
      `update workflow_runs set crashes = ${LARGEST}, status = 'running', available_at = '-infinity'`,
    ],
  ],
  [
    'a run of a long id that is parked',
    [
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status)
       select organization_id, repeat('x', 100), id, version, 'manual', '\\x7b7d', 'queued' from workflows limit 1`,
      `update workflow_runs set status = 'running', crashes = 2, available_at = '-infinity'
       where id like 'xxx%'`,
    ],
  ],
  [
    'the largest epoch in a schedule',
    [`update workflow_schedules set epoch = ${LARGEST}, available_at = '-infinity'`],
  ],
  ['the largest epoch in a message', [newMessage(`msg_${'0'.repeat(22)}`, LARGEST)]],
  [
    'the largest epoch and number of attempts in an import',
    [
      `update imports set status = 'running', started_at = now(), epoch = ${LARGEST}, attempts = ${LARGEST}`,
    ],
  ],
  [
    'the largest epoch in a retention rule',
    [
      `insert into retention_rules (organization_id, kind, days) select id, 'runs', 30 from (
         select organization_id as id from workflows limit 1) own on conflict do nothing`,
      `update retention_rules set epoch = ${LARGEST}, available_at = '-infinity' where kind = 'runs'`,
    ],
  ],
  [
    'the largest numbers of rows in an import',
    [
      `update imports set status = 'running', failed = ${LARGEST}, duplicate = ${LARGEST},
         processed = ${LARGEST}, size = 9223372036854775807`,
    ],
  ],
];

/** Calls the functions that workers call for all organizations. */
const serveAll = async (): Promise<void> => {
  const parameters = [
    `claim_runs(100, null, 15, '{"wake": true}')`,
    'wake_runs(100)',
    'sweep_run_limits()',
    'claim_schedules(100, null, 15)',
    'claim_messages(100, null, 15)',
    'claim_events(100, null, 15)',
    'claim_imports(100, null, 15)',
    'claim_purge(120)',
    `measure_quotas('${hostile.id}')`,
  ];
  for (const call of parameters) await switchboard.ownerQuery(`select * from gate.${call}`);
};

describe('the work of other organizations', () => {
  it.each(sample(POISON, 8))(
    'continues when SQL of a tool stores %s',
    async (_name, statements) => {
      const { id: workflowId } = await createWorkflow(hostile, WAIT);
      await runUntil(hostile, await trigger(hostile, workflowId), 'waiting');
      await createWorkflow(hostile, STEPS, { trigger: { type: 'schedule', cron: '0 0 1 1 *' } });
      await sendLater(hostile);
      await uploadedImport(hostile);
      const outcomes = await runSql(hostile, ...statements);
      expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
      await serveAll();
      const { id: waiting } = await createWorkflow(victim, [...WAIT, ...STEPS]);
      const runId = await trigger(victim, waiting);
      await runUntil(victim, runId, 'waiting');
      await endWaits(switchboard, runId);
      expect((await runUntil(victim, runId, 'succeeded', 'failed')).status).toBe('succeeded');
    },
  );
});
