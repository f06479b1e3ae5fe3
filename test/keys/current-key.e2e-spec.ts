import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const describeKey = (key: string): Promise<Response> =>
  fetch(`${switchboard.url}/api/mcp/keys/current`, { headers: { Authorization: `Bearer ${key}` } });
async function create(options: object): Promise<string> {
  const response = await acme.fetch('/api/mcp/keys', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(options),
  });
  return ((await response.json()) as { api_key: string }).api_key;
}

describe('GET /api/mcp/keys/current', () => {
  it('tells a caller what its key may do and when the key expires, and does not tell when the key was last used', async () => {
    const tools = ['get_contact'];
    const key = await create({ read_only: true, tools, expires_at: '2030-01-01T00:00:00Z' });
    const response = await describeKey(key);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      key: {
        prefix: key.slice(0, 8),
        last_four: key.slice(-4),
        created_at: expect.stringMatching(/Z$/) as string,
        expires_at: '2030-01-01T00:00:00.000Z',
        read_only: true,
        tools,
      },
    });
  });

  it('refuses a revoked key with a challenge and the time of the revocation', async () => {
    await create({});
    const response = await describeKey(acme.key);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="switchboard", error=/);
    expect(await response.json()).toMatchObject({
      code: 'unauthenticated',
      detail: expect.stringMatching(/^This API key was revoked at /) as string,
    });
  });

  it('needs a key, even for a person with a session', async () => {
    expect((await acme.fetch('/api/mcp/keys/current')).status).toBe(401);
  });
});
