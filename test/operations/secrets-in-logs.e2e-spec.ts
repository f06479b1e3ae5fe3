import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { waitFor } from '../support/wait-for.js';

describe('the log', () => {
  let database: { url: string; drop: () => Promise<void> };
  let started: SwitchboardProcess;
  let url: string;

  beforeAll(async () => {
    buildTree();
    database = await createTestDatabase();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    started = startProcess({
      DATABASE_URL: database.url,
      SIGN_UP: 'open',
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'trace',
      SECRET_KEY: 'canary-secret-key-canary-secret-key-canary',
    });
    await started.untilSaid(/listens on/);
  });
  afterAll(async () => {
    started.child.kill('SIGTERM');
    await started.exited;
    await database.drop();
  });

  it('contains no key, password, secret or cookie at level trace, even when requests fail', async () => {
    const acme = await createOrganization({ url });
    const canaries = ['canary-secret-key', acme.key, acme.password, acme.cookie.split('=')[1]!];
    canaries.push(new URL(database.url).password);
    const { value } = await acme.call<{
      workflow: { id: string; webhook_url: string };
      secret: string;
    }>('create_workflow', {
      name: 'Logged',
      trigger: { type: 'webhook', secret: true },
      steps: [
        { id: 'make', tool: 'create_contact', arguments: { email: '{{ trigger.payload.x }}' } },
      ],
    });
    canaries.push(value.secret);
    await acme.call('update_workflow', {
      workflow_id: value.workflow.id,
      trigger: { type: 'webhook', secret: 'canary secret of the webhook' },
    });
    canaries.push('canary secret of the webhook');
    await postJson(
      `${url}/api/webhooks/workflow/${value.workflow.id}`,
      {},
      { 'x-webhook-signature': 'no' },
    );
    await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_contacts' },
    });
    const provider = { channel: 'webhook', kind: 'standard_webhooks' };
    const secret = `whsec_${Buffer.from('canary secret of a provider').toString('base64')}`;
    await acme.call('create_channel_provider', { ...provider, secret });
    await acme.call('create_channel_provider', { ...provider, secret: 'canary wrong secret' });
    canaries.push(secret, 'canary wrong secret');
    const receiver = await acme.call<{ contact: { id: string } }>('create_contact', {
      external_id: 'receiver',
      properties: { webhook_url: 'http://127.0.0.1/canary-path' },
    });
    await acme.call('send_message', {
      contact_id: receiver.value.contact.id,
      channel: 'webhook',
      body: 'Hello',
    });
    await fetch(`${url}/u/org_a.con_a.msg_a.news.${'c'.repeat(43)}`);
    canaries.push('canary-path', 'c'.repeat(43));
    await acme.rpc('not JSON', { Authorization: `Bearer ${acme.key}x` });
    await postJson(`${url}/api/auth/sign-in`, {
      email: acme.email,
      password: 'canary wrong password',
    });
    canaries.push('canary wrong password');
    await postJson(`${url}/api/webhooks/resume/org_a.run_a.step.${'0'.repeat(64)}`, {});
    const steps = [{ id: 'read', tool: 'http_request', arguments: { url: 'http://127.0.0.1/' } }];
    const reading = await createWorkflow(acme, steps, { trigger: { type: 'manual' } });
    await acme.call('trigger_workflow', { workflow_id: reading.id });
    const foreign = { Origin: 'https://attacker.example' };
    expect((await postJson(`${url}/api/auth/sign-out`, {}, foreign)).status).toBe(403);
    // Closes all database connections during a request, which logs the error with its cause.
    const outage = startOutage();
    await waitFor(
      async () => (await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status === 200,
    );
    await outage;
    await waitFor(
      async () => (await acme.fetch('/api/mcp/keys', { method: 'POST' })).status === 201,
    );
    expect((await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(401);
    await waitFor(() => started.output().includes('"level"'));
    for (const canary of canaries) expect(started.output()).not.toContain(canary);
    for (const event of [
      'invalid_signature',
      'revoked_key',
      'unknown_key',
      'failed_sign_in',
      'cross_site_request',
      'invalid_resume_url',
      'invalid_permission_link',
      'blocked_target',
    ]) {
      await waitFor(() => started.output().includes(`"security_event":"${event}"`));
    }
  });

  async function startOutage(): Promise<void> {
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await owner.end();
  }
});
