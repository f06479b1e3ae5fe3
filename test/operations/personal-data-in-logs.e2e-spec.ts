import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { upload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';

describe('the logs of the process and of the embedded PostgreSQL', () => {
  let started: SwitchboardProcess;
  let dataDir: string;
  let url: string;

  beforeAll(async () => {
    buildTree();
    dataDir = await mkdtemp(join(tmpdir(), 'switchboard-logs-'));
    await chmod(dataDir, 0o755);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    started = startProcess({
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'trace',
      SIGN_UP: 'open',
    });
    // The demo organization is created before the server listens.
    await waitFor(async () => (await fetch(url).catch(() => undefined)) !== undefined);
  });
  afterAll(async () => {
    started.child.kill('SIGTERM');
    await started.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  it('have no address, name, text, payload, key or password, even of statements that fail', async () => {
    const acme = await createOrganization({ url }, 'Canary organization');
    const { email, key, password } = acme;
    const canaries = ['Canary organization', email, key, password, acme.cookie.split('=')[1]!];
    // The address is taken, so a unique key is violated.
    const taken = { email, password, organization_name: 'Canary taken' };
    expect((await postJson(`${url}/api/auth/sign-up`, taken)).status).toBe(409);
    const contact = {
      email: 'canary.contact@example.com',
      external_id: 'canary-external-id',
      first_name: 'Canaryfirst',
      phone: '+49 30 99887766',
      properties: { note: 'canary property' },
    };
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', contact);
    await acme.call('create_contact', contact);
    await acme.call('create_contact', { ...contact, email: 'canary.other@example.com' });
    await acme.call('search_contacts', { query: 'canary search' });
    await acme.call('send_message', {
      contact_id: value.contact.id,
      subject: 'Canary subject',
      body: 'Canary body of a message.',
    });
    await acme.call('create_topic', { name: 'news', title: 'Canary topic', default: 'opted_in' });
    await acme.call('set_topic_subscription', {
      contact_id: value.contact.id,
      topic: 'news',
      subscribed: false,
      evidence: { text: 'canary evidence', ip: '192.0.2.99' },
    });
    await acme.call('create_template', {
      name: 'canary_template',
      variants: { en: { email: { subject: 'Canary', html: '<p>canary {% broken' } } },
    });
    await acme.call('suppress_address', { channel: 'email', address: 'canary.gone@example.com' });
    await acme.call('create_segment', { name: 'Canary segment', filters: [{ field: 'canary' }] });
    await acme.fetch('/api/imports', {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: 'email,canary column\ncanary import,1\n"canary open',
    });
    await fetch(`${url}/u/canary-token`);
    await fetch(`${url}/preferences/canary-token%`, { method: 'POST', body: 'canary=form' });
    const made = await acme.call<{ workflow: { id: string }; secret: string }>('create_workflow', {
      name: 'Canary workflow',
      trigger: { type: 'webhook' },
      steps: [
        { id: 'make', tool: 'create_contact', arguments: { email: '{{ trigger.payload.x }}' } },
      ],
    });
    const hook = `${url}/api/webhooks/workflow/${made.value.workflow.id}`;
    await postJson(hook, { x: 'canary payload' });
    await importCanaries(acme);
    const variants = {
      en: { email: { subject: 'Canary template', text: 'Canary {{ unknown }}' } },
    };
    await acme.call('create_template', { name: 'canary', variants });
    await acme.call('suppress_address', { address: 'canary.suppressed@example.com' });
    await acme.call('emit_event', { event: 'canary.event', data: { note: 'canary data' } });
    await postJson(`${url}/api/auth/sign-in`, { email, password: 'canary wrong password' });
    await failStatements();
    await waitFor(() => started.output().includes('"security_event":"failed_sign_in"'));
    canaries.push(contact.external_id, '99887766', '192.0.2.99');
    const logs = { output: started.output(), postgres: await postgresLog() };
    for (const [name, text] of Object.entries(logs)) {
      expect(text.length).toBeGreaterThan(100);
      const found = [...canaries, 'canary', 'Canary'].filter((canary) => text.includes(canary));
      expect([name, found]).toEqual([name, []]);
    }
  });

  /** Imports a file with a row that is rejected, and a row whose address is taken. */
  async function importCanaries(acme: TestOrganization): Promise<void> {
    const file =
      'email,first_name\ncanary.row@example.com,Canaryrow\ncanary wrong row,Canary\ncanary.contact@example.com,Canary\n';
    const { id: import_id } = await upload(acme, file, '?name=canary.csv');
    await acme.call('start_import', { import_id });
    await waitFor(async () => {
      const { value } = await acme.call<{ import: { status: string } }>('get_import', {
        import_id,
      });
      return value.import.status === 'completed' ? true : undefined;
    });
  }

  const postgresLog = () => readFile(join(dataDir, 'postgres.log'), 'utf8');

  /** Runs SQL that fails, with values in its text, in its parameters and in stored rows, and ends a session. */
  async function failStatements(): Promise<void> {
    const lines = (await readFile(join(dataDir, 'pg', 'postmaster.pid'), 'utf8')).split('\n');
    const owner = new Client({
      host: '127.0.0.1',
      port: Number(lines[3]),
      user: 'switchboard',
      database: 'switchboard',
      password: (await readFile(join(dataDir, 'pg.password'), 'utf8')).trim(),
    });
    owner.on('error', () => undefined);
    await owner.connect();
    const failing: [string, unknown[]?][] = [
      [`select 'canary literal'::integer`],
      ['select $1::integer', ['canary parameter']],
      ['select $1::json', ['{"a": canary json}']],
      [`insert into gate.users select * from gate.users`],
      [`insert into contacts (organization_id, id) select 'canary', null`],
      [`do $$ begin raise exception 'canary raised' using detail = 'canary detail'; end $$`],
      [`do $$ begin raise warning 'canary warning'; end $$`],
      [`alter role canary_missing password 'canary role password'`],
      [`select pg_terminate_backend(pg_backend_pid()), 'canary terminated'`],
    ];
    for (const [text, values] of failing) await owner.query(text, values).catch(() => undefined);
    await owner.end().catch(() => undefined);
  }
});
