import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CredentialLimits } from '../../src/accounts/credential-limits.js';
import { SecurityLog } from '../../src/security/security-log.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';

const HERE = '203.0.113.7';
let counter = 0;

/** Returns an address that no other test uses. */
const newAddress = (): string => {
  counter += 1;
  return `198.51.${counter >> 8}.${counter & 255}`;
};

/** Tries to sign in through the trusted proxy on this machine, which says that the request came from `address`. */
const signIn = async (
  { url }: { url: string },
  email: string,
  password: string,
  address: string,
): Promise<Response> => {
  const response = await postJson(
    `${url}/api/auth/sign-in`,
    { email, password },
    { 'X-Forwarded-For': address },
  );
  // The service saves the session before it ends the response. Without this wait, a test could use the session too
  // early.
  await response.clone().text();
  return response;
};

/** Makes `count` attempts to sign in, and returns their statuses. */
const attempt = async (
  count: number,
  one: (index: number) => Promise<Response>,
): Promise<number[]> => {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await one(index)).status);
  return statuses;
};

describe('the limits of sign-in', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    // With this limit, an account regains an attempt after 30 s and an address after 10 s. Both times are longer than
    // the attempts of a test, even on a slow machine.
    const env = { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8', SIGN_IN_PER_MINUTE: '2' };
    switchboard = await startSwitchboard({ env });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => switchboard.close());

  it('do not let strangers lock out a network address from which the person has already signed in', async () => {
    acme = await createOrganization(switchboard);
    expect((await signIn(switchboard, acme.email, acme.password, HERE)).status).toBe(200);
    const statuses = await attempt(4, () =>
      signIn(switchboard, acme.email, 'a guess', newAddress()),
    );
    expect(statuses).toContain(429);
    expect((await signIn(switchboard, acme.email, acme.password, newAddress())).status).toBe(429);
    expect((await signIn(switchboard, acme.email, acme.password, HERE)).status).toBe(200);
  });

  it('do not let strangers lock out the network address from which the account was created', async () => {
    acme = await createOrganization(switchboard);
    await attempt(4, () => signIn(switchboard, acme.email, 'a guess', newAddress()));
    // The account was created from 127.0.0.1, because the sign-up did not go through the proxy.
    expect((await signIn(switchboard, acme.email, acme.password, '127.0.0.1')).status).toBe(200);
  });

  it('do not let attempts on other accounts use up the attempts of a known address', async () => {
    acme = await createOrganization(switchboard);
    const address = newAddress();
    expect((await signIn(switchboard, acme.email, acme.password, address)).status).toBe(200);
    const others = await attempt(10, (index) =>
      signIn(switchboard, `other${index}@example.com`, 'a guess', address),
    );
    expect(others.at(-1)).toBe(429);
    expect((await signIn(switchboard, acme.email, acme.password, address)).status).toBe(200);
  });

  it('are the same for existing and for unknown accounts', async () => {
    acme = await createOrganization(switchboard);
    const guess = (email: string) => () => signIn(switchboard, email, 'a guess', newAddress());
    const known = await attempt(4, guess(acme.email));
    const unknown = await attempt(4, guess('nobody.at.all@example.com'));
    expect(known).toEqual([401, 401, 429, 429]);
    expect(unknown).toEqual(known);
  });

  it('refuse an address that tries to guess passwords of many accounts, and record a security event', async () => {
    const address = newAddress();
    const guess = (index: number) =>
      signIn(switchboard, `account${index}@example.com`, 'a guess', address);
    expect(new Set(await attempt(6, guess))).toEqual(new Set([401]));
    const report = vi.spyOn(switchboard.app.get(SecurityLog), 'report');
    const refused = await guess(6);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(report.mock.calls).toEqual([['rate_limited', { subject: 'sign_in', address }]]);
  });

  it('count all addresses of an IPv6 network of 64 bits as one', async () => {
    const guess = (index: number) =>
      signIn(
        switchboard,
        `six${index}@example.com`,
        'a guess',
        `2001:db8:1:2:${index.toString(16)}::1`,
      );
    expect((await attempt(7, guess)).at(-1)).toBe(429);
    const neighbour = signIn(switchboard, 'six@example.com', 'a guess', '2001:db8:1:3::1');
    expect((await neighbour).status).toBe(401);
  });

  it('ignore addresses that a client wrote into X-Forwarded-For', async () => {
    const address = newAddress();
    const guess = (index: number) =>
      signIn(
        switchboard,
        `forged${index}@example.com`,
        'a guess',
        `${newAddress()}, ${address}, 10.1.2.3`,
      );
    expect((await attempt(7, guess)).at(-1)).toBe(429);
  });

  itSlow(
    'keep a bounded number of rows, and first drop the buckets that will be full soonest',
    async () => {
      await switchboard.ownerQuery(
        `insert into gate.token_buckets (id, full_at)
       select sha256(i::text::bytea), now() + make_interval(secs => 3600 + i)
       from generate_series(1, 100500) i`,
      );
      await switchboard.ownerQuery(
        `insert into gate.token_buckets (id, full_at) values ('full', now() - interval '1 second')`,
      );
      await switchboard.app.get(CredentialLimits).purge();
      const [row] = await switchboard.ownerQuery<{ count: number; soonest: number }>(
        `select count(*)::integer, extract(epoch from min(full_at) - now())::float8 as soonest
       from gate.token_buckets`,
      );
      expect(row!.count).toBe(100_000);
      expect(row!.soonest).toBeGreaterThan(3600);
      await switchboard.ownerQuery('truncate gate.token_buckets');
    },
  );

  it('remember at most twenty addresses of an account', async () => {
    acme = await createOrganization(switchboard);
    for (let index = 0; index < 25; index += 1) {
      // Deletes the counts of attempts. Otherwise, the limit of the account would refuse the later attempts.
      await switchboard.ownerQuery('truncate gate.token_buckets');
      await signIn(switchboard, acme.email, acme.password, newAddress());
    }
    const rows = await switchboard.ownerQuery(
      'select from gate.known_addresses where user_id = $1',
      [acme.userId],
    );
    expect(rows).toHaveLength(20);
  });
});

describe('without a trusted proxy', () => {
  let switchboard: Switchboard;

  beforeAll(async () => {
    switchboard = await startSwitchboard({
      env: { SIGN_UP_PER_HOUR: '5', KEYS_PER_HOUR: '3', SIGN_IN_PER_MINUTE: '2' },
    });
  });
  afterAll(() => switchboard.close());

  it('a forged X-Forwarded-For does not change the address of a client', async () => {
    const guess = (index: number) =>
      signIn(switchboard, `direct${index}@example.com`, 'a guess', newAddress());
    expect((await attempt(7, guess)).at(-1)).toBe(429);
  });

  it('an address can create a limited number of accounts, and an organization a limited number of keys', async () => {
    const acme = await createOrganization(switchboard);
    const create = () => acme.fetch('/api/mcp/keys', { method: 'POST' });
    expect(await attempt(3, create)).toEqual([201, 201, 429]);
    const refusedKey = await create();
    expect(Number(refusedKey.headers.get('retry-after'))).toBeGreaterThan(0);
    // A refused creation of a key does not revoke the existing key.
    const keys = (await (await acme.fetch('/api/mcp/keys')).json()) as { key: object | null };
    expect(keys.key).not.toBeNull();
    const signUp = (index: number) =>
      postJson(
        `${switchboard.url}/api/auth/sign-up`,
        {
          email: `new${index}@example.com`,
          password: 'a long enough password',
          organization_name: 'New',
        },
        { 'X-Forwarded-For': newAddress() },
      );
    expect(await attempt(5, signUp)).toEqual([201, 201, 201, 201, 429]);
    const refused = await signUp(9);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  });
});
