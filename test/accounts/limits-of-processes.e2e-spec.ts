import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { waitFor } from '../support/wait-for.js';

/**
 * Starts separate processes, because Passport registers its strategies once per process. Two applications in one
 * process would share one strategy and its limits.
 */
describe('two processes of one installation', () => {
  let database: { url: string; drop: () => Promise<void> };
  const processes: (SwitchboardProcess & { url: string })[] = [];

  const start = async (): Promise<void> => {
    const port = String(await freePort());
    const env = {
      DATABASE_URL: database.url,
      PORT: port,
      HOST: '127.0.0.1',
      ROLE: 'web',
      LOG_LEVEL: 'warn',
      TRUSTED_PROXIES: '127.0.0.1',
      SIGN_UP: 'open',
      SIGN_UP_PER_HOUR: '4',
      KEYS_PER_HOUR: '4',
      SIGN_IN_PER_MINUTE: '2',
    };
    const started = startProcess(env);
    processes.push(Object.assign(started, { url: `http://127.0.0.1:${port}` }));
    await started.untilSaid(/listens on/);
  };

  beforeAll(async () => {
    buildTree();
    database = await createTestDatabase();
    await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM');
    await Promise.all(processes.map(({ exited }) => exited));
    await database.drop();
  });

  /** Sends requests to both processes in turn, and returns their statuses. */
  const alternate = async (
    count: number,
    send: (url: string, index: number) => Promise<Response>,
  ): Promise<number[]> => {
    const statuses = [];
    for (let index = 0; index < count; index += 1) {
      statuses.push((await send(processes[index % 2]!.url, index)).status);
    }
    return statuses;
  };

  it('share the count of attempts to sign in, and the known addresses of a person', async () => {
    const [here, there] = processes;
    const { email, password } = await createOrganization({ url: here!.url });
    const signIn = (url: string, guess: string, address: string) =>
      postJson(
        `${url}/api/auth/sign-in`,
        { email, password: guess },
        { 'X-Forwarded-For': address },
      );
    const statuses = await alternate(3, (url, index) => signIn(url, 'a guess', `192.0.2.${index}`));
    expect(statuses).toEqual([401, 401, 429]);
    expect((await signIn(there!.url, password, '192.0.2.100')).status).toBe(429);
    expect((await signIn(there!.url, password, '127.0.0.1')).status).toBe(200);
  });

  it('share the counts of new accounts and new keys', async () => {
    const acme = await createOrganization({ url: processes[0]!.url });
    const createKey = (url: string) =>
      fetch(`${url}/api/mcp/keys`, {
        method: 'POST',
        headers: { Cookie: acme.cookie, Origin: url },
      });
    expect(await alternate(4, createKey)).toEqual([201, 201, 201, 429]);
    const signUp = (url: string, index: number) =>
      postJson(
        `${url}/api/auth/sign-up`,
        {
          email: `new${index}@example.com`,
          password: 'a long enough password',
          organization_name: 'New',
        },
        { 'X-Forwarded-For': '192.0.2.200' },
      );
    expect(await alternate(5, signUp)).toEqual([201, 201, 201, 201, 429]);
  });

  it('log each refused request, and the log has no e-mail address', async () => {
    // The process that starts first prints an example command with you@example.com, which is not a leak.
    const output = () =>
      processes.map((one) => one.output().replaceAll('you@example.com', '')).join('');
    for (const subject of ['sign_in', 'sign_up']) {
      const line = `"security_event":"rate_limited","subject":"${subject}"`;
      await waitFor(() => output().includes(line));
    }
    expect(output()).not.toContain('@example.com');
  });
});
