import { beforeAll, describe, expect, it } from 'vitest';
import { Listening } from '../mcp/support/listening.js';
import { callForTask, TASKS, untilEnded } from '../mcp/support/task-client.js';
import { createContact, storedBody } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { withNewKey } from '../support/with-new-key.js';
import { rpc, said } from '../workflows/support/offer-client.js';
import { createWorkflow, trigger } from '../workflows/support/workflow-client.js';

interface Sent {
  message: { body: string };
}

const LINK = /http:[^\s"\\<]*\/(?:u|preferences|confirm)\/[^\s"\\<]*/g;

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let contactId: string;
let messageId: string;
let links: string[];
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
  await acme.call('create_topic', { name: 'paper', title: 'Paper', double_opt_in: true });
  contactId = (await createContact(acme)).id;
  await acme.call('set_topic_subscription', {
    contact_id: contactId,
    topic: 'paper',
    subscribed: true,
  });
  const { value } = await acme.call<{ message: { id: string } }>('send_message', {
    contact_id: contactId,
    topic: 'news',
    subject: 'May',
    html: '<p>{{ unsubscribe_url }} {{ preferences_url | url_encode }}</p>',
    variables: {},
  });
  messageId = value.message.id;
  links = (await storedBody(switchboard, messageId)).split(' ').map(decodeURIComponent);
});

/** Returns the links in everything that the caller can read of the messages. */
async function shownTo(agent: TestOrganization): Promise<string[]> {
  const read = [
    await rpc(agent, 'tools/call', { name: 'list_messages', arguments: {} }),
    await rpc(agent, 'tools/call', { name: 'get_message', arguments: { message_id: messageId } }),
    await rpc(agent, 'resources/read', { uri: 'switchboard://messages' }),
  ];
  return decodeURIComponent(JSON.stringify(read)).match(LINK) ?? [];
}

const opens = async (url: string): Promise<number> => (await fetch(url)).status;

/** Returns the links in a text that may be encoded in Base64. */
const linksIn = (text: string): string[] => [
  ...(text.match(LINK) ?? []),
  ...(Buffer.from(text, 'base64').toString().match(LINK) ?? []),
];

describe('the links for contacts in messages', () => {
  it('work in the e-mail', async () => {
    expect(links).toHaveLength(2);
    for (const url of links) expect(await opens(url)).toBe(200);
  });

  it.each([
    ['a read-only key', { read_only: true }],
    ['a key with a list of tools', { tools: ['get_message', 'list_messages'] }],
    ['a key that may do everything', {}],
  ])('are shown without their signature to %s', async (_case, options) => {
    const shown = await shownTo(await withNewKey(acme, options));
    expect(shown.some((url) => url.includes('/confirm/'))).toBe(true);
    expect(shown.length).toBeGreaterThanOrEqual(5);
    for (const url of new Set(shown)) expect([url, await opens(url)]).toEqual([url, 404]);
  });

  it('are shown to people without their signature, also in the preview', async () => {
    const { value } = await acme.call('list_messages', { contact_id: contactId });
    const preview = await (await acme.fetch(`/api/messages/${messageId}/preview`)).text();
    const shown = decodeURIComponent(JSON.stringify(value) + preview).match(LINK)!;
    expect(shown.length).toBeGreaterThanOrEqual(5);
    for (const url of new Set(shown)) expect([url, await opens(url)]).toEqual([url, 404]);
  });

  it.each(['{{ preferences_url }}', '{{ preferences_url | base64_encode }}'])(
    'have no valid signature in the answer of send_message, also in a dry run: %s',
    async (body) => {
      const agent = await withNewKey(acme, { tools: ['send_message'] });
      const given = { contact_id: contactId, subject: 'Hello', body, variables: {} };
      for (const dryRun of [true, false]) {
        const { result } = await rpc(agent, 'tools/call', {
          name: 'send_message',
          arguments: given,
          _meta: { 'switchboard/dryRun': dryRun },
        });
        const answer = said<Sent & { result?: Sent }>({ result });
        const { message } = answer.result ?? answer;
        const [url] = linksIn(message.body);
        expect([url, await opens(url!)]).toEqual([url, 404]);
      }
    },
  );

  it('have no valid signature in an answer when a forged beginning of a link precedes them', async () => {
    const agent = await withNewKey(acme, { tools: ['send_message'] });
    const { result } = await rpc(agent, 'tools/call', {
      name: 'send_message',
      arguments: {
        contact_id: contactId,
        subject: 'Hello',
        body: 'org_1.con_1.msg_1..{{ preferences_url | split: "/" | last }}',
        variables: {},
      },
    });
    const { message } = said<Sent & { message: { id: string } }>({ result });
    const stored = await storedBody(switchboard, message.id);
    const token = stored.slice('org_1.con_1.msg_1..'.length);
    expect(await opens(`${switchboard.url}/preferences/${token}`)).toBe(200);
    expect(message.body).not.toContain(token.split('.').at(-1));
  });

  it('are shown to a restricted key without their signature when a payload quotes them', async () => {
    const { id } = await createWorkflow(acme, [{ id: 'end', stop: 'succeeded' }], {
      trigger: { type: 'manual' },
    });
    const runId = await trigger(acme, id, { text: `> ${links[0]}` });
    for (const options of [{ read_only: true }, { tools: ['get_run', 'trigger_workflow'] }]) {
      const agent = await withNewKey(acme, options);
      const read = [
        await rpc(agent, 'tools/call', { name: 'get_run', arguments: { run_id: runId } }),
        await rpc(agent, 'resources/read', {
          uri: `switchboard://runs/${runId}/steps/trigger/payload/0`,
        }),
      ];
      const shown = JSON.stringify(read).match(LINK)!;
      expect(shown.length).toBe('read_only' in options ? 2 : 1);
      for (const url of new Set(shown)) expect([url, await opens(url)]).toEqual([url, 404]);
    }
  });

  it('are shown to a restricted key without their signature in tasks and in notifications of tasks', async () => {
    const { id } = await createWorkflow(
      acme,
      [{ id: 'quote', return: { text: '{{ trigger.payload.text }}' } }],
      { trigger: { type: 'manual' } },
    );
    const agent = await withNewKey(acme, { tools: ['get_run', 'trigger_workflow'] });
    const payload = { text: `> ${links[0]}` };
    const { taskId } = await callForTask(agent, 'trigger_workflow', { workflow_id: id, payload });
    const task = await untilEnded(agent, taskId);
    const listening = await Listening.to(
      switchboard.url,
      agent.key,
      { taskIds: [taskId] },
      { capabilities: TASKS },
    );
    const [told] = await waitFor(() => (listening.told.length > 0 ? listening.told : undefined));
    listening.close();
    for (const read of [task, told]) {
      const [url] = JSON.stringify(read).match(LINK) ?? [];
      expect([url, await opens(url!)]).toEqual([url, 404]);
    }
  });
});
