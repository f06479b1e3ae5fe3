import { beforeEach, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { describeSlow, itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { upload } from '../support/uploaded-import.js';
import {
  createContact,
  createSegment,
  evaluated,
  is,
  onSegment,
  settled,
  startedFor,
  tagged,
  type TestSegment,
} from './segment.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeEach(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const setTags = (id: string, tags: string[]) =>
  acme.call('update_contact', { contact_id: id, tags });
const started = (workflowId: string) => startedFor(switchboard, workflowId);
const untilStarted = (workflowId: string, ids: readonly string[]) =>
  waitFor(async () => (await started(workflowId)).length >= ids.length);
/** Changes a contact without starting a comparison. This simulates that time passes, which starts no comparison. */
const writeUnseen = (sql: string) =>
  switchboard.ownerQuery(
    `begin; alter table contacts disable trigger segment_update; ${sql};
     alter table contacts enable trigger segment_update; commit`,
  );
/**
 * Makes one comparison due now: the comparison of all contacts with the segments whose conditions depend on time.
 * Normally, this comparison is due every minute.
 */
const passMinute = () =>
  switchboard.ownerQuery(
    'update segments set sweep_at = now() where organization_id = $1 and sweep_at is not null',
    [acme.id],
  );

describe('segment.entered and segment.left', () => {
  it('start workflows for contacts that enter and leave, but not for the contacts of the baseline', async () => {
    const first = await createContact(acme, { tags: ['vip'] });
    const onAny = await onSegment(acme, 'segment.entered');
    const segment = await createSegment(acme, { filters: [tagged('vip')] });
    const entered = await onSegment(acme, 'segment.entered', segment.id);
    const left = await onSegment(acme, 'segment.left', segment.id);
    expect(await evaluated(acme, segment.id)).toMatchObject({ contacts: 1 });
    const second = await createContact(acme, { tags: ['vip'] });
    await untilStarted(entered, [second]);
    await setTags(first, []);
    await untilStarted(left, [first]);
    await setTags(second, ['vip', 'other']);
    await settled(switchboard, acme);
    expect(await started(entered)).toEqual([second]);
    expect(await started(onAny)).toEqual([second]);
    expect(await started(left)).toEqual([first]);
    const { value } = await acme.call<{ runs: { id: string }[] }>('list_runs', {
      workflow_id: entered,
    });
    const run = await acme.call<{ run: { trigger: { payload: object } } }>('get_run', {
      run_id: value.runs[0]!.id,
    });
    expect(run.value.run.trigger.payload).toMatchObject({
      event: 'segment.entered',
      segment: { id: segment.id, name: segment.name },
      contact: { id: second, tags: ['vip'] },
    });
  });

  itSlow('start only workflows of their segment, or of all segments', async () => {
    const one = await createSegment(acme, { filters: [tagged('one')] });
    const two = await createSegment(acme, { filters: [tagged('two')] });
    const onOne = await onSegment(acme, 'segment.entered', one.id);
    const onAny = await onSegment(acme, 'segment.entered');
    await evaluated(acme, one.id);
    await evaluated(acme, two.id);
    const a = await createContact(acme, { tags: ['one'] });
    const b = await createContact(acme, { tags: ['two'] });
    await untilStarted(onAny, [a, b]);
    expect(await started(onAny)).toEqual([a, b].toSorted());
    expect(await started(onOne)).toEqual([a]);
  });

  itSlow('are emitted when a condition depends on time and time has passed', async () => {
    const segment = await createSegment(acme, {
      filters: [{ not: { field: 'created_at', operator: 'within_days', value: 3 } }],
    });
    const entered = await onSegment(acme, 'segment.entered', segment.id);
    const ada = await createContact(acme);
    await evaluated(acme, segment.id);
    await settled(switchboard, acme);
    await writeUnseen(
      `update contacts set created_at = now() - interval '4 days' where organization_id = '${acme.id}'`,
    );
    await settled(switchboard, acme);
    expect(await started(entered)).toEqual([]);
    await passMinute();
    await untilStarted(entered, [ada]);
    await passMinute();
    await settled(switchboard, acme);
    expect(await started(entered)).toEqual([ada]);
  });

  itSlow('are emitted after a message changes the last activity', async () => {
    const segment = await createSegment(acme, {
      filters: [{ field: 'last_message_at', operator: 'is_set' }],
    });
    const entered = await onSegment(acme, 'segment.entered', segment.id);
    const ada = await createContact(acme);
    await evaluated(acme, segment.id);
    await acme.call('record_message', { contact_id: ada, body: 'Hello', external_id: 'm1' });
    await passMinute();
    await untilStarted(entered, [ada]);
  });

  itSlow(
    'are emitted for static segments in the transaction of the call, and for dynamic segments that name static segments',
    async () => {
      const picked = await createSegment(acme);
      const dynamic = await createSegment(acme, { filters: [is(picked.id), tagged('vip')] });
      const onPicked = await onSegment(acme, 'segment.entered', picked.id);
      const onLeft = await onSegment(acme, 'segment.left', picked.id);
      const onDynamic = await onSegment(acme, 'segment.entered', dynamic.id);
      await evaluated(acme, dynamic.id);
      const ids = [await createContact(acme, { tags: ['vip'] }), await createContact(acme)];
      await acme.call('add_to_segment', { segment_id: picked.id, contact_ids: ids });
      expect(await started(onPicked)).toEqual(ids.toSorted());
      await untilStarted(onDynamic, [ids[0]!]);
      await acme.call('add_to_segment', { segment_id: picked.id, contact_ids: ids });
      await acme.call('remove_from_segment', { segment_id: picked.id, contact_ids: [ids[1]!] });
      await settled(switchboard, acme);
      expect(await started(onPicked)).toEqual(ids.toSorted());
      expect(await started(onLeft)).toEqual([ids[1]]);
      expect(await started(onDynamic)).toEqual([ids[0]]);
    },
  );

  itSlow(
    'are not emitted after a deletion, or after a change of the filters or of a segment in the filters',
    async () => {
      const inner = await createSegment(acme, { filters: [tagged('a')] });
      const outer = await createSegment(acme, { filters: [is(inner.id)] });
      await createContact(acme, { tags: ['a'] });
      const b = await createContact(acme, { tags: ['b'] });
      await evaluated(acme, inner.id);
      await evaluated(acme, outer.id);
      await settled(switchboard, acme);
      const workflows = [
        await onSegment(acme, 'segment.entered'),
        await onSegment(acme, 'segment.left'),
      ];
      await acme.call('update_segment', { segment_id: inner.id, filters: [tagged('b')] });
      const given = { segment_id: outer.id };
      const state = await acme.call<{ segment: TestSegment }>('get_segment', given);
      expect(state.value.segment.is_complete).toBe(false);
      await evaluated(acme, inner.id);
      await evaluated(acme, outer.id);
      const contacts = await switchboard.ownerQuery<{ contact_id: string }>(
        'select contact_id from segment_members where organization_id = $1',
        [acme.id],
      );
      expect(contacts.map(({ contact_id: id }) => id)).toEqual([b, b]);
      await acme.call('delete_contact', { contact_id: b });
      await settled(switchboard, acme);
      expect(await Promise.all(workflows.map(started))).toEqual([[], []]);
    },
  );

  /** Inserts contacts `con_<n>` with the tag, as parts of a large import do that starts no workflows. */
  const INSERT_SILENTLY = `
    insert into contacts (organization_id, id, email, search_text, tags)
    select $1, 'con_' || n, n || '@example.com', n || '@example.com', '{imported}' from generate_series(1, 450) n;
    update segment_changes set silent = true where organization_id = $1`;
  const asOwner = (sql: string) =>
    switchboard.ownerQuery(`begin; ${sql.replaceAll('$1', `'${acme.id}'`)}; commit`);

  it('are not emitted by a comparison of all contacts for the contacts of an import that starts no workflows', async () => {
    const segment = await createSegment(acme, {
      filters: [
        tagged('imported'),
        { field: 'created_at', operator: 'within_days', value: 3 } as object,
      ],
    });
    const entered = await onSegment(acme, 'segment.entered', segment.id);
    await evaluated(acme, segment.id);
    await asOwner(
      `${INSERT_SILENTLY}; update segments set sweep_at = now() where organization_id = $1`,
    );
    await settled(switchboard, acme);
    await passMinute();
    await settled(switchboard, acme);
    expect(await started(entered)).toEqual([]);
  });

  it('are emitted for a contact that an import without workflows changed before another change', async () => {
    const segment = await createSegment(acme, { filters: [tagged('imported')] });
    const entered = await onSegment(acme, 'segment.entered', segment.id);
    await evaluated(acme, segment.id);
    // The change that is not silent is behind more changes than are compared together.
    await asOwner(`${INSERT_SILENTLY};
      insert into segment_changes (organization_id, xid, contact_id) values ($1, '9', 'con_1')`);
    await untilStarted(entered, ['con_1']);
    await settled(switchboard, acme);
    expect(await started(entered)).toEqual(['con_1']);
  });

  itSlow('are emitted for an import only if the import starts workflows', async () => {
    const segment = await createSegment(acme, { filters: [tagged('imported')] });
    const entered = await onSegment(acme, 'segment.entered', segment.id);
    await evaluated(acme, segment.id);
    for (const [email, startsWorkflows] of [
      ['silent@example.com', false],
      ['loud@example.com', true],
    ] as const) {
      const { id } = await upload(acme, `email,tags\n${email},imported\n`);
      await acme.call('start_import', { import_id: id, start_workflows: startsWorkflows });
    }
    await untilStarted(entered, ['loud']);
    await waitFor(async () => {
      const { value } = await acme.call<{ segment: TestSegment }>('get_segment', {
        segment_id: segment.id,
      });
      return value.segment.contacts === 2;
    });
    await settled(switchboard, acme);
    const { value } = await acme.call<{ contact: { id: string } }>('get_contact', {
      email: 'loud@example.com',
    });
    expect(await started(entered)).toEqual([value.contact.id]);
  });
});

describeSlow('a transaction that was open when a segment was created', () => {
  itSlow(
    'adds its contacts to the baseline, and no contact enters the segment before the transaction ends',
    async () => {
      const ada = await createContact(acme, { tags: ['vip'] });
      const ownerUrl = new URL(switchboard.databaseUrl);
      ownerUrl.searchParams.set('host', switchboard.access.host);
      const writer = new Client({ connectionString: ownerUrl.href });
      await writer.connect();
      try {
        await writer.query('begin');
        await writer.query(
          `insert into contacts (organization_id, id, email, search_text, tags)
         values ($1, 'con_open', 'open@example.com', 'open@example.com', '{vip}')`,
          [acme.id],
        );
        const { id } = await createSegment(acme, { filters: [tagged('vip')] });
        // Waits until a worker has begun the first comparison with the new segment.
        await waitFor(async () => {
          const [row] = await switchboard.ownerQuery<{ barrier: string | null }>(
            'select barrier from segments where id = $1',
            [id],
          );
          return row!.barrier !== null;
        });
        const entered = await onSegment(acme, 'segment.entered', id);
        await setTags(ada, ['vip', 'other']);
        await waitFor(async () => {
          const rows = await switchboard.ownerQuery(
            'select from segment_changes where organization_id = $1',
            [acme.id],
          );
          return rows.length === 0;
        });
        await writer.query('commit');
        expect(await evaluated(acme, id)).toMatchObject({ contacts: 2 });
        expect(await started(entered)).toEqual([]);
      } finally {
        await writer.end();
      }
    },
  );
});
