import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventReader } from '../change-streams/event-reader.js';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

interface Session {
  id: string;
  is_current: boolean;
  organization: { id: string; name: string };
  started_at: string;
  last_seen_at: string;
  address: string | null;
  client: string | null;
}

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard, 'Acme');
});
afterAll(() => switchboard.close());

/** Signs the owner in with another browser and returns its cookie. */
const signIn = async (agent = 'Second/1', password = acme.password): Promise<string> => {
  const body = { email: acme.email, password };
  const url = `${switchboard.url}/api/auth/sign-in`;
  const response = await postJson(url, body, { 'User-Agent': agent });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
};
const statusOf = async (cookie: string): Promise<number> =>
  (await fetch(`${switchboard.url}/api/auth/session`, { headers: { Cookie: cookie } })).status;
const list = async (cookie = acme.cookie): Promise<Session[]> => {
  const response = await acme.fetch('/api/auth/sessions', { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return ((await response.json()) as { sessions: Session[] }).sessions;
};
const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Response> =>
  acme.fetch(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const auditLog = async (): Promise<{ action: string; outcome: string; actor: { id: string } }[]> =>
  (await acme.call<{ entries: [] }>('list_audit_log', { limit: 100 })).value.entries;
const openStream = async (cookie: string): Promise<EventReader> => {
  const reader = await EventReader.start(switchboard.url, { Cookie: cookie });
  await reader.waitForEvent('ready');
  return reader;
};

describe('GET /api/auth/sessions', () => {
  it('lists the sessions of the person with client, address and times, and marks the current one', async () => {
    await signIn(`Second/1 ${'x'.repeat(300)}`);
    const sessions = await list();
    expect(sessions).toHaveLength(2);
    const [second, first] = [
      sessions.find((one) => !one.is_current)!,
      sessions.find((one) => one.is_current)!,
    ];
    expect(second).toMatchObject({
      organization: { id: acme.id, name: 'Acme' },
      address: '127.0.0.1',
      client: `Second/1 ${'x'.repeat(111)}`,
    });
    for (const session of [first, second]) {
      const [start, seen] = [Date.parse(session.started_at), Date.parse(session.last_seen_at)];
      expect(Math.abs(Date.now() - start)).toBeLessThan(60_000);
      expect(Math.abs(seen - start)).toBeLessThan(60_000);
    }
  });

  it('identifies each session by an id that nobody can sign in with', async () => {
    const text = await (await acme.fetch('/api/auth/sessions')).text();
    const sessionId = decodeURIComponent(acme.cookie)
      .replace(/^switchboard=s:/, '')
      .split('.')[0]!;
    expect(text).not.toContain(sessionId);
    const [{ id } = { id: '' }] = await list();
    expect(await statusOf(`switchboard=${id}`)).toBe(401);
    expect(await statusOf(`switchboard=${encodeURIComponent(`s:${id}.x`)}`)).toBe(401);
  });

  it('leaves out sessions that have ended', async () => {
    const [idle, old] = [await signIn('Idle'), await signIn('Old')];
    const set = (column: string, client: string) =>
      switchboard.ownerQuery(
        `update gate.sessions set ${column} where sess #>> '{passport,user,client}' = '${client}'
          and sess #>> '{passport,user,userId}' = '${acme.userId}'`,
      );
    await set(`expire = now() - interval '1 second'`, 'Idle');
    await set(
      `sess = (sess::jsonb || jsonb_build_object('startedAt',
        (extract(epoch from now() - interval '7 days 1 minute') * 1000)::bigint))::json`,
      'Old',
    );
    expect([await statusOf(idle), await statusOf(old)]).toEqual([401, 401]);
    expect(await list()).toHaveLength(1);
  });

  it('lists no session of another person', async () => {
    const globex = await createOrganization(switchboard);
    const own = (await list()).map(({ id }) => id);
    const other = (await list(globex.cookie)).map(({ id }) => id);
    expect(own).toHaveLength(1);
    expect(other).not.toContain(own[0]);
  });

  it('refuses an API key and requests without a session', async () => {
    const headers = { Cookie: '', Authorization: `Bearer ${acme.key}` };
    for (const [method, path] of [
      ['GET', '/api/auth/sessions'],
      ['DELETE', '/api/auth/sessions'],
      ['DELETE', '/api/auth/sessions/x'],
      ['PATCH', '/api/auth/profile'],
      ['POST', '/api/auth/password'],
    ] as const) {
      const body = method === 'GET' ? undefined : {};
      expect((await send(method, path, body, headers)).status, path).toBe(401);
    }
  });
});

describe('DELETE /api/auth/sessions', () => {
  it('with an id immediately ends that session and its stream of changes, and no other session', async () => {
    const [ended, kept] = [await signIn('Ended'), await signIn('Kept')];
    const stream = await openStream(ended);
    const { id } = (await list()).find(({ client }) => client === 'Ended')!;
    expect((await send('DELETE', `/api/auth/sessions/${id}`)).status).toBe(204);
    await stream.untilEnded();
    expect(stream.events.at(-1)).toEqual({ event: 'end', data: { reason: 'session_ended' } });
    expect([await statusOf(ended), await statusOf(kept), await statusOf(acme.cookie)]).toEqual([
      401, 200, 200,
    ]);
    expect(await auditLog()).toContainEqual(
      expect.objectContaining({ action: 'end_session', outcome: 'ok' }),
    );
  });

  it('answers 404 with the same text for a session of another person and for an unknown one', async () => {
    const globex = await createOrganization(switchboard);
    const [{ id } = { id: '' }] = await list(globex.cookie);
    const foreign = await send('DELETE', `/api/auth/sessions/${id}`);
    const unknown = await send('DELETE', '/api/auth/sessions/nothing');
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await foreign.text()).toBe(await unknown.text());
    expect(await statusOf(globex.cookie)).toBe(200);
    expect((await auditLog()).filter(({ action }) => action === 'end_session')).toEqual([]);
  });

  it('without an id ends all sessions except the current one', async () => {
    const others = [await signIn('A'), await signIn('B')];
    const globex = await createOrganization(switchboard);
    expect((await send('DELETE', '/api/auth/sessions')).status).toBe(204);
    expect(await Promise.all(others.map(statusOf))).toEqual([401, 401]);
    expect([await statusOf(acme.cookie), await statusOf(globex.cookie)]).toEqual([200, 200]);
    const actions = (await auditLog()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'end_other_sessions')).toHaveLength(1);
  });

  it('refuses requests of another origin', async () => {
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await send('DELETE', '/api/auth/sessions', undefined, headers)).status).toBe(403);
  });
});

describe('PATCH /api/auth/profile', () => {
  it('changes the name of the person, also in the current session', async () => {
    const named = await send('PATCH', '/api/auth/profile', { name: '  Ada Lovelace ' });
    expect(named.status).toBe(200);
    const session = await (await acme.fetch('/api/auth/session')).json();
    expect(session).toEqual({
      user: { id: acme.userId, email: acme.email, name: 'Ada Lovelace' },
      organization: { id: acme.id, name: 'Acme' },
    });
    expect(await auditLog()).toContainEqual(expect.objectContaining({ action: 'change_name' }));
    expect((await send('PATCH', '/api/auth/profile', { name: '' })).status).toBe(200);
    expect(await (await acme.fetch('/api/auth/session')).json()).toMatchObject({
      user: { id: acme.userId, email: acme.email },
    });
  });

  it.each([
    ['two lines', 'a\nb'],
    ['more than 200 characters', 'x'.repeat(201)],
    ['bidi controls', 'a\u202eb'],
    ['a lone surrogate', '\ud800'],
    ['a number', 1],
  ])('refuses %s', async (_case, name) => {
    expect((await send('PATCH', '/api/auth/profile', { name })).status).toBe(422);
  });
});

describe('POST /api/auth/password', () => {
  const change = (present: unknown, next: unknown): Promise<Response> =>
    send('POST', '/api/auth/password', { current_password: present, new_password: next });

  it('changes the password, and ends all other sessions and their streams', async () => {
    const other = await signIn();
    const [stream, own] = [await openStream(other), await openStream(acme.cookie)];
    expect((await change(acme.password, 'a whole new password')).status).toBe(204);
    await stream.untilEnded();
    expect([await statusOf(other), await statusOf(acme.cookie)]).toEqual([401, 200]);
    expect(own.ended).toBe(false);
    own.close();
    const wrong = { email: acme.email, password: acme.password };
    expect((await postJson(`${switchboard.url}/api/auth/sign-in`, wrong)).status).toBe(401);
    expect(await statusOf(await signIn('New', 'a whole new password'))).toBe(200);
    expect(await auditLog()).toContainEqual(
      expect.objectContaining({ action: 'change_password', outcome: 'ok' }),
    );
  });

  it('refuses a wrong current password with a fault at its field, and records the attempt', async () => {
    const other = await signIn();
    const response = await change('not the password', 'a whole new password');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: 'invalid_arguments',
      errors: [{ path: 'current_password' }],
    });
    expect(await statusOf(other)).toBe(200);
    await expect
      .poll(auditLog)
      .toContainEqual(
        expect.objectContaining({ action: 'change_password', outcome: 'invalid_credentials' }),
      );
  });

  it.each([
    ['a short password', 'short'],
    ['a password that is too long to hash', 'x'.repeat(257)],
    ['no password', undefined],
    ['an object', { $ne: 1 }],
  ])('refuses %s as the new password', async (_case, next) => {
    const response = await change(acme.password, next);
    expect(response.status).toBe(422);
    expect(await statusOf(await signIn())).toBe(200);
  });

  it('counts attempts in the same limit as attempts to sign in', async () => {
    const statuses = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      statuses.push((await change(`guess ${attempt}`, 'a whole new password')).status);
    }
    expect(statuses[0]).toBe(422);
    expect(statuses.at(-1)).toBe(429);
    const refused = { email: acme.email, password: acme.password };
    expect((await postJson(`${switchboard.url}/api/auth/sign-in`, refused)).status).toBe(429);
  });

  it('makes only one of two simultaneous changes', async () => {
    const statuses = await Promise.all(
      ['the first new password', 'the second new password'].map(
        async (next) => (await change(acme.password, next)).status,
      ),
    );
    const [made, refused] = statuses.toSorted();
    expect(made).toBe(204);
    // The refused request usually gets 422 for its old password. It gets 401 if the other change is committed after the
    // refused request has read the session, and before it has read the account.
    expect([401, 422]).toContain(refused);
  });

  it('refuses a session that a sign-in with the old password stores after the change', async () => {
    const late = await signIn('Late');
    const row = (
      await switchboard.ownerQuery<{ sid: string; sess: string; expire: Date }>(
        `select sid, sess::text, expire from gate.sessions where sess #>> '{passport,user,client}' = 'Late'`,
      )
    )[0]!;
    expect((await change(acme.password, 'a whole new password')).status).toBe(204);
    await switchboard.ownerQuery(
      'insert into gate.sessions (sid, sess, expire) values ($1, $2, $3)',
      [row.sid, row.sess, row.expire],
    );
    expect(await statusOf(late)).toBe(401);
    await switchboard.ownerQuery('delete from gate.sessions where sid = $1', [row.sid]);
  });
});
