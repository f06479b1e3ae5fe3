import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAILPOINTS } from '../../src/failpoints/failpoints.js';
import { Stage } from '../failpoints/support/stage.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, createSegment, evaluated, onSegment, tagged } from './segment.js';

const MANY = 40;

describe('workers that compare contacts with segments', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.set();
  });
  afterAll(() => stage.clear());

  const started = async (workflowId: string): Promise<string[]> => {
    const rows = await stage.query<{ contact_id: string }>(
      'select contact_id from workflow_runs where workflow_id = $1 order by contact_id collate "C"',
      workflowId,
    );
    return rows.map(({ contact_id: id }) => id);
  };

  it('emit each event once, although one worker is killed before its commit and two workers continue', async () => {
    const { acme } = stage;
    const dying = await stage.start('worker');
    const segment = await createSegment(acme, { filters: [tagged('vip')] });
    const entered = await onSegment(acme, 'segment.entered', segment.id);
    const left = await onSegment(acme, 'segment.left', segment.id);
    await evaluated(acme, segment.id);
    await dying.arm(FAILPOINTS.FP1b);
    const ids: string[] = [];
    for (let count = 0; count < MANY; count += 1) {
      ids.push(await createContact(acme, { tags: ['vip'] }));
    }
    // The worker has inserted the run of the first event, in the transaction that also stores the member.
    await waitFor(() => dying.held.length > 0);
    await dying.kill();
    expect(await started(entered)).toEqual([]);
    await stage.query('update segment_evaluations set lease_until = now()');
    const workers = [await stage.start('worker'), await stage.start('worker')];
    await waitFor(async () => (await started(entered)).length >= MANY);
    for (const id of ids) {
      await acme.call('update_contact', { contact_id: id, tags: ['vip', 'other'] });
    }
    for (const id of ids) await acme.call('update_contact', { contact_id: id, tags: [] });
    await waitFor(async () => (await started(left)).length >= MANY);
    await waitFor(async () => (await stage.query('select from segment_changes')).length === 0);
    expect(await started(entered)).toEqual(ids.toSorted());
    expect(await started(left)).toEqual(ids.toSorted());
    for (const worker of workers) await worker.stop();
  });
});
