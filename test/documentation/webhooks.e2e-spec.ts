import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { SIGNATURE_ADVICE } from '../../src/workflows/webhooks/signatures/signature-mistake.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  sign,
  type WorkflowShape,
} from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const CALLS = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as { workflow_id: string; trigger?: object },
);
/**
 * The trigger of every webhook in these tests. The calls on the page must not change the members that they do not name.
 */
const EVERYTHING = {
  type: 'webhook',
  secret: true,
  wait_seconds: 30,
  if: 'trigger.payload.email',
  contact: { email: '{{ trigger.payload.email }}', tags: ['lead'] },
  limits: { concurrency: { runs: 5 }, rate: { runs: 100, per_seconds: 60 } },
};
const EXAMPLES = [...PAGE.matchAll(/```sh\n([^]*?)```/g)].map(([, text]) => text!);

describe('docs/webhooks.md', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it('has examples that work without changes, one after the other', async () => {
    const { webhook_url, secret } = await createWorkflow(
      acme,
      [{ id: 'found', tool: 'search_contacts', arguments: { query: 'nobody' } }],
      { trigger: EVERYTHING },
    );
    const [settings, ...examples] = EXAMPLES;
    const known = settings!
      .replace(/^WEBHOOK=.*$/m, `WEBHOOK=${webhook_url}`)
      .replace(/^SECRET=.*$/m, `SECRET=${secret}`);
    const script = ['set -eu', known, ...examples.map((example) => `${example}\necho`)].join('\n');
    const { stdout } = await promisify(execFile)('sh', ['-c', script], {
      env: { PATH: process.env.PATH },
    });
    const done = {
      ok: true,
      runId: expect.stringMatching(/^run_/) as string,
      status: 'succeeded',
      outputs: { found: { contacts: [], next_cursor: null } },
    };
    const answers = stdout.split('\n').filter(Boolean);
    expect(answers.map((answer) => JSON.parse(answer) as object)).toEqual([
      done,
      done,
      { ok: true, deliveryId: expect.stringMatching(/^dlv_/) as string },
      done,
    ]);
  });

  it('shows calls that change some settings of a webhook and keep all others', async () => {
    const { id, trigger, secret } = await createWorkflow(acme, [], { trigger: EVERYTHING });
    const body = '{"email":"lead@example.com"}';
    const secrets = [secret!];
    const [, , rotate, update] = CALLS;
    for (let times = 0; times < 2; times += 1) {
      const { value } = await acme.call<{ secret: string; workflow: WorkflowShape }>(
        'rotate_webhook_secret',
        { ...rotate, workflow_id: id },
      );
      expect(value.workflow).toMatchObject({ version: 1, trigger });
      secrets.push(value.secret);
    }
    for (const known of secrets) {
      const headers = { 'x-webhook-signature': sign(body, known) };
      const answer = await postWebhook(switchboard, id, body, headers);
      expect(answer.status).toBe(200);
      const run = await getRun(acme, answer.body.runId);
      expect(run.steps[0]!.output).toMatchObject({ contact: { email: 'lead@example.com' } });
    }
    const changed = await acme.call<{ removed?: string[]; secret: null }>('update_workflow', {
      ...update,
      workflow_id: id,
    });
    expect(changed.value).not.toHaveProperty('removed');
    expect(changed.value.secret).toBeNull();
  });

  it('shows a call that verifies the signature of a provider', async () => {
    const { id } = await createWorkflow(acme, [], { trigger: EVERYTHING });
    const [provider] = CALLS;
    const { value } = await acme.call<{ secret: string; workflow: WorkflowShape }>(
      'update_workflow',
      { ...provider, workflow_id: id },
    );
    expect(value.workflow.trigger).toMatchObject({ signature: 'stripe', secret: true });
    const [time, body] = [Math.floor(Date.now() / 1000), '{"id":"evt_1"}'];
    const signature = `t=${time},v1=${sign(`${time}.${body}`, value.secret)}`;
    const answer = await postWebhook(switchboard, id, body, { 'Stripe-Signature': signature });
    expect(answer.status).toBe(200);
  });

  it('shows a workflow that accepts a large payload', async () => {
    const [, catalog] = CALLS;
    const { status, error } = await acme.call('create_workflow', { ...catalog });
    expect(error).toBeUndefined();
    expect(status).toBe(200);
  });

  it('shows a step that answers the sender', async () => {
    const { id } = await createWorkflow(acme, []);
    const [, , , , answering] = CALLS;
    await acme.call('update_workflow', { ...answering, workflow_id: id });
    const response = await fetch(`${switchboard.url}/api/webhooks/workflow/${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'A & B', email: 'ab@example.com' }),
    });
    expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(await response.text()).toBe('<Response><Message>Hello A &amp; B</Message></Response>');
  });

  it('shows the payload of each format', async () => {
    const rows = [...PAGE.matchAll(/^\| (`\w+`)? +\| `([^`]+)` `([^`]+)` +\| `([^`]+)` +\|$/gm)];
    expect(rows).toHaveLength(5);
    for (const [, accept = '', type, body, payload] of rows) {
      const trigger = { type: 'webhook', accept: [...accept.matchAll(/\w+/g)].flat() };
      const { id } = await createWorkflow(acme, [], { trigger });
      const answer = await postWebhook(switchboard, id, body, { 'Content-Type': type! });
      const run = await getRun(acme, answer.body.runId);
      expect(run.trigger.payload).toEqual(JSON.parse(payload!));
    }
  });

  it('names exactly the mistakes that the diagnosis can report', () => {
    const [start, end] = ['## The delivery log', '## Testing a webhook'].map((title) =>
      PAGE.indexOf(title),
    );
    const log = PAGE.slice(start, end);
    const rows = [...log.matchAll(/^\| (`[^|]*`) +\|/gm)].map(([, names]) => names!);
    const names = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    expect(names.sort()).toEqual(Object.keys(SIGNATURE_ADVICE).sort());
  });
});
