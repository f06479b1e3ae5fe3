import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';
import { withNewKey } from '../support/with-new-key.js';
import { type EraName, ERAS, rpc } from '../workflows/support/offer-client.js';
import { createWorkflow, getRun, runUntil, trigger } from '../workflows/support/workflow-client.js';

const STEPS = [
  {
    id: 'ask',
    tool: 'send_message',
    arguments: {
      email: 'ada@example.com',
      subject: 'Approve',
      body: 'Approve at {{ run.resume_urls.approval }} (“please”)',
    },
  },
  { id: 'approval', wait_for_event: { event: 'resume', timeout: { days: 1 } } },
];
const RESUME_URL = /http:[^\s"\\]*\/resume\/[^\s"\\]*/g;

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let runId: string;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_contact', { email: 'ada@example.com' });
  const workflow = await createWorkflow(acme, STEPS, { trigger: { type: 'manual' } });
  runId = await trigger(acme, workflow.id);
  await runUntil(acme, runId, 'waiting');
});

const withKey = (options: object) => withNewKey(acme, options);

/** Returns the resume URLs in everything that the key can read of the run and its message. */
async function urlsFor(agent: TestOrganization, era?: EraName): Promise<string[]> {
  const read = [
    await rpc(agent, 'tools/call', { name: 'get_run', arguments: { run_id: runId } }, era),
    await rpc(agent, 'tools/call', { name: 'list_messages', arguments: {} }, era),
    await rpc(agent, 'resources/read', { uri: `switchboard://runs/${runId}` }, era),
  ];
  return JSON.stringify(read).match(RESUME_URL) ?? [];
}

const resume = async (url: string): Promise<number> =>
  (
    await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"approved":true}',
    })
  ).status;

describe('a key that may not start workflows', () => {
  it.each([
    ['a read-only key', { read_only: true }],
    ['a key with a list of tools', { tools: ['get_run', 'list_messages'] }],
  ])('reads resume URLs without their signature: %s', async (_case, options) => {
    const agent = await withKey(options);
    for (const era of ERAS) {
      const urls = await urlsFor(agent, era);
      expect(urls.length).toBeGreaterThanOrEqual(3);
      for (const url of new Set(urls)) expect(await resume(url)).toBe(404);
    }
  });
});

describe('a CSV file', () => {
  it('of contacts or rejected rows contains no signature for a key that may not start workflows', async () => {
    const url = JSON.stringify(await getRun(acme, runId)).match(RESUME_URL)![0];
    await acme.call('create_contact', { external_id: 'x', properties: { approve: url } });
    const job = await upload(acme, `email,first_name\nwrong,${url}\n`);
    await acme.call('start_import', { import_id: job.id });
    const { key } = await withKey({ read_only: true });
    for (const path of ['/api/contacts/export.csv', `/api/imports/${job.id}/rejected.csv`]) {
      await waitFor(async () => (await (await acme.fetch(path)).text()).includes(url));
      const headers = { Authorization: `Bearer ${key}` };
      const text = await (await fetch(`${switchboard.url}${path}`, { headers })).text();
      const [shown] = text.match(/http:[^\s",]*\/resume\/[^\s",]*/)!;
      expect(await resume(shown)).toBe(404);
    }
  });
});

describe('a part of a value', () => {
  it('shows no piece of a signature, wherever in the value the part begins', async () => {
    const url = JSON.stringify(await getRun(acme, runId)).match(RESUME_URL)![0];
    const signature = url.slice(-64);
    const agent = await withKey({ read_only: true });
    let text = '';
    for (let cursor = 0; cursor < 300; cursor += 10) {
      const uri = `switchboard://runs/${runId}/steps/ask/input/${cursor}`;
      text += JSON.stringify(await rpc(agent, 'resources/read', { uri }));
    }
    expect(text).toContain('please');
    for (let at = 0; at <= 56; at += 1) expect(text).not.toContain(signature.slice(at, at + 8));
  });
});

describe('a key that may start workflows', () => {
  it('reads resume URLs with their signatures', async () => {
    const agent = await withKey({ tools: ['get_run', 'list_messages', 'trigger_workflow'] });
    const [url] = await urlsFor(agent);
    expect(await resume(url!)).toBe(202);
  });
});
