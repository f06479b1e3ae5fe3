import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { digestOf } from '../../src/accounts/session-store.js';
import { AppError } from '../../src/errors/app-error.js';
import { KeysService } from '../../src/keys/keys.service.js';
import { ProtocolTools } from '../mcp/support/protocol.tools.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { sendSlowly } from './slow-request.js';

const CONTACT = { email: 'late@example.com' };
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'create_contact', arguments: CONTACT },
};

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const withKey = () => ({ Authorization: `Bearer ${acme.key}` });
const withSession = () => ({ Cookie: acme.cookie, Origin: switchboard.url });
const send = (
  path: string,
  headers: Record<string, string>,
  body: unknown,
  between: () => Promise<unknown>,
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return sendSlowly({ url: `${switchboard.url}${path}`, headers, body: text }, between);
};
const revokeKey = async (): Promise<void> => {
  expect((await acme.fetch('/api/mcp/keys', { method: 'DELETE' })).status).toBe(204);
};
const signOut = async (): Promise<void> => {
  expect((await acme.fetch('/api/auth/sign-out', { method: 'POST' })).status).toBe(204);
};
const setPolicy = async (tool: string, policy: object): Promise<void> => {
  expect((await acme.call('set_tool_policy', { tool, ...policy })).status).toBe(200);
};
const count = async (table: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    `select count(*)::integer as count from ${table} where organization_id = $1`,
    [acme.id],
  );
  return row!.count;
};

describe('a request whose key is revoked before its body has arrived', () => {
  it.each<[string, string, string, unknown, string]>([
    ['a tool', '/api/mcp', 'application/json', CALL, 'contacts'],
    ['an event', '/api/events', 'application/json', { event: 'order.paid' }, 'custom_events'],
    ['an import', '/api/imports', 'text/csv', 'email\na@example.com\nb@example.com\n', 'imports'],
    ['a file', '/api/files?name=a.txt', 'text/plain', 'some text', 'files'],
  ])('is refused with 401 and stores nothing for %s', async (_, path, type, body, table) => {
    const headers = { ...withKey(), 'Content-Type': type };
    const { status, text } = await send(path, headers, body, revokeKey);
    expect(text).toContain('revoked');
    expect(status).toBe(401);
    expect(await count(table)).toBe(0);
  });

  it('is refused as an upload in a form', async () => {
    const form =
      '--X\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n' +
      'email\r\na@example.com\r\nb@example.com\r\n--X--\r\n';
    const headers = { ...withKey(), 'Content-Type': 'multipart/form-data; boundary=X' };
    expect((await send('/api/imports', headers, form, revokeKey)).status).toBe(401);
    expect(await count('imports')).toBe(0);
  });
});

describe('a request whose session ends before its body has arrived', () => {
  it('creates no key after the password was changed in another session', async () => {
    const { status } = await send(
      '/api/mcp/keys',
      withSession(),
      { read_only: false },
      async () => {
        // The change of the password in another session deletes this session.
        await switchboard.ownerQuery('delete from gate.sessions where sid = $1', [sessionDigest()]);
      },
    );
    expect(status).toBe(401);
    // The key from before is still the active key.
    expect((await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200);
  });

  it('calls no tool', async () => {
    const { status } = await send('/api/tools/create_contact', withSession(), CONTACT, signOut);
    expect(status).toBe(401);
    expect(await count('contacts')).toBe(0);
  });

  it('stores no upload', async () => {
    const headers = { ...withSession(), 'Content-Type': 'text/csv' };
    const file = 'email\na@example.com\nb@example.com\n';
    expect((await send('/api/imports', headers, file, signOut)).status).toBe(401);
    expect(await count('imports')).toBe(0);
  });
});

describe('a request whose tool gets a new policy before its body has arrived', () => {
  it('waits for an approval when the tool now needs one', async () => {
    const { text } = await send('/api/mcp', withKey(), CALL, () =>
      setPolicy('create_contact', { confirmation: 'always' }),
    );
    expect(text).toContain('confirmation_required');
    expect(await count('contacts')).toBe(0);
  });

  it('emits no event when the tool now needs an approval', async () => {
    const { text } = await send('/api/events', withKey(), { event: 'order.paid' }, () =>
      setPolicy('emit_event', { confirmation: 'always' }),
    );
    expect(text).toContain('confirmation_required');
    expect(await count('custom_events')).toBe(0);
  });

  it('stores no upload when the tool is now hidden', async () => {
    const headers = { ...withKey(), 'Content-Type': 'text/csv' };
    const file = 'email\na@example.com\nb@example.com\n';
    const { status } = await send('/api/imports', headers, file, () =>
      setPolicy('create_contact', { hidden: true }),
    );
    expect(status).toBe(404);
    expect(await count('imports')).toBe(0);
  });

  it('calls no tool from the dashboard when the tool is now hidden', async () => {
    const { status } = await send('/api/tools/create_contact', withSession(), CONTACT, () =>
      setPolicy('create_contact', { hidden: true }),
    );
    expect(status).toBe(404);
    expect(await count('contacts')).toBe(0);
  });
});

describe('a batch of calls', () => {
  it('runs no further call after its key was revoked', async () => {
    const tools = switchboard.app.get(ProtocolTools);
    const params = { name: 'slow_note', arguments: { text: acme.id } };
    const answering = acme.rpc([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { ...CALL, id: 2 },
      { ...CALL, id: undefined },
    ]);
    await waitFor(() => tools.isWaiting(acme.id));
    await revokeKey();
    await sleep(150);
    tools.release(acme.id);
    const replies = (await (await answering).json()) as { id: number; error?: { code: number } }[];
    expect(replies.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, 1401],
    ]);
    expect(await count('contacts')).toBe(0);
  });
});

describe('a change of the API key by a session that has just ended', () => {
  it('creates and revokes no key', async () => {
    const keys = switchboard.app.get(KeysService);
    const origin = { requestId: 'test', address: undefined, client: undefined };
    await signOut();
    const unauthenticated = expect.objectContaining({ code: 'unauthenticated' }) as AppError;
    const session = { digest: sessionDigest(), origin };
    await expect(keys.create(acme.id, acme.userId, undefined, session)).rejects.toEqual(
      unauthenticated,
    );
    await expect(keys.revoke(acme.id, acme.userId, session)).rejects.toEqual(unauthenticated);
    expect((await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200);
  });
});

describe('a change of the password by a session that has just ended', () => {
  it('is refused, although the current password is right', async () => {
    const accounts = switchboard.app.get(AccountsService);
    const account = await accounts.find(acme.userId, acme.id);
    await signOut();
    const change = accounts.changePassword(account!, {
      present: acme.password,
      next: 'another long password',
      keptDigest: sessionDigest(),
      entries: '[]',
    });
    await expect(change).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await accounts.authenticate(acme.email, acme.password)).not.toBeNull();
  });
});

/** Returns the digest under which the session of the owner is stored. */
function sessionDigest(): string {
  const value = decodeURIComponent(acme.cookie.split('=')[1]!);
  return digestOf(value.slice('s:'.length).split('.')[0]!);
}
