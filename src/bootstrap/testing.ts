import 'reflect-metadata';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { Client } from 'pg';
import { AccountsService } from '../accounts/accounts.service.js';
import { startApplication } from './application.js';
import { loadEnv } from '../config/load-env.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { findFreePort } from '../database/embedded/postmaster.js';
import { randomBase62 } from '../text/ids.js';
import type { Fault } from '../errors/app-error.js';
import type { Extensions } from './app.module.js';
import { LATEST_LEGACY_VERSION } from '../mcp/era.js';

export {
  type ChannelContractCase,
  channelContract,
  type ContractCheck,
  type Scenario,
} from '../channels/contract-checks.js';

export interface TestOptions extends Extensions {
  /** The settings that override the defaults of a test. Their names are the names in `.env.example`. */
  env?: Record<string, string>;
}

/** The result of a tool call, or its error. */
export type Outcome<Result> =
  | { ok: true; result: Result }
  | { ok: false; error: { code: string; message: string; details?: readonly Fault[] } };

/** A tool as callers see it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  outputSchema: object;
  annotations: Record<string, boolean>;
}

/** Calls a tool. The result is parsed JSON, whose type is not checked. */
export type CallTool = <Result = Record<string, never>>(
  tool: string,
  given?: object,
) => Promise<Outcome<Result>>;

/** An organization of a test. Its methods make calls with its API key, or as its signed-in owner. */
export interface TestOrganization {
  readonly id: string;
  readonly userId: string;
  readonly apiKey: string;
  /** Lists the tools that the API key can call. */
  listTools(): Promise<ListedTool[]>;
  /** Calls a tool with the API key, over `POST /api/mcp`. */
  callAsAgent: CallTool;
  /** Calls a tool as the signed-in owner, over `POST /api/tools/:name`. */
  callAsPerson: CallTool;
  /** Sends a request with the session of the owner, from the origin of Switchboard. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** A complete Switchboard, web and worker, with its own PostgreSQL. */
export interface TestSwitchboard {
  readonly url: string;
  readonly app: INestApplication;
  createOrganization(name?: string): Promise<TestOrganization>;
  /** Runs SQL as the owner of the database, without tenant isolation, to inspect what was written. */
  ownerQuery<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Stops all processes and deletes the data. */
  close(): Promise<void>;
}

interface AgentAnswer {
  content: [{ text: string }];
  structuredContent?: object;
  isError?: boolean;
}

/**
 * Starts a Switchboard with the modules under test, in about three seconds. `close()` removes everything that this
 * function created.
 */
export async function startTestSwitchboard(options: TestOptions = {}): Promise<TestSwitchboard> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-test-'));
  const undo: (() => Promise<unknown>)[] = [
    () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  ];
  const close = async (): Promise<void> => {
    for (const action of undo.splice(0).toReversed()) await action();
  };
  try {
    // When this process runs as root, PostgreSQL runs as another user, who must be able to enter this folder.
    await chmod(folder, 0o711);
    const postgres = await EmbeddedPostgres.start({
      dataDir: join(folder, 'postgres'),
      settings: { fsync: 'off', full_page_writes: 'off' },
    });
    undo.push(() => postgres.stop());
    const env = loadEnv({
      PORT: String(await findFreePort()),
      DATA_DIR: folder,
      SIGN_UP: 'open',
      NEW_ORGANIZATION_MESSAGES: '100000000',
      // In development, results are checked against their classes, and callers see the message of an unexpected error.
      NODE_ENV: 'development',
      LOG_LEVEL: 'warn',
      // All organizations of a test sign up from one address, so sign-up has no limit.
      SIGN_UP_PER_HOUR: '0',
      ...options.env,
    });
    const app = await startApplication({
      env,
      ownerUrl: postgres.url,
      log: () => undefined,
      extensions: options,
    });
    undo.push(() => app.close());
    const owner = new Client({ connectionString: postgres.url });
    await owner.connect();
    undo.push(() => owner.end());
    return {
      url: env.baseUrl,
      app,
      createOrganization: (name = 'Test') => createOrganization(app, env.baseUrl, name),
      ownerQuery: async <Row extends object>(sql: string, values?: unknown[]) =>
        (await owner.query<Row>(sql, values)).rows,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createOrganization(
  app: INestApplication,
  url: string,
  name: string,
): Promise<TestOrganization> {
  const email = `owner-${randomBase62(8).toLowerCase()}@example.com`;
  const password = randomBase62(16);
  const account = await app
    .get(AccountsService)
    .signUp({ email, password, organization_name: name });
  const signedIn = await send(`${url}/api/auth/sign-in`, { email, password });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  const withSession = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('Cookie', cookie);
    headers.set('Origin', url);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  const created = await withSession('/api/mcp/keys', { method: 'POST' });
  const { api_key: apiKey } = (await created.json()) as { api_key: string };
  const rpc = async (method: string, params?: object): Promise<unknown> => {
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      // Without a version, the server answers in plain JSON-RPC, which omits titles, annotations and output schemas.
      'MCP-Protocol-Version': LATEST_LEGACY_VERSION,
    };
    const request = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await (await send(`${url}/api/mcp`, request, headers)).json();
    const { result, error } = answer as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    id: account.organizationId,
    userId: account.userId,
    apiKey,
    fetch: withSession,
    listTools: async () => ((await rpc('tools/list')) as { tools: ListedTool[] }).tools,
    callAsAgent: async <Result>(tool: string, given: object = {}) => {
      const answer = (await rpc('tools/call', { name: tool, arguments: given })) as AgentAnswer;
      if (!answer.isError) {
        // A tool without an output class has no structured content.
        const { structuredContent, content } = answer;
        return { ok: true, result: (structuredContent ?? { content }) as Result };
      }
      const failure = JSON.parse(answer.content[0].text) as {
        error: { code: string; message: string };
      };
      return { ok: false, error: failure.error };
    },
    callAsPerson: async <Result>(tool: string, given: object = {}) => {
      const response = await withSession(`/api/tools/${tool}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(given),
      });
      const body: unknown = await response.json();
      if (response.ok) return { ok: true, result: body as Result };
      const problem = body as { code: string; detail: string; errors?: Fault[] };
      const details = problem.errors && { details: problem.errors };
      return { ok: false, error: { code: problem.code, message: problem.detail, ...details } };
    },
  };
}

function send(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
