import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useRealCosts } from '../support/argon2.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { postJson } from '../support/post-json.js';
import { describeSlow, itSlow } from '../support/thorough.js';

const VALID = {
  email: 'ada@example.com',
  password: 'a long enough password',
  organization_name: 'Analytical Engines',
};

/** Returns a JSON object with this number of members. */
const namesOf = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1])));

describe('POST /api/auth/sign-up', () => {
  let switchboard: Switchboard;
  const signUp = (body: unknown, headers?: Record<string, string>) =>
    postJson(`${switchboard.url}/api/auth/sign-up`, body, headers);

  beforeAll(async () => {
    useRealCosts(true);
    switchboard = await startSwitchboard();
  });
  afterAll(() => switchboard.close());

  it('creates the organization and its owner, and starts a session', async () => {
    const response = await signUp(VALID);
    expect(response.status).toBe(201);
    const body = (await response.json()) as Record<string, { id: string }>;
    expect(body).toEqual({
      user: { id: expect.stringMatching(/^usr_/), email: VALID.email },
      organization: { id: expect.stringMatching(/^org_/), name: VALID.organization_name },
    });
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^switchboard=/);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; Path=\//);
    const session = await fetch(`${switchboard.url}/api/auth/session`, {
      headers: { Cookie: cookie.split(';')[0]! },
    });
    expect(await session.json()).toEqual(body);
  });

  it('refuses a lone surrogate in the address', async () => {
    const response = await signUp({ ...VALID, email: 'a\ud800@example.com' });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ path: 'email' }] });
  });

  it('stores neither the password nor the id of the session', async () => {
    const response = await signUp({ ...VALID, email: 'kept@example.com' });
    const cookie = decodeURIComponent(response.headers.getSetCookie()[0]!.split(/[=;]/)[1]!);
    const sessionId = cookie.slice('s:'.length).split('.')[0]!;
    expect(sessionId.length).toBeGreaterThanOrEqual(43);
    const rows = await switchboard.ownerQuery(
      `select sid || sess::text as kept from gate.sessions union all select users::text from gate.users`,
    );
    const kept = JSON.stringify(rows);
    expect(kept).not.toContain(sessionId);
    expect(kept).not.toContain(VALID.password);
    expect(kept).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
  });

  it('refuses an address that has an account, in upper or lower case', async () => {
    await signUp({ ...VALID, email: 'twice@example.com' });
    const response = await signUp({ ...VALID, email: 'TWICE@example.com' });
    expect(response.status).toBe(409);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'email_taken', status: 409 });
  });

  itSlow('creates one account for twenty simultaneous sign-ups with one address', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => signUp({ ...VALID, email: 'race@example.com' })),
    );
    const statuses = responses.map((response) => response.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it.each([
    ['no body', undefined, 422],
    ['an array', [], 422],
    ['no e-mail', { ...VALID, email: undefined }, 422],
    ['no address', { ...VALID, email: 'nobody' }, 422],
    [
      'an address with a line break',
      { ...VALID, email: 'a@example.com\r\nBcc: b@example.com' },
      422,
    ],
    ['an address with an invisible character', { ...VALID, email: 'a\u200bda@example.com' }, 422],
    ['an address with a decomposed letter', { ...VALID, email: 'u\u0308mit@example.com' }, 422],
    ['an address with a Kelvin sign', { ...VALID, email: '\u212aelvin@example.com' }, 422],
    ['an e-mail object', { ...VALID, email: { $ne: '' } }, 422],
    ['a short password', { ...VALID, password: 'short' }, 422],
    ['an endless password', { ...VALID, password: 'x'.repeat(2000) }, 422],
    ['an empty name', { ...VALID, organization_name: ' ' }, 422],
    ['a name with U+0000', { ...VALID, organization_name: 'a\0b' }, 422],
    ['a name with a lone surrogate', { ...VALID, organization_name: 'a\ud800b' }, 422],
    ['an unknown field', { ...VALID, role: 'admin' }, 422],
    ['an id', { ...VALID, id: 'usr_1' }, 422],
    ['no JSON', '{"email":', 400],
    ['a scalar', '5', 422],
    ['a deep body', '['.repeat(70) + ']'.repeat(70), 400],
    ['a large body', JSON.stringify({ ...VALID, organization_name: 'x'.repeat(20_000) }), 413],
  ])('refuses %s', async (_case, body, status) => {
    const response = await signUp(body);
    expect(response.status).toBe(status);
    const problem = (await response.json()) as { code: string };
    expect(problem.code).toBeTypeOf('string');
    expect(JSON.stringify(problem)).not.toMatch(/at .*\.(ts|js)/);
  });

  it.each([
    ['a list of thousands of objects', `[${'{},'.repeat(4990)}{}]`],
    ['an object with thousands of names', namesOf(1500)],
    ['an object with 21 members', namesOf(21)],
  ])('refuses %s with a short answer, and checks none of its values', async (_case, body) => {
    const response = await signUp(body);
    const answer = await response.text();
    expect({ status: response.status, ...(JSON.parse(answer) as object) }).toMatchObject({
      status: 400,
      code: 'too_complex',
    });
    expect(answer.length).toBeLessThan(1000);
  });

  it('refuses a form, which any website can send', async () => {
    const response = await fetch(`${switchboard.url}/api/auth/sign-up`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'email=a%40example.com',
    });
    expect(response.status).toBe(415);
  });
});

describe('sign-up without SIGN_UP', () => {
  it('is closed to strangers after the first account when SMTP_URL names a mail server', async () => {
    const switchboard = await startSwitchboard({
      env: { SIGN_UP: '', SMTP_URL: 'smtp://127.0.0.1:9' },
    });
    try {
      const url = `${switchboard.url}/api/auth/sign-up`;
      expect((await postJson(url, VALID)).status).toBe(201);
      const stranger = await postJson(url, { ...VALID, email: 'stranger@example.com' });
      expect(stranger.status).toBe(403);
      expect(await stranger.json()).toMatchObject({ code: 'forbidden' });
    } finally {
      await switchboard.close();
    }
  });
});

describeSlow('SIGN_UP=closed', () => {
  it('allows the first account and no other', async () => {
    const switchboard = await startSwitchboard({ env: { SIGN_UP: 'closed' } });
    try {
      const url = `${switchboard.url}/api/auth/sign-up`;
      expect((await postJson(url, VALID)).status).toBe(201);
      expect((await postJson(url, { ...VALID, email: 'b@example.com' })).status).toBe(403);
    } finally {
      await switchboard.close();
    }
  });
});
