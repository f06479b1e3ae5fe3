import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { ContactPage } from './contact.js';

const is = (field: string, value: unknown) => ({ field, operator: 'equals', value });
const DAY_MS = 86_400_000;

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('set_property', { name: 'cities', type: 'list' });
  const today = new Date().toISOString().slice(0, 10);
  const people = [
    { email: 'a@x.example', tags: ['vip'], properties: { plan: 'pro', seats: 5, renews: today } },
    {
      email: 'b@x.example',
      tags: ['old'],
      properties: { plan: 'pro', seats: 50, cities: ['Rome'] },
    },
    { email: 'c@x.example', properties: { plan: 'free', seats: 500, renews: '2020-02-01' } },
    { email: 'd@x.example', first_name: 'Dora' },
  ];
  for (const person of people) await acme.call('create_contact', person);
  const given = { email: 'a@x.example', channel: 'email', body: 'Hello' };
  await acme.call('record_message', given);
  await acme.call('record_message', { ...given, email: 'b@x.example' });
  await switchboard.ownerQuery(
    `update messages m set created_at = now() - interval '40 days' from contacts c
     where m.organization_id = $1 and c.organization_id = $1 and c.id = m.contact_id and c.email = 'b@x.example'`,
    [acme.id],
  );
});

const find = async (filters: object[]): Promise<string> => {
  const { value, error } = await acme.call<ContactPage>('search_contacts', {
    filters,
    sort: 'email',
  });
  expect(error).toBeUndefined();
  const found = value.contacts.map(({ email }) => email![0]).join('');
  const counted = await acme.call<object>('count_contacts', { filters });
  expect(counted.value).toEqual({ count: found.length, is_complete: true });
  return found;
};

describe('groups of conditions', () => {
  const pro = is('properties.plan', 'pro');
  const vip = { field: 'tags', operator: 'contains', value: 'vip' };
  const old = { field: 'tags', operator: 'in', value: ['old', 'vip'] };

  it.each<[string, object[], string]>([
    ['list', [pro, vip], 'a'],
    ['and', [{ and: [pro, vip] }], 'a'],
    ['or', [{ or: [vip, is('properties.plan', 'free')] }], 'ac'],
    ['not, also of a missing value', [{ not: pro }], 'cd'],
    ['not of not', [{ not: { not: pro } }], 'ab'],
    ['several tags', [old], 'ab'],
    ['or beside a condition', [pro, { or: [vip, is('first_name', 'Dora')] }], 'a'],
    ['or with a condition that no index has', [{ or: [vip, is('first_name', 'Dora')] }], 'ad'],
    ['five levels', [{ and: [{ or: [{ not: { and: [pro] } }] }] }], 'cd'],
  ])('combine conditions: %s', async (_, filters, expected) => {
    expect(await find(filters)).toBe(expected);
  });

  it.each<[string, object]>([
    ['filters[0].and', { and: 'x' }],
    ['filters[0].or', { or: [] }],
    ['filters[0]', { or: [pro], and: [pro] }],
    ['filters[0].not', { not: [pro] }],
    ['filters[0].and[0].field', { and: [{ field: 'x', operator: 'equals', value: 1 }] }],
  ])('are refused with a path: %s', async (path, filter) => {
    const { error } = await acme.call('search_contacts', { filters: [filter] });
    expect(error?.code).toBe('invalid_arguments');
    expect(path.startsWith(error!.details![0]!.path)).toBe(true);
  });

  it('are refused when they have more than five levels or more than 50 conditions', async () => {
    let deep: object = pro;
    for (let level = 0; level < 5; level += 1) deep = { not: deep };
    const tooDeep = await acme.call('search_contacts', { filters: [deep] });
    expect(tooDeep.error?.message).toContain('5 levels');
    const many = { or: Array.from({ length: 51 }, () => pro) };
    const tooMany = await acme.call('search_contacts', { filters: [many] });
    expect(tooMany.error?.message).toContain('50 conditions');
    const most = { or: Array.from({ length: 50 }, () => pro) };
    expect(await find([most])).toBe('ab');
  });
});

describe('conditions about ranges and times', () => {
  const at = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

  it.each<[string, string, unknown, string]>([
    ['properties.seats', 'between', [5, 50], 'ab'],
    ['properties.plan', 'between', ['a', 'g'], 'c'],
    ['properties.renews', 'before', '2021-01-01', 'c'],
    ['properties.renews', 'after', '2021-01-01', 'a'],
    ['properties.renews', 'within_days', 30, 'a'],
    ['properties.seats', 'within_days', 30, ''],
    ['properties.cities', 'contains', 'Rome', 'b'],
    ['properties.cities', 'contains', 'Rom', ''],
    ['created_at', 'between', [at(-1), at(1)], 'abcd'],
    ['created_at', 'before', at(-1), ''],
    ['created_at', 'within_days', 1, 'abcd'],
    ['last_message_at', 'within_days', 30, 'a'],
    ['last_message_at', 'before', at(-30), 'b'],
    ['last_message_at', 'after', at(-50), 'ab'],
    ['last_message_at', 'between', [at(-50), at(-30)], 'b'],
    ['last_activity_at', 'within_days', 30, 'a'],
  ])('find the right contacts: %s %s %j', async (field, operator, value, expected) => {
    expect(await find([{ field, operator, value }])).toBe(expected);
  });

  it('find contacts without any message', async () => {
    expect(await find([{ field: 'last_message_at', operator: 'is_not_set' }])).toBe('cd');
    expect(await find([{ field: 'last_activity_at', operator: 'is_set' }])).toBe('ab');
  });

  it.each([
    ['created_at', 'between', '2026-01-01'],
    ['created_at', 'between', ['2026-01-01']],
    ['created_at', 'within_days', 0],
    ['created_at', 'within_days', '30'],
    ['properties.seats', 'between', [1, 'a']],
    ['email', 'before', '2026-01-01'],
    ['last_message_at', 'equals', '2026-01-01'],
  ])('refuse %s %s %j', async (field, operator, value) => {
    const { error } = await acme.call('search_contacts', { filters: [{ field, operator, value }] });
    expect(error?.code).toBe('invalid_arguments');
  });
});
