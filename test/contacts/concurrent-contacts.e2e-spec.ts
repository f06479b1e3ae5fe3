import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import type { ContactResult } from './contact.js';

const CALLERS = 25;

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

describe('contacts under concurrent calls', () => {
  it('one of several creations with the same e-mail succeeds, and the others fail with the code conflict', async () => {
    const outcomes = await atOnce((index) =>
      acme.call<ContactResult>('create_contact', {
        email: index % 2 ? 'race@example.com' : 'RACE@example.com',
        first_name: `${index}`,
      }),
    );
    expect(outcomes.filter(({ value }) => value?.created)).toHaveLength(1);
    const losers = outcomes.filter(({ error }) => error);
    expect(losers).toHaveLength(CALLERS - 1);
    for (const { error } of losers) expect(error?.code).toBe('conflict');
    expect(await countOf('race@example.com')).toBe(1);
  });

  it('no change is lost among upserts of one contact', async () => {
    const outcomes = await atOnce((index) =>
      acme.call<ContactResult>('create_contact', {
        email: 'upsert@example.com',
        properties: { [`p${index}`]: index },
        on_conflict: 'update',
      }),
    );
    expect(outcomes.filter(({ value }) => value?.created)).toHaveLength(1);
    expect(outcomes.filter(({ error }) => error)).toEqual([]);
    const { value } = await acme.call<ContactResult>('get_contact', {
      email: 'upsert@example.com',
    });
    expect(Object.keys(value.contact.properties)).toHaveLength(CALLERS);
  });

  itSlow(
    'one of several updates to the same phone succeeds, and the others fail with the code conflict',
    async () => {
      const contacts = await atOnce((index) =>
        acme.call<ContactResult>('create_contact', { external_id: `race-${index}` }),
      );
      const outcomes = await atOnce((index) =>
        acme.call<ContactResult>('update_contact', {
          contact_id: contacts[index]!.value.contact.id,
          phone: '+12025559999',
        }),
      );
      expect(outcomes.filter(({ value }) => value)).toHaveLength(1);
      for (const { error } of outcomes.filter(({ value }) => !value)) {
        expect(error).toMatchObject({ code: 'conflict', details: [{ path: 'phone' }] });
      }
    },
  );

  itSlow('creations and deletions with one address cause no internal error', async () => {
    const outcomes = await atOnce(async (index) => {
      const outcome = await acme.call<ContactResult>('create_contact', {
        email: 'churn@example.com',
        on_conflict: index % 3 ? 'update' : 'error',
      });
      if (!outcome.value) return outcome.error?.code;
      const gone = await acme.call('delete_contact', { contact_id: outcome.value.contact.id });
      return gone.error?.code ?? 'deleted';
    });
    for (const outcome of outcomes) expect(['conflict', 'deleted', 'not_found']).toContain(outcome);
    expect(await countOf('churn@example.com')).toBe(0);
  });
});

function atOnce<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CALLERS }, (_, index) => call(index)));
}

async function countOf(email: string): Promise<number> {
  const rows = await switchboard.ownerQuery('select from contacts where lower(email) = $1', [
    email,
  ]);
  return rows.length;
}
