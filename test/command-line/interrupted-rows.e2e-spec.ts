import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { runCommand, startCommand } from './support/command.js';
import { json, MiddleServer } from './support/middle-server.js';
import { RowsFolder } from './support/rows-file.js';

let switchboard: Switchboard;
let acme: TestOrganization;
let folder: RowsFolder;
let middle: MiddleServer;
let file: string;
const ROWS = 100;

beforeAll(async () => {
  buildTree();
  switchboard = await startSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  folder = await RowsFolder.create();
  middle = await MiddleServer.start(switchboard.url);
  const rows = Array.from({ length: ROWS }, (_, n) => ({ email: `person${n + 1}@example.com` }));
  file = await folder.write('people.jsonl', rows);
});
afterEach(async () => {
  await middle.close();
  await folder.remove();
});
afterAll(() => switchboard.close());

const given = (...more: string[]) => ['call', 'create_contact', '--file', file, ...more];
const run = (...more: string[]) => runCommand(given(...more), { url: middle.url, key: acme.key });
const countContacts = async (): Promise<number> => {
  const [found] = await switchboard.ownerQuery<{ count: number }>(
    'select count(*)::int as count from contacts where organization_id = $1',
    [acme.id],
  );
  return found!.count;
};

describe('rows of a file that are sent to the service', () => {
  it('are executed once when the connection breaks after the service has executed them', async () => {
    const broken = new Set<string>();
    middle.behaviour = async ({ body, calls }, forward) => {
      const answer = await forward();
      if (calls === 0 || broken.has(body)) return answer;
      broken.add(body);
      return undefined;
    };
    // Without the idempotency keys, every row would conflict with itself.
    const { code, stdout } = await run();
    expect(stdout).toContain(`${ROWS} rows: ${ROWS} done, 0 rejected`);
    expect(code).toBe(0);
    expect(middle.batches).toHaveLength(2 * Math.ceil(ROWS / 20));
    expect(await countContacts()).toBe(ROWS);
  });

  it('are sent again after 429 and 503, not before the time that the service names', async () => {
    const times: number[] = [];
    middle.behaviour = async ({ calls }, forward) => {
      if (calls === 0) return await forward();
      times.push(performance.now());
      const error = { code: 1429, message: 'Too many calls. Try again later.' };
      const body = { jsonrpc: '2.0', id: null, error };
      if (times.length === 1) return json(429, body, { 'Retry-After': '1' });
      if (times.length === 2) return json(503, {}, { 'Retry-After': '0' });
      return await forward();
    };
    const { code, stderr } = await run('--parallel', '1');
    expect(stderr).toMatch(/Too many calls\..* Waiting [12] s\./);
    expect(code).toBe(0);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1000);
    expect(await countContacts()).toBe(ROWS);
  });

  it('are all executed when the rate limit is smaller than a batch', async () => {
    middle.behaviour = async ({ calls }, forward) => {
      const error = { code: 1429, message: 'Too many calls. Try again later.' };
      const refused = json(429, { jsonrpc: '2.0', id: null, error }, { 'Retry-After': '0' });
      return calls > 7 ? refused : await forward();
    };
    expect((await run()).code).toBe(0);
    expect(await countContacts()).toBe(ROWS);
  });

  it('are all executed when a proxy accepts only smaller bodies than the service', async () => {
    middle.behaviour = async ({ calls }, forward) => {
      const page = { status: 413, headers: { 'Content-Type': 'text/html' }, body: '<html>' };
      return calls > 7 ? page : await forward();
    };
    expect((await run()).code).toBe(0);
    expect(await countContacts()).toBe(ROWS);
  });

  it('are sent in batches of 20, with at most --parallel batches at the same time', async () => {
    let open = 0;
    let most = 0;
    middle.behaviour = async ({ calls }, forward) => {
      if (calls === 0) return await forward();
      open += 1;
      most = Math.max(most, open);
      // Waits until no more batches arrive, because further batches are sent only after these batches are answered.
      if (open === 2) await new Promise((done) => setTimeout(done, 200));
      const answer = await forward();
      open -= 1;
      return answer;
    };
    expect((await run('--parallel', '2')).code).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
    expect(middle.batches).toEqual([20, 20, 20, 20, 20]);
  });

  it('are not sent after the service has refused the API key, and the command prints where to continue', async () => {
    middle.behaviour = async ({ calls, body }, forward) => {
      if (calls > 0 && body.includes('person41@')) {
        await acme.fetch('/api/mcp/keys', { method: 'DELETE' });
      }
      return await forward();
    };
    const { code, stdout, stderr } = await run('--parallel', '1');
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/--from 41 --idempotency-key \S+\n.*was revoked at/s);
    expect(stderr).not.toContain(acme.key);
    expect(await countContacts()).toBe(40);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'are finished after %s if they were sent, and the printed command sends the other rows',
    async (signal) => {
      let release = (): void => undefined;
      const released = new Promise<void>((done) => (release = done));
      middle.behaviour = async ({ body }, forward) => {
        if (body.includes('person21@')) await released;
        return await forward();
      };
      const command = startCommand(given('--parallel', '1'), { url: middle.url, key: acme.key });
      await waitFor(() => middle.batches.length === 2);
      command.child.kill(signal);
      // The command prints that it stops. At this time, the second batch has no answer yet.
      await waitFor(() => command.errors().includes('Stopping'));
      release();
      const { code, stderr } = await command.result;
      expect(code).toBe(2);
      expect(await countContacts()).toBe(40);
      const [, from, key] = /--from (\d+) --idempotency-key (\S+)/.exec(stderr)!;
      expect(from).toBe('41');
      const { stdout } = await run('--from', from!, '--idempotency-key', key!);
      expect(stdout).toContain('60 rows: 60 done');
      expect(await countContacts()).toBe(ROWS);
    },
  );

  it('are interrupted by the second Ctrl-C, and are executed once when the printed command runs', async () => {
    middle.behaviour = async ({ body }, forward) => {
      const answer = await forward();
      // This request never gets an answer.
      if (body.includes('person1@')) await new Promise(() => undefined);
      return answer;
    };
    const command = startCommand(given('--parallel', '1'), { url: middle.url, key: acme.key });
    await waitFor(async () => (await countContacts()) === 20);
    command.child.kill('SIGINT');
    await waitFor(() => command.errors().includes('Stopping'));
    command.child.kill('SIGINT');
    const { code, stderr } = await command.result;
    expect(code).toBe(2);
    const [, from, key] = /--from (\d+) --idempotency-key (\S+)/.exec(stderr)!;
    expect(from).toBe('1');
    middle.behaviour = (_request, forward) => forward();
    const { stdout } = await run('--from', from!, '--idempotency-key', key!);
    expect(stdout).toContain(`${ROWS} rows: ${ROWS} done, 0 rejected`);
    expect(await countContacts()).toBe(ROWS);
  });
});
