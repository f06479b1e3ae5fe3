import { beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { add, rotate, type TestDomain } from './sender.js';

const KEYS_PER_HOUR = 10;
const PARALLEL = 30;

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeEach(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const tryAdd = (domain: string) =>
  acme.call<{ domain: TestDomain }>('add_sender_domain', { domain });
const countKeys = async (): Promise<number> => {
  const rows = await switchboard.ownerQuery('select from sender_keys where organization_id = $1', [
    acme.id,
  ]);
  return rows.length;
};

describe('the keys of sender domains', () => {
  it('are made at most 10 times an hour, and no key is made when none is needed', async () => {
    const first = await add(acme, 'n1.example');
    for (let made = 2; made <= KEYS_PER_HOUR; made += 1) await add(acme, `n${made}.example`);
    const { status, error } = await tryAdd('more.example');
    expect(status).toBe(429);
    expect(error).toMatchObject({
      code: 'rate_limited',
      message: 'An organization makes at most 10 DKIM keys an hour. Try again later.',
    });
    expect(await countKeys()).toBe(KEYS_PER_HOUR);

    // These calls make no key, so the limit does not refuse them: DNS does not have the first key of the domain yet, so
    // this key stays the next key.
    expect(await add(acme, 'N1.example')).toEqual(first);
    const again = await Promise.all(Array.from({ length: PARALLEL }, () => rotate(acme, first.id)));
    for (const domain of again) expect(domain).toEqual(first);
    const unknown = await acme.call('rotate_sender_key', { domain_id: 'snd_unknown' });
    expect(unknown.error?.code).toBe('not_found');
    await switchboard.ownerQuery(
      `insert into sender_domains (organization_id, id, domain, token)
       select $1, 'snd_' || n, 'm' || n || '.example', 'token' from generate_series(1, 41) n`,
      [acme.id],
    );
    expect((await tryAdd('more.example')).error?.code).toBe('conflict');

    const other = await createOrganization(switchboard);
    expect((await add(other, 'n1.example')).keys).toHaveLength(1);
  });

  it('wait in a short queue, and parallel calls are refused while the queue is full', async () => {
    const names = Array.from({ length: PARALLEL }, (_, index) => `p${index}.example`);
    const answers = await Promise.all(names.map(tryAdd));
    const added = answers.filter(({ status }) => status === 200);
    expect(added.length).toBeGreaterThan(0);
    expect(added.length).toBeLessThanOrEqual(KEYS_PER_HOUR);
    expect(await countKeys()).toBe(added.length);
    for (const { error } of answers.filter(({ status }) => status !== 200)) {
      expect(error?.code).toBe('rate_limited');
    }
  });
});
