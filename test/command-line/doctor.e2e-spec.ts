import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/keys/api-key-format.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { type CommandResult, runCommand } from './support/command.js';
import { json, MiddleServer } from './support/middle-server.js';
import { RowsFolder } from './support/rows-file.js';

let switchboard: Switchboard;
let acme: TestOrganization;
let middle: MiddleServer;
beforeAll(async () => {
  buildTree();
  switchboard = await startSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  middle = await MiddleServer.start(switchboard.url);
});
afterEach(() => middle.close());
afterAll(() => switchboard.close());

const examine = (url = switchboard.url, key: string | undefined = acme.key) =>
  runCommand(['doctor'], { url, key });

/** Returns the texts of the findings of one kind. */
function found({ stdout }: CommandResult, state: 'ok' | 'warning' | 'WRONG'): string {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith(state))
    .join('\n');
}

async function newKey(options: object): Promise<string> {
  const response = await acme.fetch('/api/mcp/keys', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(options),
  });
  return ((await response.json()) as { api_key: string }).api_key;
}

describe('switchboard doctor', () => {
  it('finds nothing wrong with a service and its key', async () => {
    const result = await examine();
    expect(found(result, 'WRONG') + found(result, 'warning')).toBe('');
    expect(found(result, 'ok').split('\n')).toEqual([
      expect.stringContaining(`address  Switchboard answers at ${switchboard.url}.`),
      expect.stringContaining('health   The service is ready'),
      expect.stringContaining('clock    The clocks agree.'),
      expect.stringContaining(`key      The key ${acme.key.slice(0, 8)}…${acme.key.slice(-4)} is`),
      expect.stringMatching(/version {2}The service and this command have version [\d.]+\./),
      expect.stringMatching(/tools {4}The key may call \d\d tools\./),
    ]);
    expect(result.code).toBe(0);
    expect(result.stdout).not.toContain(acme.key);
  });

  it('says what a restricted key may do, and when it expires', async () => {
    const tools = ['get_contact', 'search_contacts'];
    const key = await newKey({ read_only: true, tools, expires_in_days: 3 });
    const result = await examine(switchboard.url, key);
    expect(found(result, 'ok')).toContain('The key may only call tools that change nothing.');
    expect(found(result, 'ok')).toContain(
      'The key may call 2 tools: get_contact, search_contacts.',
    );
    expect(found(result, 'warning')).toMatch(/The key expires at \S+Z, in 2 days\. Ask an owner/);
    expect(result.code).toBe(0);
  });

  it('says at which time a key was revoked', async () => {
    const { key } = acme;
    await newKey({});
    const result = await examine(switchboard.url, key);
    expect(found(result, 'WRONG')).toMatch(/SWITCHBOARD_KEY: This API key was revoked at /);
    expect(result.code).toBe(1);
    expect(result.stdout).not.toContain(key);
  });

  it.each([
    ['an unknown key', newApiKey(), 'This API key is unknown or revoked.'],
    [
      'a key with a typing error',
      'swb_1',
      'is not an API key: it is incomplete or has a typing error.',
    ],
    ['no key', '', 'SWITCHBOARD_KEY is not set. An owner makes a key'],
  ])('says what is wrong with %s', async (_what, key, text) => {
    const result = await examine(switchboard.url, key);
    expect(found(result, 'WRONG')).toContain(text);
    expect(result.code).toBe(1);
  });

  it('says that nothing listens at an address', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const result = await examine(url);
    expect(found(result, 'WRONG')).toContain(`Nothing listens at ${url}. Start Switchboard there`);
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(result.code).toBe(1);
  });

  it('says that a host name does not exist', async () => {
    const result = await examine('http://switchboard.invalid');
    expect(found(result, 'WRONG')).toMatch(
      /switchboard\.invalid (does not exist|cannot be looked up)/,
    );
  });

  it('says that a path is wrong', async () => {
    const result = await examine(`${switchboard.url}/dashboard`);
    expect(found(result, 'WRONG')).toContain('has no such path.');
    expect(result.code).toBe(1);
  });

  it('reports the title of a web page that a proxy returns in place of the service', async () => {
    const body = '<!doctype html><html><head><title>502 Bad\u001b Gateway</title></head></html>';
    const page = { status: 502, headers: { 'Content-Type': 'text/html' }, body };
    middle.behaviour = () => Promise.resolve(page);
    const result = await examine(middle.url);
    expect(found(result, 'WRONG')).toContain(
      `A web page with the title "502 Bad  Gateway" answered at ${middle.url} (status 502)`,
    );
  });

  it('says where an address redirects, and does not send the key to that place', async () => {
    const headers = { Location: 'https://other.example/health/live' };
    middle.behaviour = () => Promise.resolve({ status: 301, headers, body: '' });
    const result = await examine(middle.url);
    expect(found(result, 'WRONG')).toContain('redirects to https://other.example/health/live.');
    expect(middle.requests).toHaveLength(1);
  });

  it('says that a service that is not Switchboard answers', async () => {
    middle.behaviour = () => Promise.resolve(json(200, { hello: 'world' }));
    expect(found(await examine(middle.url), 'WRONG')).toContain(
      'A service that is not Switchboard',
    );
  });

  it('says which part of the service is down', async () => {
    middle.behaviour = ({ path }, forward) =>
      path === '/health/ready'
        ? Promise.resolve(json(503, { status: 'unavailable', failing: ['database'] }))
        : forward();
    const result = await examine(middle.url);
    expect(found(result, 'WRONG')).toContain('The service cannot serve requests now: database.');
    expect(result.code).toBe(1);
  });

  it.each([
    [-60, 'warning', 0, /\d\d seconds ahead of that of the service\.$/],
    [60, 'warning', 0, /\d\d seconds behind that of the service\.$/],
    [-900, 'WRONG', 1, /9\d\d seconds ahead of .* Webhooks .* are refused\. Set the clock/],
  ] as const)(
    'reports a clock of the service that is %i s ahead',
    async (ahead, state, code, text) => {
      middle.behaviour = async (_request, forward) => {
        const answer = await forward();
        const date = new Date(Date.now() + ahead * 1000).toUTCString();
        return { ...answer, headers: { ...answer.headers, Date: date } };
      };
      const result = await examine(middle.url);
      expect(found(result, state)).toMatch(text);
      expect(result.code).toBe(code);
    },
  );

  it('reports a service of another version', async () => {
    middle.behaviour = async (_request, forward) => {
      const answer = await forward();
      return {
        ...answer,
        body: answer.body.replace(/("name":"switchboard".*"version":)"[^"]*"/, '$1"9.0.0"'),
      };
    };
    expect(found(await examine(middle.url), 'warning')).toContain('The service has version 9.0.0');
  });
});

describe('switchboard doctor with TLS', () => {
  let folder: RowsFolder;
  let server: Server;
  let port: number;

  beforeAll(async () => {
    folder = await RowsFolder.create();
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
    const subject = ['-subj', '/CN=switchboard.test', '-days', '2'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', key, '-out', cert];
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...subject, ...files]);
    const options = { key: await readFile(key), cert: await readFile(cert) };
    server = createServer(options, (_request, response) => response.end());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await folder.remove();
  });

  it('says that a certificate is not trusted, and how to trust it', async () => {
    const result = await examine(`https://127.0.0.1:${port}`);
    expect(found(result, 'WRONG')).toMatch(/is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    expect(found(result, 'WRONG')).toContain('NODE_EXTRA_CA_CERTS');
    expect(result.code).toBe(1);
  });

  it('says that a service without TLS has no https address', async () => {
    const url = switchboard.url.replace('http:', 'https:');
    expect(found(await examine(url), 'WRONG')).toContain('does not speak TLS.');
  });

  it('suggests https for a service with TLS', async () => {
    expect(found(await examine(`http://127.0.0.1:${port}`), 'WRONG')).toContain('https://');
  });
});
