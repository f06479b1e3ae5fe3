import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CallRecorder } from '../../src/accounts/call-recorder.js';
import { AppError } from '../../src/errors/app-error.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]!.split(';')[0]!;

/** Returns the headers of a response. Headers whose values always differ are returned as names only. */
const headersOf = ({ headers }: Response): string[] =>
  [...headers].map(([name, value]) =>
    name === 'date' || name === 'x-request-id' ? name : `${name}: ${value}`,
  );

describe('POST /api/auth/sign-in', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  const signIn = async (email: unknown, password: unknown, headers?: Record<string, string>) => {
    const response = await postJson(
      `${switchboard.url}/api/auth/sign-in`,
      { email, password },
      headers,
    );
    // The service saves the session before it ends the response. Without this wait, a test could change the row too
    // early.
    await response.clone().text();
    return response;
  };
  const session = (cookie: string) =>
    fetch(`${switchboard.url}/api/auth/session`, { headers: { Cookie: cookie } });

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard, 'Acme');
  });
  afterAll(() => switchboard.close());

  it('returns the account, and starts a session', async () => {
    const response = await signIn(acme.email.toUpperCase(), acme.password);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      user: { id: acme.userId, email: acme.email },
      organization: { id: acme.id, name: 'Acme' },
    });
    expect((await session(cookieOf(response))).status).toBe(200);
  });

  it('gives the same answer for an unknown address and a wrong password', async () => {
    const unknown = await signIn('nobody@example.com', acme.password);
    const wrong = await signIn(acme.email, 'not the password');
    expect(unknown.status).toBe(401);
    expect(wrong.status).toBe(401);
    expect(await unknown.text()).toBe(await wrong.text());
    expect(headersOf(unknown)).toEqual(headersOf(wrong));
  });

  it('gives the session a new id, which prevents session fixation', async () => {
    const before = cookieOf(await signIn(acme.email, acme.password));
    const after = cookieOf(
      await signIn(acme.email, acme.password, { Cookie: before, Origin: switchboard.url }),
    );
    expect(after).not.toBe(before);
    expect((await session(before)).status).toBe(401);
    expect((await session(after)).status).toBe(200);
  });

  it('ignores a session id that the client invented', async () => {
    const response = await signIn(acme.email, acme.password, {
      Cookie: 'switchboard=s%3Achosen.signature',
      Origin: switchboard.url,
    });
    expect(cookieOf(response)).not.toContain('chosen');
  });

  it('ends the session on the server at sign-out', async () => {
    const cookie = cookieOf(await signIn(acme.email, acme.password));
    const response = await fetch(`${switchboard.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: switchboard.url },
    });
    expect(response.status).toBe(204);
    expect((await session(cookie)).status).toBe(401);
  });

  it('ends a session after seven days, even if it is used', async () => {
    const cookie = cookieOf(await signIn(acme.email, acme.password));
    await switchboard.ownerQuery(
      `update gate.sessions set sess = (sess::jsonb || jsonb_build_object('startedAt',
        (extract(epoch from now() - interval '7 days 1 minute') * 1000)::bigint))::json`,
    );
    expect((await session(cookie)).status).toBe(401);
  });

  it('ends a session that was not used for twelve hours', async () => {
    const cookie = cookieOf(await signIn(acme.email, acme.password));
    await switchboard.ownerQuery(`update gate.sessions set expire = now() - interval '1 second'`);
    expect((await session(cookie)).status).toBe(401);
  });

  it.each([
    ['nothing', undefined, undefined],
    ['objects', { $ne: 1 }, { $ne: 1 }],
    ['arrays', ['a@example.com'], ['x']],
    ['U+0000', 'a\0@example.com', 'x'],
    ['an endless password', 'a@example.com', 'x'.repeat(5000)],
  ])('refuses %s as credentials', async (_case, email, password) => {
    expect((await signIn(email, password)).status).toBe(401);
  });

  it('refuses credentials in the URL, which would appear in logs', async () => {
    const query = new URLSearchParams({ email: acme.email, password: acme.password });
    const url = `${switchboard.url}/api/auth/sign-in?${query.toString()}`;
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    expect((await postJson(url, {})).status).toBe(401);
  });

  it('starts no session when the entry of the audit log cannot be stored', async () => {
    const countSessions = async (): Promise<number> =>
      (await switchboard.ownerQuery('select from gate.sessions')).length;
    const before = await countSessions();
    const recorder = switchboard.app.get(CallRecorder);
    const failure = new AppError('unavailable', 'The database does not answer.');
    vi.spyOn(recorder, 'storeEvent').mockRejectedValueOnce(failure);
    const response = await signIn(acme.email, acme.password);
    expect(response.status).toBe(503);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await countSessions()).toBe(before);
  });

  it('limits the attempts to sign in with one address', async () => {
    const victim = await createOrganization(switchboard);
    const tries = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      tries.push(await signIn(victim.email, `guess ${attempt}`));
    }
    const refused = tries.at(-1)!;
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signIn(acme.email, acme.password)).status).toBe(200);
  });
});

describe('POST /api/auth/sign-in with an https address', () => {
  it('binds the cookie to the host and to https', async () => {
    const switchboard = await startSwitchboard({
      env: { PUBLIC_URL: 'https://switchboard.example' },
    });
    try {
      const response = await postJson(
        `${switchboard.url}/api/auth/sign-up`,
        { email: 'a@example.com', password: 'a long password', organization_name: 'A' },
        { 'X-Forwarded-Proto': 'https', Origin: 'https://switchboard.example' },
      );
      expect(response.status).toBe(201);
      const [cookie] = response.headers.getSetCookie();
      expect(cookie).toMatch(/^__Host-switchboard=/);
      expect(cookie).toMatch(/; Secure/);
      expect(cookie).toMatch(/; Path=\//);
      expect(cookie).not.toMatch(/Domain/);
    } finally {
      await switchboard.close();
    }
  });
});
