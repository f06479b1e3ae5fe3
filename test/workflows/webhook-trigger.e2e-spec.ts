import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { createWorkflow, getRun, postWebhook, runUntil } from './support/workflow-client.js';

describe('the webhook of a workflow', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it('starts a run with the payload, and answers before the run ends', async () => {
    const workflow = await createWorkflow(acme, [
      { id: 'add', tool: 'create_contact', arguments: { email: '{{ trigger.payload.email }}' } },
    ]);
    const { status, body, headers } = await postWebhook(switchboard, workflow.id, {
      email: 'new@example.com',
    });
    expect(status).toBe(202);
    expect(body).toEqual({ ok: true, runId: expect.stringMatching(/^run_/) as string });
    expect(headers.get('cache-control')).toBe('no-store');
    const run = await runUntil(acme, body.runId, 'succeeded', 'failed');
    expect(run).toMatchObject({
      status: 'succeeded',
      contact_id: null,
      trigger: { type: 'webhook', payload: { email: 'new@example.com' } },
    });
  });

  it('sets the contact of the run to the known contact that the payload names', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'known@example.com',
    });
    const stranger = await createOrganization(switchboard);
    const theirs = await stranger.call<{ contact: { id: string } }>('create_contact', {
      email: 'theirs@example.com',
    });
    const workflow = await createWorkflow(acme, []);
    const { id } = value.contact;
    const cases: [object, string | null][] = [
      [{ contact_id: id }, id],
      [{ email: 'Known@Example.com' }, id],
      [{ contact_id: 'con_unknown', email: 'known@example.com' }, id],
      [{ contact_id: theirs.value.contact.id }, null],
      [{ email: 'theirs@example.com' }, null],
      [{ contact_id: 7, email: { a: 1 } }, null],
      [{ contact_id: 'a\u0000b', email: '\ud800' }, null],
      [{ contact_id: 'x'.repeat(5000) }, null],
    ];
    for (const [payload, expected] of cases) {
      const { status, body } = await postWebhook(switchboard, workflow.id, payload);
      expect(status).toBe(202);
      expect((await getRun(acme, body.runId)).contact_id).toBe(expected);
    }
  });

  it('keeps the run when its contact is deleted', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'leaving@example.com',
    });
    const workflow = await createWorkflow(acme, []);
    const { body } = await postWebhook(switchboard, workflow.id, { contact_id: value.contact.id });
    await acme.call('delete_contact', { contact_id: value.contact.id });
    expect((await getRun(acme, body.runId)).contact_id).toBeNull();
  });

  it('gives the same answer for everything that is not an active webhook', async () => {
    const inactive = await createWorkflow(acme, [], { active: false });
    const manual = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    const deleted = await createWorkflow(acme, []);
    await acme.call('delete_workflow', { workflow_id: deleted.id });
    const ids = [inactive.id, manual.id, deleted.id, '0'.repeat(32), 'x', "'; drop", '%00', '../x'];
    const answers = await Promise.all(
      // The last two paths are not valid percent-encoding.
      [...ids.map(encodeURIComponent), '%', '%E0%A4%A'].map((id) =>
        postWebhook(switchboard, id, 'not json'),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(answers[0]!.body);
      expect(answer.body).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
    await acme.call('activate_workflow', { workflow_id: inactive.id });
    expect((await postWebhook(switchboard, inactive.id, {})).status).toBe(202);
    await acme.call('deactivate_workflow', { workflow_id: inactive.id });
    expect((await postWebhook(switchboard, inactive.id, {})).status).toBe(404);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('refuses %s', async (method) => {
    const url = `${switchboard.url}/api/webhooks/workflow/${'0'.repeat(32)}`;
    const response = await fetch(url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('ignores origins and cookies', async () => {
    const workflow = await createWorkflow(acme, []);
    const headers = {
      Origin: 'https://elsewhere.example',
      Cookie: 'a=b',
      'Sec-Fetch-Site': 'cross-site',
    };
    expect((await postWebhook(switchboard, workflow.id, {}, headers)).status).toBe(202);
  });

  itSlow('answers 503 when the run cannot be stored', async () => {
    const workflow = await createWorkflow(acme, []);
    await switchboard.ownerQuery('begin');
    await switchboard.ownerQuery('lock table workflow_runs in access exclusive mode');
    try {
      const answer = await postWebhook(switchboard, workflow.id, {});
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ ok: false, error: { code: 'unavailable' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await switchboard.ownerQuery('rollback');
    }
  });
});
