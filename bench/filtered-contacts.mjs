// Defines the searches with conditions, and the contacts that they find. Each group of contacts has a separate account,
// tag and static segment, so the number of matches does not grow with the contacts.
import { contactOf } from './contacts.mjs';

const GROUP = 5;
const PAGE = 20;
const TURNS = 8;
/**
 * Returns the name of the static segment of a group. `prepare` of the contest creates this segment in both contestants.
 */
export const segmentName = (group) => `Group ${group}`;

/** Returns the contact with the account and the tag of its group. */
export function groupedContact(organization, number) {
  const contact = contactOf(organization, number);
  const group = Math.floor(number / GROUP);
  return {
    ...contact,
    tags: [...contact.tags, `batch-${group}`],
    properties: { ...contact.properties, account: `acc-${group}` },
  };
}

/** Returns the numbers of the groups that the benchmark searches for. They are evenly spread over all groups. */
export function searchedGroups(count) {
  const groups = Math.floor(count / GROUP);
  return Array.from({ length: TURNS }, (_, index) => Math.floor(((index + 0.5) * groups) / TURNS));
}

/** Returns the contacts of a group, the newest first. */
export function membersOf(group) {
  return Array.from({ length: GROUP }, (_, index) =>
    groupedContact(0, (group + 1) * GROUP - 1 - index),
  );
}

const equals = (name, value) => ({ field: `properties.${name}`, operator: 'equals', value });
const perGroup =
  (filtersOf, isMatch = () => true) =>
  (count) =>
    searchedGroups(count).map((group) => ({
      filters: filtersOf(group),
      contacts: membersOf(group).filter(isMatch),
      isAll: true,
    }));
const nobody = (filters) => () => [{ filters, contacts: [], isAll: true }];

export const FILTERS = {
  'filter-two': perGroup(
    (group) => [equals('plan', 'free'), equals('account', `acc-${group}`)],
    ({ properties }) => properties.plan === 'free',
  ),
  'filter-two-none': nobody([equals('plan', 'free'), equals('account', 'acc-none')]),
  'filter-tag': perGroup((group) => [
    { field: 'tags', operator: 'contains', value: `batch-${group}` },
  ]),
  'filter-tag-none': nobody([{ field: 'tags', operator: 'contains', value: 'batch-none' }]),
  'filter-segment': perGroup((group) => [
    { field: 'segment', operator: 'is', value: segmentName(group) },
  ]),
  'filter-segment-none': nobody([{ field: 'segment', operator: 'is', value: 'Empty' }]),
  'filter-many': (count) => [
    {
      filters: [equals('plan', 'free'), { field: 'tags', operator: 'contains', value: 'customer' }],
      contacts: Array.from({ length: 2 * PAGE }, (_, index) => groupedContact(0, count - 1 - index))
        .filter(({ properties }) => properties.plan === 'free')
        .slice(0, PAGE),
      isAll: false,
    },
  ],
};
