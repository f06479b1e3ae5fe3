import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { OutputSchemas } from './output-schemas.js';
import type { Switchboard } from './switchboard.js';

export interface Outcome<T> {
  status: number;
  value: T;
  error?: { code: string; message: string; details?: { path: string; message: string }[] };
}

/** An organization with its signed-in owner and its API key. */
export interface TestOrganization {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  /** The value of the Cookie header of the owner's session. */
  readonly cookie: string;
  readonly key: string;
  /**
   * Calls a tool as the signed-in owner. Throws on a 5xx other than 503, and on a result that does not match the
   * tool's output schema. The caller states the type of the result.
   */
  call<T = Record<string, never>>(tool: string, given?: unknown): Promise<Outcome<T>>;
  /** Sends `POST /api/mcp` with the key. */
  rpc(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends a request with the session, from Switchboard's own origin. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

let counter = 0;
const agent = new Agent({ keepAlive: true });
// The key of this cache is the Switchboard object and not its URL: a later Switchboard may have the same port and other
// tools.
const schemas = new WeakMap<{ url: string }, Promise<OutputSchemas>>();

export async function createOrganization(
  switchboard: Pick<Switchboard, 'url'>,
  name?: string,
): Promise<TestOrganization> {
  counter += 1;
  const email = `owner${counter}.${Date.now().toString(36)}@example.com`;
  const password = 'correct horse battery staple';
  const { url } = switchboard;
  const signedUp = await fetch(`${url}/api/auth/sign-up`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password, organization_name: name ?? `Organization ${counter}` }),
  });
  if (signedUp.status !== 201) throw new Error(`Sign-up: ${await signedUp.text()}`);
  const account = (await signedUp.json()) as { user: { id: string }; organization: { id: string } };
  const cookie = signedUp.headers.getSetCookie()[0]!.split(';')[0]!;
  const withSession = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { Cookie: cookie, Origin: url, ...(init.headers as Record<string, string>) },
    });
  const created = await withSession('/api/mcp/keys', { method: 'POST' });
  if (created.status !== 201) throw new Error(`Key: ${await created.text()}`);
  const { api_key: key } = (await created.json()) as { api_key: string };
  return {
    id: account.organization.id,
    userId: account.user.id,
    email,
    password,
    cookie,
    key,
    fetch: withSession,
    call: async <T>(tool: string, given: unknown = {}): Promise<Outcome<T>> => {
      const headers = { Cookie: cookie, Origin: url, 'Content-Type': 'application/json' };
      const { status, body } = await post(`${url}/api/tools/${tool}`, headers, given);
      if (status >= 500 && status !== 503) {
        throw new Error(`${tool} answered ${status}: ${JSON.stringify(body)}`);
      }
      if (status === 200) {
        (await schemasOf(switchboard, withSession)).check(tool, body);
        return { status, value: body as T };
      }
      return {
        status,
        value: undefined as T,
        error: {
          code: body.code as string,
          message: body.detail as string,
          details: body.errors as [],
        },
      };
    },
    rpc: (body, headers = {}) =>
      fetch(`${url}/api/mcp`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
  };
}

/**
 * Sends a request as `fetch` does, with half of the processor time that `fetch` takes. Most requests of the tests are
 * calls of tools.
 */
function post(
  url: string,
  headers: Record<string, string>,
  given: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      json(response).then((body) => {
        resolve({ status: response.statusCode!, body: body as Record<string, unknown> });
      }, reject);
    });
    sent.on('error', reject).end(JSON.stringify(given));
  });
}

function schemasOf(
  switchboard: { url: string },
  request: (path: string) => Promise<Response>,
): Promise<OutputSchemas> {
  const known =
    schemas.get(switchboard) ??
    request('/api/tools').then(async (response) => {
      const { tools } = (await response.json()) as {
        tools: { name: string; outputSchema: object }[];
      };
      return new OutputSchemas(tools);
    });
  schemas.set(switchboard, known);
  return known;
}
