import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { createSegment, tagged } from '../segments/segment.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { uploadedImport } from '../support/uploaded-import.js';
import { createWorkflow, trigger } from '../workflows/support/workflow-client.js';

/** No worker runs, so rows stay as the tests write them. */
let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());
beforeEach(async () => {
  for (const table of [
    'public.workflows',
    'public.workflow_runs',
    'public.workflow_schedules',
    'public.messages',
    'public.pending_events',
    'public.imports',
    'public.segment_changes',
    'public.segments',
    'private.audit_queue',
  ]) {
    await switchboard.ownerQuery(`delete from ${table}`);
  }
});

async function findDueWork(): Promise<string[]> {
  const gate = switchboard.app.get(GateDatabase);
  const [row] = await gate.call<{ find_due_work: string[] }>('find_due_work', []);
  return row!.find_due_work;
}

/** Removes the rows that the calls of the preparation have stored. */
const forgetEntries = () => switchboard.ownerQuery('delete from private.audit_queue');

describe('the kinds of work that workers look for', () => {
  it('are empty while no row is due', async () => {
    expect(await findDueWork()).toEqual([]);
  });

  it.each([
    ['is queued', `status = 'queued'`, ['run']],
    [
      'was left by a dead worker',
      `status = 'running', available_at = now() - interval '1 second'`,
      ['run'],
    ],
    ['is executed', `status = 'running', available_at = now() + interval '9 seconds'`, []],
    [
      'has waited long enough',
      `status = 'waiting', available_at = now() - interval '1 second'`,
      ['run'],
    ],
    ['waits', `status = 'waiting', available_at = now() + interval '9 seconds'`, []],
    [
      'was delayed until now',
      `delayed_by = 'rate', delayed_until = now() - interval '1 second'`,
      ['run'],
    ],
    ['is delayed', `delayed_by = 'rate', delayed_until = now() + interval '9 seconds'`, []],
    ['has ended', `status = 'succeeded', finished_at = now()`, []],
    ['is parked', `status = 'failed', reason = 'poison', finished_at = now()`, ['parked run']],
  ])('include exactly the due work of a run that %s', async (_what, change, kinds) => {
    const { id } = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    const runId = await trigger(acme, id);
    await forgetEntries();
    await switchboard.ownerQuery(`update workflow_runs set ${change} where id = $1`, [runId]);
    expect(await findDueWork()).toEqual(kinds);
  });

  it('include `message` while a message is due', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'message@example.com',
    });
    const given = { contact_id: value.contact.id, subject: 'Hello', body: 'Hello.' };
    expect((await acme.call('send_message', given)).error).toBeUndefined();
    await switchboard.ownerQuery('delete from pending_events');
    await switchboard.ownerQuery('delete from segment_changes');
    await forgetEntries();
    expect(await findDueWork()).toEqual(['message']);
    await switchboard.ownerQuery(`update messages set status = 'sent'`);
    expect(await findDueWork()).toEqual([]);
  });

  it('include `schedule` when a schedule is due', async () => {
    await createWorkflow(acme, [], { trigger: { type: 'schedule', cron: '0 0 1 1 *' } });
    await forgetEntries();
    expect(await findDueWork()).toEqual([]);
    await switchboard.ownerQuery('update workflow_schedules set available_at = now()');
    expect(await findDueWork()).toEqual(['schedule']);
  });

  it('include `event` while an event is due that no worker has claimed', async () => {
    await switchboard.ownerQuery(
      `insert into pending_events (organization_id, id, name, payload, xid, happened_at)
       values ($1, 'evt_due', 'contact.created', '{}', '1', now())`,
      [acme.id],
    );
    expect(await findDueWork()).toEqual(['event']);
    await switchboard.ownerQuery(`update pending_events set available_at = now() + interval '9 s'`);
    expect(await findDueWork()).toEqual([]);
  });

  it('include `import` while an import runs', async () => {
    const id = await uploadedImport(acme);
    await forgetEntries();
    expect(await findDueWork()).toEqual([]);
    await switchboard.ownerQuery(`update imports set status = 'running' where id = $1`, [id]);
    expect(await findDueWork()).toEqual(['import']);
  });

  it('include `segment` while contacts may enter a segment, or while the comparison of a segment is due', async () => {
    await createSegment(acme, { filters: [tagged('vip')] });
    await switchboard.ownerQuery('delete from segment_changes');
    await switchboard.ownerQuery('update segments set sweep_at = null');
    await forgetEntries();
    expect(await findDueWork()).toEqual([]);
    await switchboard.ownerQuery('update segments set sweep_at = now()');
    expect(await findDueWork()).toEqual(['segment']);
    await switchboard.ownerQuery('update segments set sweep_at = null');
    await acme.call('create_contact', { email: 'segment@example.com', tags: ['vip'] });
    await switchboard.ownerQuery('delete from pending_events');
    await forgetEntries();
    expect(await findDueWork()).toEqual(['segment']);
  });

  it('include `audit entry` while entries of the audit log are not chained', async () => {
    await acme.call('create_contact', { email: 'audit@example.com' });
    await switchboard.ownerQuery('delete from pending_events');
    await switchboard.ownerQuery('delete from segment_changes');
    expect(await findDueWork()).toEqual(['audit entry']);
  });
});
