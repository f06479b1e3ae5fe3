import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { uploadedImport } from '../support/uploaded-import.js';

type Site = 'same-origin' | 'same-site' | 'cross-site' | 'none' | 'junk' | undefined;

const SITES: Site[] = ['same-origin', 'same-site', 'cross-site', 'none', 'junk', undefined];
const ORIGINS = ['own', 'evil', 'null', 'port', 'subdomain', undefined] as const;
const TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined];
const COOKIES = ['valid', 'forged', 'ended', 'empty', undefined] as const;
/**
 * `npm test` tries every seventh combination. Each value of the lists above still occurs, because the length of each
 * list has no common factor with 7.
 */
const NTH = 7;

// Uses node:http, because fetch() would replace the Sec-Fetch-* headers of the test with its own.
function send(
  url: string,
  method: string,
  headers: Record<string, string | undefined>,
): Promise<number> {
  const given = Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== undefined),
  );
  return new Promise((resolve, reject) => {
    httpRequest(url, { method, headers: given, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });
}

describe('requests that a browser sends for another site', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let origins: Record<string, string>;
  let cookies: Record<string, string>;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    const { port } = new URL(switchboard.url);
    origins = {
      own: switchboard.url,
      evil: 'https://evil.example',
      null: 'null',
      port: `http://127.0.0.1:${Number(port) + 1}`,
      subdomain: `http://evil.127.0.0.1:${port}`,
    };
    const ended = await createOrganization(switchboard);
    await ended.fetch('/api/auth/sign-out', { method: 'POST' });
    cookies = {
      valid: acme.cookie,
      forged: 'switchboard=s%3Aforged.forged',
      ended: ended.cookie,
      empty: 'switchboard=',
    };
  });

  const combinations = ['POST', 'DELETE'].flatMap((method) =>
    SITES.flatMap((site) =>
      ORIGINS.flatMap((origin) =>
        TYPES.flatMap((type) => COOKIES.map((cookie) => ({ method, site, origin, type, cookie }))),
      ),
    ),
  );
  const matrix = sample(combinations, NTH);

  it(`get the status that their origin and cookie require, in ${matrix.length} combinations of method and headers`, async () => {
    const wrong: object[] = [];
    for (const { method, site, origin, type, cookie } of matrix) {
      const status = await send(`${switchboard.url}/api/mcp/keys`, method, {
        'Sec-Fetch-Site': site,
        Origin: origin && origins[origin],
        'Content-Type': type,
        Cookie: cookie && cookies[cookie],
      });
      const expected = expectedStatus(method, site, origin, cookie);
      if (status !== expected) wrong.push({ method, site, origin, type, cookie, status, expected });
    }
    expect(wrong).toEqual([]);
  });

  it('are also refused by sign-in, by sign-out and by the endpoint that calls tools', async () => {
    const headers = { Cookie: acme.cookie, 'Sec-Fetch-Site': 'cross-site' };
    for (const path of ['/api/auth/sign-in', '/api/auth/sign-out', '/api/tools/create_contact']) {
      expect(await send(`${switchboard.url}${path}`, 'POST', headers), path).toBe(403);
    }
  });

  it.each([
    ['export_contacts', () => Promise.resolve('/api/contacts/export.csv')],
    ['export_rejected_rows', rejectedRowsOf],
  ])(
    'are refused by %s, which would be in the audit log, unless they have an API key',
    async (action, pathOf) => {
      const owner = await createOrganization(switchboard);
      const path = await pathOf(owner);
      const statusOf = (headers: Record<string, string | undefined>) =>
        send(`${switchboard.url}${path}`, 'GET', headers);
      const countExports = async (): Promise<number> => {
        const sql = `select from audit_log where organization_id = $1 and action = $2`;
        return (await switchboard.ownerQuery(sql, [owner.id, action])).length;
      };
      for (const site of ['cross-site', 'same-site', 'junk']) {
        expect(await statusOf({ Cookie: owner.cookie, 'Sec-Fetch-Site': site }), site).toBe(403);
      }
      expect(await countExports()).toBe(0);
      for (const site of ['same-origin', 'none', undefined]) {
        expect(await statusOf({ Cookie: owner.cookie, 'Sec-Fetch-Site': site }), site).toBe(200);
      }
      const key = { Authorization: `Bearer ${owner.key}`, 'Sec-Fetch-Site': 'cross-site' };
      expect(await statusOf(key)).toBe(200);
      expect(await countExports()).toBe(4);
    },
  );

  it('are refused even with headers that override the method', async () => {
    const { status } = await acme.fetch('/api/mcp/keys', {
      headers: { 'X-HTTP-Method-Override': 'DELETE' },
    });
    expect(status).toBe(200);
    expect((await acme.fetch('/api/mcp/keys')).status).toBe(200);
  });
});

/** Uploads a file. Returns the path of its rows that were not imported. */
async function rejectedRowsOf(owner: TestOrganization): Promise<string> {
  return `/api/imports/${await uploadedImport(owner)}/rejected.csv`;
}

function expectedStatus(
  method: string,
  site: Site,
  origin: (typeof ORIGINS)[number],
  cookie: (typeof COOKIES)[number],
): number {
  const ownOrigin = origin === undefined || origin === 'own';
  if (!ownOrigin) return 403;
  const trusted =
    site === undefined ? origin === 'own' || cookie === undefined : site === 'same-origin';
  if (!trusted) return 403;
  if (cookie !== 'valid') return 401;
  return method === 'POST' ? 201 : 204;
}
