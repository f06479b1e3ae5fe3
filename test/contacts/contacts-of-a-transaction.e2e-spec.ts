import { beforeAll, describe, expect, it } from 'vitest';
import type { Contact } from '../../src/contacts/contact.entity.js';
import { ContactsService } from '../../src/contacts/contacts.service.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';

const EMAIL = 'ada@example.com';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let tenants: TenantDatabase;
let contacts: ContactsService;
let id: string;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  tenants = switchboard.app.get(TenantDatabase, { strict: false });
  contacts = switchboard.app.get(ContactsService, { strict: false });
  acme = await createOrganization(switchboard);
  const created = await acme.call<{ contact: { id: string } }>('create_contact', {
    email: EMAIL,
    first_name: 'Ada',
    tags: ['new'],
  });
  id = created.value.contact.id;
});

const within = <T>(work: () => Promise<T>): Promise<T> => tenants.transaction(acme.id, work);
const find = async (): Promise<Contact> => (await contacts.find(acme.id, id))!;
const rename = (name: string): Promise<unknown> =>
  tenants.session(acme.id).query(`update contacts set first_name = $2 where id = $1`, [id, name]);

describe('a contact that is read again in one transaction', () => {
  it('has the changes of the transaction', async () => {
    await within(async () => {
      expect(await contacts.findByEmail(acme.id, EMAIL)).toMatchObject({ firstName: 'Ada' });
      await rename('Augusta');
      expect(await find()).toMatchObject({ firstName: 'Augusta' });
      await contacts.update(acme.id, id, { lastName: 'King' }, 'test');
      expect(await find()).toMatchObject({ firstName: 'Augusta', lastName: 'King' });
    });
  });

  it('does not have changes that were rolled back', async () => {
    await within(async () => {
      const { firstName } = await find();
      const undone = tenants.savepoint(acme.id, async () => {
        await rename('Nobody');
        expect(await find()).toMatchObject({ firstName: 'Nobody' });
        throw new Error('undo');
      });
      await expect(undone).rejects.toThrow('undo');
      expect(await find()).toMatchObject({ firstName });
    });
  });

  it('is not found once it is deleted', async () => {
    const undone = within(async () => {
      await find();
      await contacts.delete(acme.id, id);
      expect(await contacts.find(acme.id, id)).toBeNull();
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
  });

  it('is a new object each time', async () => {
    await within(async () => {
      const first = await find();
      first.firstName = 'Somebody';
      first.tags.push('mine');
      Object.assign(first.properties, { mine: true });
      const second = await find();
      expect(second).not.toBe(first);
      expect(second).toMatchObject({ tags: ['new'], properties: {} });
      second.tags.push('mine too');
      expect((await find()).tags).toEqual(['new']);
    });
  });

  it('is not found in another organization', async () => {
    const other = await createOrganization(switchboard);
    await within(find);
    await tenants.transaction(other.id, async () => {
      expect(await contacts.find(other.id, id)).toBeNull();
    });
  });
});
