import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import {
  createContact,
  createSegment,
  evaluated,
  found,
  is,
  isNot,
  onSegment,
  tagged,
  type TestSegment,
} from './segment.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

describe('a static segment', () => {
  it('has the contacts that were added and not removed', async () => {
    const [ada, grace, alan] = [
      await createContact(acme),
      await createContact(acme),
      await createContact(acme),
    ];
    const { id, kind } = await createSegment(acme);
    expect(kind).toBe('static');
    const add = await acme.call('add_to_segment', {
      segment_id: id,
      contact_ids: [ada, grace, 'con_unknown', ada],
    });
    expect(add.value).toEqual({ added: 2, unknown: ['con_unknown'] });
    const again = await acme.call('add_to_segment', { segment_id: id, contact_ids: [ada, alan] });
    expect(again.value).toEqual({ added: 1, unknown: [] });
    const removed = await acme.call('remove_from_segment', {
      segment_id: id,
      contact_ids: [grace, 'con_other'],
    });
    expect(removed.value).toEqual({ removed: 1, unknown: ['con_other'] });
    expect(await found(acme, [is(id)])).toEqual([ada, alan].toSorted());
    const { value } = await acme.call<{ segment: TestSegment }>('get_segment', { segment_id: id });
    expect(value.segment).toMatchObject({ contacts: 2, is_complete: true, filters: null });
  });

  it('loses a contact that is deleted', async () => {
    const ada = await createContact(acme);
    const { id } = await createSegment(acme);
    await acme.call('add_to_segment', { segment_id: id, contact_ids: [ada] });
    await acme.call('delete_contact', { contact_id: ada });
    const { value } = await acme.call<{ contacts: object[] }>('list_segment_contacts', {
      segment_id: id,
    });
    expect(value.contacts).toEqual([]);
  });

  it('is listed in pages', async () => {
    const { id } = await createSegment(acme);
    const ids = [await createContact(acme), await createContact(acme), await createContact(acme)];
    await acme.call('add_to_segment', { segment_id: id, contact_ids: ids });
    const listed: string[] = [];
    let cursor: string | null | undefined;
    do {
      const given = { segment_id: id, limit: 2, ...(cursor && { cursor }) };
      const { value } = await acme.call<{
        contacts: { id: string }[];
        next_cursor: string | null;
      }>('list_segment_contacts', given);
      listed.push(...value.contacts.map((contact) => contact.id));
      cursor = value.next_cursor;
    } while (cursor);
    expect(listed).toEqual(ids.toReversed());
  });

  it('has no filters', async () => {
    const { id } = await createSegment(acme);
    const { error } = await acme.call('update_segment', { segment_id: id, filters: [tagged('x')] });
    expect(error).toMatchObject({ code: 'conflict' });
  });
});

describe('a dynamic segment', () => {
  it('has the contacts that match at the time of the search', async () => {
    const { id, name } = await createSegment(acme, { filters: [tagged('dynamic')] });
    const ada = await createContact(acme, { tags: ['dynamic'] });
    const grace = await createContact(acme);
    expect(await found(acme, [is(id)])).toEqual([ada]);
    expect(await found(acme, [is(name)])).toEqual([ada]);
    await acme.call('update_contact', { contact_id: grace, tags: ['dynamic'] });
    expect(await found(acme, [is(id)])).toEqual([ada, grace].toSorted());
    await acme.call('update_contact', { contact_id: ada, tags: [] });
    expect(await found(acme, [is(id)])).toEqual([grace]);
    expect(await found(acme, [isNot(id), { field: 'email', operator: 'is_set' }])).toContain(ada);
  });

  it('can be named in groups and by other segments', async () => {
    const vip = await createSegment(acme, { filters: [tagged('named_vip')] });
    const picked = await createSegment(acme);
    const both = await createSegment(acme, {
      name: 'Both of them',
      filters: [{ or: [is(vip.name), { and: [is(picked.id)] }] }, { not: isNot(vip.id) }],
    });
    expect(both.filters).toEqual([
      { or: [is(vip.id), { and: [is(picked.id)] }] },
      { not: isNot(vip.id) },
    ]);
    const ada = await createContact(acme, { tags: ['named_vip'] });
    const grace = await createContact(acme);
    await acme.call('add_to_segment', { segment_id: picked.id, contact_ids: [ada, grace] });
    expect(await found(acme, [is('Both of them')])).toEqual([ada]);
    await acme.call('update_segment', { segment_id: vip.id, name: 'Very important' });
    expect(await found(acme, [is(both.id), is('Very important')])).toEqual([ada]);
  });

  it('is counted with the contacts of its last comparison', async () => {
    const ids = [
      await createContact(acme, { tags: ['counted'] }),
      await createContact(acme, { tags: ['counted'] }),
    ];
    const { id } = await createSegment(acme, { filters: [tagged('counted')] });
    expect(await evaluated(acme, id)).toMatchObject({ contacts: ids.length });
    const { value } = await acme.call<{ segments: TestSegment[] }>('list_segments');
    expect(value.segments.find((segment) => segment.id === id)).toMatchObject({ contacts: 2 });
  });

  it('refuses calls that add or remove single contacts', async () => {
    const { id } = await createSegment(acme, { filters: [tagged('x')] });
    const given = { segment_id: id, contact_ids: ['con_1'] };
    expect((await acme.call('add_to_segment', given)).error?.code).toBe('conflict');
    expect((await acme.call('remove_from_segment', given)).error?.code).toBe('conflict');
  });
});

describe('filters of segments', () => {
  it('cannot name each other in a circle', async () => {
    const first = await createSegment(acme, { name: 'Circle 1', filters: [tagged('x')] });
    const second = await createSegment(acme, { filters: [is(first.id)] });
    const third = await createSegment(acme, { filters: [{ not: is(second.id) }] });
    for (const target of [first, second, third]) {
      const { error } = await acme.call('update_segment', {
        segment_id: first.id,
        filters: [{ or: [tagged('x'), is(target.id)] }],
      });
      expect(error).toMatchObject({ code: 'invalid_arguments' });
      expect(error!.message).toContain('in a circle');
    }
  });

  it('can name each other up to three levels deep, also after a later change', async () => {
    const [a, b, c, d] = [
      await createSegment(acme, { filters: [tagged('deep')] }),
      await createSegment(acme, { filters: [tagged('deep')] }),
      await createSegment(acme, { filters: [tagged('deep')] }),
      await createSegment(acme, { filters: [tagged('deep')] }),
    ];
    const name = (segment: TestSegment, other: TestSegment) =>
      acme.call('update_segment', { segment_id: segment.id, filters: [is(other.id)] });
    expect((await name(a, b)).error).toBeUndefined();
    expect((await name(b, c)).error).toBeUndefined();
    const ada = await createContact(acme, { tags: ['deep'] });
    expect(await found(acme, [is(a.id)])).toEqual([ada]);
    expect((await name(c, d)).error?.message).toContain('more than 3 levels');
    expect(await found(acme, [is(a.id)])).toEqual([ada]);
  });

  it('have at most 200 conditions, including the conditions of the segments that they name', async () => {
    const many = Array.from({ length: 50 }, () => tagged('x'));
    const { id } = await createSegment(acme, { filters: many });
    const { error } = await acme.call('search_contacts', {
      filters: Array.from({ length: 50 }, () => is(id)),
    });
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(error!.message).toContain('200');
  });

  it.each([
    [[{ field: 'segment', operator: 'is', value: 'No such segment' }], 'does not exist'],
    [[{ field: 'segment', operator: 'is', value: { id: 'x' } }], 'must be text'],
    [[{ field: 'segment', operator: 'is', value: ['x'] }], 'must be text'],
    [[{ field: 'segment', operator: 'is' }], 'must be text'],
    [[{ field: 'segment', operator: 'equals', value: 'x' }], 'must be one of is, is_not'],
    [[{ field: 'email', operator: 'is', value: 'x' }], 'must be one of equals'],
    [[{ field: "segment') or true --", operator: 'is', value: 'x' }], 'must be one of'],
    [[{ field: 'segment', operator: 'is', value: "x' or 'a' = 'a" }], 'does not exist'],
  ])('are refused when they are %j', async (filters, message) => {
    for (const [tool, given] of [
      ['search_contacts', { filters }],
      ['create_segment', { name: 'Hostile', filters }],
    ] as const) {
      const { error } = await acme.call(tool, given);
      expect(error?.code).toBe('invalid_arguments');
      expect(error?.message).toContain(message);
    }
  });

  it('never name a segment of another organization', async () => {
    const other = await createOrganization(switchboard);
    const theirs = await createSegment(other, { name: 'Theirs', filters: [tagged('x')] });
    const picked = await createSegment(other);
    const contact = await createContact(other, { tags: ['x'] });
    await other.call('add_to_segment', { segment_id: picked.id, contact_ids: [contact] });
    for (const value of [theirs.id, 'Theirs', picked.id]) {
      const { error } = await acme.call('search_contacts', { filters: [is(value)] });
      expect(error?.message).toContain('does not exist');
    }
    const own = await createSegment(acme);
    const { value } = await acme.call('add_to_segment', {
      segment_id: own.id,
      contact_ids: [contact],
    });
    expect(value).toEqual({ added: 0, unknown: [contact] });
    const trigger = { type: 'event', event: 'segment.entered', segment: theirs.id };
    const { error } = await acme.call('create_workflow', { name: 'x', trigger, steps: [] });
    expect(error?.message).toContain('trigger.segment must be the id of a segment');
  });
});

describe('delete_segment', () => {
  it('is refused while a segment or a trigger of a workflow uses the segment', async () => {
    const used = await createSegment(acme, { filters: [tagged('x')] });
    const user = await createSegment(acme, { name: 'User', filters: [is(used.id)] });
    const workflowId = await onSegment(acme, 'segment.left', used.id);
    const remove = () => acme.call('delete_segment', { segment_id: used.id });
    expect((await remove()).error?.message).toMatch(/the segment "User", the workflow "segment/);
    await acme.call('delete_segment', { segment_id: user.id });
    expect((await remove()).error?.code).toBe('conflict');
    await acme.call('delete_workflow', { workflow_id: workflowId });
    expect((await remove()).value).toEqual({ deleted: true });
    expect((await remove()).error?.code).toBe('not_found');
  });
});

describe('create_segment', () => {
  it('refuses a name that another segment has, and names that look like ids', async () => {
    await createSegment(acme, { name: 'Twice' });
    const twice = await acme.call('create_segment', { name: ' Twice ' });
    expect(twice.error).toMatchObject({ code: 'conflict' });
    const id = await acme.call('create_segment', { name: 'seg_x' });
    expect(id.error).toMatchObject({ code: 'invalid_arguments' });
  });

  it('refuses more than 100 segments', async () => {
    const full = await createOrganization(switchboard);
    await switchboard.ownerQuery(
      `insert into segments (organization_id, id, name, kind, baseline)
       select $1, 'seg_' || n, 'Segment ' || n, 'static', false from generate_series(1, 100) n`,
      [full.id],
    );
    const { error } = await full.call('create_segment', { name: 'One more' });
    expect(error).toMatchObject({ code: 'conflict' });
    expect(error!.message).toContain('At most 100');
  });
});
