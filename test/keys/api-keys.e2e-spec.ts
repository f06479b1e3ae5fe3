import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/keys/api-key-format.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('API keys', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  const useKey = async (key: string): Promise<number> =>
    (await acme.rpc(LIST, { Authorization: `Bearer ${key}` })).status;
  const create = async (): Promise<string> =>
    ((await (await acme.fetch('/api/mcp/keys', { method: 'POST' })).json()) as { api_key: string })
      .api_key;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
  });

  it('are returned once, with a warning, and are accepted', async () => {
    const response = await acme.fetch('/api/mcp/keys', { method: 'POST' });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = (await response.json()) as { api_key: string; message: string };
    expect(Object.keys(body).sort()).toEqual(['api_key', 'message']);
    expect(body.api_key).toMatch(/^swb_[0-9A-Za-z]{38}$/);
    expect(body.message).toContain('once');
    expect(await useKey(body.api_key)).toBe(200);
  });

  it('revoke the previous key when they are created', async () => {
    const next = await create();
    expect(await useKey(acme.key)).toBe(401);
    expect(await useKey(next)).toBe(200);
  });

  it('are described without their secret', async () => {
    await useKey(acme.key);
    // The time of use is written after the answer.
    const text = await waitFor(async () => {
      const described = await (await acme.fetch('/api/mcp/keys')).text();
      return described.includes('"last_used_at":null') ? undefined : described;
    });
    expect(JSON.parse(text)).toEqual({
      key: {
        prefix: acme.key.slice(0, 8),
        last_four: acme.key.slice(-4),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        created_by: acme.userId,
        expires_at: null,
        read_only: false,
        tools: null,
        last_used_at: expect.stringMatching(/^\d{4}-.*Z$/),
        last_used_address: '127.0.0.1',
        last_used_client: expect.any(String) as string,
      },
    });
    expect(text).not.toContain(acme.key);
  });

  it('are revoked by DELETE, which also succeeds without an active key', async () => {
    expect((await acme.fetch('/api/mcp/keys', { method: 'DELETE' })).status).toBe(204);
    expect(await useKey(acme.key)).toBe(401);
    expect((await acme.fetch('/api/mcp/keys', { method: 'DELETE' })).status).toBe(204);
    expect(await (await acme.fetch('/api/mcp/keys')).json()).toEqual({ key: null });
  });

  it('exist once per organization, even after fifty simultaneous creations', async () => {
    const keys = await Promise.all(Array.from({ length: 50 }, create));
    const rows = await switchboard.ownerQuery<{ hash: Buffer }>(
      'select hash from api_keys where organization_id = $1 and revoked_at is null',
      [acme.id],
    );
    expect(rows).toHaveLength(1);
    const working = keys.filter((key) =>
      createHash('sha256').update(key).digest().equals(rows[0]!.hash),
    );
    expect(working).toHaveLength(1);
    const statuses = await Promise.all(keys.map(useKey));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('are refused as soon as the revocation is answered, even while they are in use', async () => {
    let revoked = false;
    const late: number[] = [];
    const users = Array.from({ length: 10 }, async () => {
      while (!revoked) await useKey(acme.key);
      late.push(await useKey(acme.key));
    });
    await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
    revoked = true;
    await Promise.all(users);
    expect(new Set(late)).toEqual(new Set([401]));
  });

  it('are never stored, and their creation is in the audit log', async () => {
    const key = await create();
    const dump = await switchboard.ownerQuery(
      `select api_keys::text as row from api_keys union all select audit_log::text from audit_log`,
    );
    expect(JSON.stringify(dump)).not.toContain(key.slice(8));
    const [audit] = await switchboard.ownerQuery(
      `select actor_kind, actor_id, action from audit_log where organization_id = $1 order by id desc limit 1`,
      [acme.id],
    );
    expect(audit).toEqual({
      actor_kind: 'user',
      actor_id: acme.userId,
      action: 'create_api_key',
    });
  });

  it('cannot be used to manage keys, even when valid', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const response = await fetch(`${switchboard.url}/api/mcp/keys`, {
        method,
        headers: { Authorization: `Bearer ${acme.key}` },
      });
      expect(response.status, method).toBe(401);
    }
    expect(await useKey(acme.key)).toBe(200);
  });

  it('are required even with a session', async () => {
    const response = await acme.fetch('/api/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(LIST),
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="switchboard"');
  });

  it.each([
    ['an unknown key', () => `Bearer ${newApiKey()}`],
    [
      'a key with a wrong checksum',
      () => `Bearer ${acme.key.slice(0, -1)}${acme.key.endsWith('0') ? '1' : '0'}`,
    ],
    ['a key in lower case', () => `Bearer ${acme.key.toLowerCase()}`],
    ['two spaces', () => `Bearer  ${acme.key}`],
    ['two keys', () => `Bearer ${acme.key}, Bearer ${acme.key}`],
    ['Basic', () => `Basic ${Buffer.from(acme.key).toString('base64')}`],
    ['no scheme', () => acme.key],
    ['nothing', () => 'Bearer '],
    ['8 KiB', () => `Bearer ${'x'.repeat(8000)}`],
  ])('are refused as %s, always with the same answer', async (_case, header) => {
    const response = await acme.rpc(LIST, { Authorization: header() });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="switchboard", error="invalid_token"/,
    );
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      error: {
        code: 1401,
        message: 'This API key is unknown or revoked. Ask an owner for the current key.',
      },
      id: null,
    });
  });

  it('are accepted with the scheme in upper or lower case', async () => {
    const response = await acme.rpc(LIST, { Authorization: `bEARER ${acme.key}` });
    expect(response.status).toBe(200);
  });
});
