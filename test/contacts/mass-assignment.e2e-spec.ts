import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let other: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  other = await createOrganization(switchboard);
});

const FOREIGN_KEYS = [
  'organization_id',
  'organizationId',
  'id',
  'created_at',
  'createdAt',
  'updated_at',
  'search_text',
  'searchText',
  'externalId',
  'constructor',
  'prototype',
  'toString',
  '__proto__',
];

describe('arguments for internal fields', () => {
  it.each(FOREIGN_KEYS)('are rejected: %s', async (key) => {
    const { value } = await acme.call<ContactResult>('create_contact', {
      external_id: `target ${key}`,
    });
    const target = value.contact;
    // A computed key makes __proto__ a property in the JSON instead of the prototype of the object.
    const extra = { [key]: other.id };
    const calls = [
      ['create_contact', { external_id: `new ${key}`, ...extra }],
      ['create_contact', { external_id: target.external_id, on_conflict: 'update', ...extra }],
      ['update_contact', { contact_id: target.id, ...extra }],
      ['get_contact', { contact_id: target.id, ...extra }],
      ['delete_contact', { contact_id: target.id, ...extra }],
      ['search_contacts', { ...extra }],
    ] as const;
    for (const [tool, given] of calls) {
      const body = JSON.stringify(given);
      expect(body, 'the test sends what it means to').toContain(`"${key}":`);
      const { error } = await acme.call(tool, given);
      expect(error?.code, `${tool} ${body}`).toBe('invalid_arguments');
      expect(JSON.stringify(error), tool).toContain(key);
    }
    const got = await acme.call<ContactResult>('get_contact', { contact_id: target.id });
    expect(got.value.contact).toEqual(target);
  });

  it('create no row in the other organization', async () => {
    const rows = await switchboard.ownerQuery('select from contacts where organization_id = $1', [
      other.id,
    ]);
    expect(rows).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
