import { beforeAll, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { createContact, merge } from './merged-contacts.js';

let acme: TestOrganization;
beforeAll(async () => {
  acme = await createOrganization(await sharedSwitchboard());
});

it('a merge moves memberships in static segments to the survivor, and undoing the merge moves them back', async () => {
  const segment = async (...contact_ids: string[]) => {
    const name = `Static ${Math.random()}`;
    const { value } = await acme.call<{ segment: { id: string } }>('create_segment', { name });
    const { id } = value.segment;
    const { error } = await acme.call('add_to_segment', { segment_id: id, contact_ids });
    expect(error).toBeUndefined();
    return id;
  };
  const membersOf = async (segment_id: string) =>
    (
      await acme.call<{ contacts: { id: string }[] }>('list_segment_contacts', { segment_id })
    ).value.contacts.map(({ id }) => id);
  const [kept, other] = [await createContact(acme), await createContact(acme)];
  const both = await segment(kept.id, other.id);
  const moved = await segment(other.id);
  await merge(acme, kept.id, other.id);
  expect([await membersOf(both), await membersOf(moved)]).toEqual([[kept.id], [kept.id]]);
  const added = await segment(other.id);
  expect(await membersOf(added)).toEqual([kept.id]);
  const { error } = await acme.call('unmerge_contacts', { merged_id: other.id });
  expect(error).toBeUndefined();
  expect((await membersOf(both)).sort()).toEqual([kept.id, other.id].sort());
  expect(await membersOf(moved)).toEqual([other.id]);
});
