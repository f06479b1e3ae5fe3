import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const BODIES: Record<string, string | undefined> = {
  none: undefined,
  empty: '{}',
  'not JSON': '{',
};

describe('Cache-Control', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it('is no-store in every answer except files of the dashboard, for each path, method, credential and body', async () => {
    const { id } = await createWorkflow(acme, []);
    const paths = [
      '/nothing',
      '/%',
      '/health/live',
      '/health/ready',
      '/api/auth/session',
      '/api/auth/sign-in',
      '/api/auth/sign-up',
      '/api/auth/nothing',
      '/api/tools',
      '/api/tools/search_contacts',
      '/api/tools/nothing',
      '/api/mcp',
      '/api/mcp/keys',
      '/api/mcp/keys/current',
      '/api/mcp/nothing',
      `/api/webhooks/workflow/${id}`,
      `/api/webhooks/workflow/${id}/test`,
      '/api/webhooks/workflow/nothing',
      '/api/webhooks/workflow',
      '/api/webhooks/workflow/%',
      '/api/webhooks/resume',
      '/api/webhooks/resume/nothing',
      '/u/nothing',
      '/u/%',
      '/preferences/nothing',
      '/confirm/nothing',
      '/api/imports',
      '/api/imports/nothing/rejected.csv',
      '/api/contacts/export.csv',
      '/api/messages/nothing/preview',
    ];
    const credentials: Record<string, Record<string, string>> = {
      nobody: {},
      session: { Cookie: acme.cookie, Origin: switchboard.url },
      'session of another origin': { Cookie: acme.cookie, Origin: 'https://evil.example' },
      key: { Authorization: `Bearer ${acme.key}` },
      'wrong key': { Authorization: 'Bearer no' },
    };
    const seen = new Map<number, number>();
    const faults: string[] = [];
    const combinations = METHODS.flatMap((method) =>
      Object.entries(credentials).flatMap(([who, headers]) =>
        Object.entries(BODIES)
          // Routes with other methods read no body.
          .filter(([, body]) => body === undefined || method === 'POST')
          .map(([what, body]) => ({ method, who, headers, what, body })),
      ),
    );
    for (const [number, path] of paths.entries()) {
      // In `npm test`, each path gets a quarter of the combinations, and the next path another quarter.
      const chosen = sample(
        [...combinations.slice(number % 4), ...combinations.slice(0, number % 4)],
        4,
      );
      const requests = chosen.map(async ({ method, who, headers, what, body }) => {
        // This request would replace or revoke the key. Later requests with the key would all be refused.
        if (path === '/api/mcp/keys' && who === 'session' && method !== 'GET') return;
        const response = await fetch(`${switchboard.url}${path}`, {
          method,
          headers: { 'Content-Type': 'application/json', ...headers },
          ...(body !== undefined && { body }),
        });
        await response.arrayBuffer();
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
        if (response.headers.get('cache-control') === 'no-store') return;
        faults.push(`${method} ${path} as ${who} with ${what} body: ${response.status}`);
      });
      await Promise.all(requests);
    }
    expect(faults).toEqual([]);
    for (const status of [200, 202, 400, 401, 403, 404, 405, 422])
      expect([...seen.keys()]).toContain(status);
  });

  it('is no-store in the responses that create and end keys and sessions', async () => {
    const made = await acme.fetch('/api/mcp/keys', { method: 'POST' });
    const revoked = await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
    const body = JSON.stringify({ email: acme.email, password: acme.password });
    const headers = { 'Content-Type': 'application/json' };
    const signedIn = await fetch(`${switchboard.url}/api/auth/sign-in`, {
      method: 'POST',
      headers,
      body,
    });
    const signedOut = await acme.fetch('/api/auth/sign-out', { method: 'POST' });
    const answers = [made, revoked, signedIn, signedOut];
    expect(answers.map(({ status }) => status)).toEqual([201, 204, 200, 204]);
    for (const { headers: sent } of answers) expect(sent.get('cache-control')).toBe('no-store');
  });
});
