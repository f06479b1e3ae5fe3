// Makes the two screenshots of the README, with a temporary service and its own data.
//   npm run screenshots                              writes docs/images/*.png
//   ALL=/tmp/pages npm run screenshots               also makes an image of every page, in both themes and widths
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  openProfile,
  startBrowser,
  startTemporaryService,
  waitFor,
  waitForContent,
} from './temporary-service.mjs';

const FOLDER = resolve(import.meta.dirname, '../docs/images');
const MOST_BYTES = 150_000;
const SIZE = { width: 1280, height: 800 };
const NARROW = { width: 360, height: 800 };
const SEGMENT = {
  name: 'Trials',
  filters: [{ field: 'tags', operator: 'contains', value: 'trial' }],
};
const PROVIDER = {
  channel: 'sms',
  kind: 'twilio',
  name: 'Twilio',
  settings: { account_sid: `AC${'0'.repeat(32)}`, from: '+15005550006' },
  secret: 'a-token',
};
const TEMPLATE = {
  name: 'order_confirmed',
  description: 'After an order',
  variables: [{ name: 'order_number', type: 'text' }],
  variants: {
    en: {
      email: {
        subject: 'Order {{ order_number }}',
        html: '<h1>Thank you, {{ contact.first_name | default: "dear customer" }}</h1><p>It is on its way.</p>',
      },
    },
  },
};
const TOPIC = { name: 'news', title: 'Our news', default: 'opted_in' };
const RULES = {
  timezone: 'Europe/Vienna',
  quiet_hours: { from: '21:00', to: '08:00' },
  caps: [{ channel: 'email', topic: 'news', most: 1, window_seconds: 604_800 }],
};
const SECRET = { name: 'api_token', secret: 'a token', hosts: ['api.example.com'] };

const service = await startTemporaryService({ LOG_LEVEL: 'warn' });
const browser = await startBrowser();
try {
  const { workflowId, runId } = await makeData();
  mkdirSync(FOLDER, { recursive: true });
  await inProfile({ colorScheme: 'light', viewport: SIZE }, async (page) => {
    await openCanvas(page, workflowId);
    await save(page, 'workflow.png');
    await open(page, '/runs');
    await save(page, 'runs.png');
  });
  if (process.env.ALL) await showAll(resolve(process.env.ALL), workflowId, runId);
} finally {
  await browser.close();
  await service.stop();
}

async function makeData() {
  const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edsger Dijkstra'];
  const { workflow } = await service.call('create_workflow', {
    name: 'Onboarding',
    trigger: { type: 'manual' },
    steps: [
      {
        id: 'person',
        tool: 'create_contact',
        arguments: {
          email: '{{ trigger.payload.email }}',
          first_name: '{{ trigger.payload.name }}',
          on_conflict: 'update',
        },
      },
      {
        id: 'choice',
        if: "trigger.payload.plan == 'pro'",
        then: [
          message('greeting', 'Welcome to Pro'),
          { id: 'pause', wait: { days: 7 } },
          message('question', 'How is your first week?'),
        ],
        else: [message('welcome', 'Welcome'), { id: 'tag', ...tag('trial') }],
      },
      { id: 'done', ...tag('onboarded') },
    ],
  });
  const { workflow: import_ } = await service.call('create_workflow', {
    name: 'Import contacts',
    trigger: { type: 'schedule', cron: '0 6 * * *', timezone: 'Europe/Vienna' },
    steps: [
      {
        id: 'save',
        tool: 'create_contact',
        arguments: { email: '{{ trigger.payload.email }}', on_conflict: 'update' },
      },
    ],
  });
  const runs = [];
  for (const [index, name] of people.entries()) {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
    const payload = { name: name.split(' ')[0], email, plan: index % 2 === 0 ? 'pro' : 'free' };
    runs.push(await start(workflow.id, payload));
    runs.push(await start(import_.id, { email: index === 1 ? 'no address' : email }));
  }
  await waitFor(async () => {
    const { runs: open } = await service.call('list_runs', { status: 'unfinished', limit: 100 });
    return open.every(({ status }) => status === 'waiting');
  });
  return { workflowId: workflow.id, runId: runs[0] };
}

/** Returns a file name for a path, with "one" in place of the id. */
function nameOf(path, suffix) {
  const words = path
    .replace(
      /^\/(workflows|runs|contacts|contacts\/segments|messages|templates)\/\w+_[^?]+/,
      '/$1/one',
    )
    .split(/[^a-z_]+/);
  return `${words.filter(Boolean).join('-') || 'home'}-${suffix}`;
}

async function start(workflowId, payload) {
  const { run_id: id } = await service.call('trigger_workflow', {
    workflow_id: workflowId,
    payload,
  });
  return id;
}

function message(id, subject) {
  const given = {
    contact_id: '{{ person.contact.id }}',
    subject,
    body: `Dear {{ person.contact.first_name }}, …`,
  };
  return { id, tool: 'send_message', arguments: given };
}

function tag(name) {
  const given = { contact_id: '{{ person.contact.id }}', tags: [name] };
  return { tool: 'update_contact', arguments: given };
}

async function inProfile(options, work) {
  const context = await openProfile(browser, service, { reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  await work(page);
  await context.close();
}

async function open(page, path) {
  await page.goto(service.url + path);
  await waitForContent(page);
}

async function openCanvas(page, workflowId) {
  await open(page, `/workflows/${workflowId}`);
  await page.getByRole('tab', { name: 'Canvas' }).click();
  await page.locator('.react-flow__node').first().waitFor();
}

async function save(page, name) {
  const path = join(FOLDER, name);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > MOST_BYTES)
    throw new Error(`${name} has ${size} bytes. At most ${MOST_BYTES} are allowed.`);
  console.log(`${path}: ${size} bytes`);
}

async function showAll(folder, workflowId, runId) {
  mkdirSync(folder, { recursive: true });
  const contact = await service.call('search_contacts', { limit: 1 });
  const messages = await service.call('list_messages', { limit: 1 });
  await service.call('create_topic', TOPIC);
  await service.call('set_sending_rules', { ...RULES, quiet_hours: undefined });
  const held = await sendUntilHeld(contact.contacts[0].id);
  await service.call('set_sending_rules', RULES);
  await service.call('set_secret', SECRET);
  const { segment } = await service.call('create_segment', SEGMENT);
  await service.call('suppress_address', { channel: 'email', address: 'gone@example.com' });
  await service.call('create_channel_provider', PROVIDER);
  const { template } = await service.call('create_template', TEMPLATE);
  await service.call('publish_template', { template_id: template.id });
  await service.call('add_sender_domain', { domain: 'mail.example.com' });
  const twin = { first_name: 'Ada', last_name: 'Lovelace' };
  for (const phone of ['+4930123456', '+4930123457']) {
    await service.call('create_contact', { ...twin, phone });
  }
  const { workflows } = await service.call('list_workflows', {});
  const webhook = workflows.find(({ trigger }) => trigger.type === 'webhook');
  const paths = [
    '/',
    '/workflows',
    '/workflows/new',
    `/workflows/${workflowId}`,
    ...['test', 'versions'].map((tab) => `/workflows/${workflowId}?tab=${tab}`),
    ...['trigger', 'deliveries'].map((tab) => `/workflows/${webhook.id}?tab=${tab}`),
    '/runs',
    '/runs?status=canceled',
    `/runs/${runId}`,
    '/contacts',
    `/contacts/${contact.contacts[0].id}`,
    '/contacts/duplicates',
    '/contacts/properties',
    '/contacts/imports',
    '/contacts/segments',
    `/contacts/segments/${segment.id}`,
    '/messages',
    `/messages/${messages.messages[0].id}`,
    `/messages/${held.id}?held`,
    '/messages/new',
    '/messages/suppressions',
    '/templates',
    `/templates/${template.id}`,
    '/events',
    '/approvals',
    '/tools',
    '/tools/create_contact',
    '/settings/developer',
    '/settings/developer/calls',
    '/settings/secrets',
    '/settings/channels',
    '/settings/senders',
    '/settings/topics',
    '/settings/sending',
    '/settings/contacts',
    '/settings/audit',
    '/settings/retention',
    '/settings/account',
    '/nothing',
  ];
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [SIZE, NARROW]) {
      await inProfile({ colorScheme, viewport }, async (page) => {
        const suffix = `${colorScheme}-${viewport.width}.png`;
        for (const path of paths) {
          await open(page, path);
          await page.screenshot({ path: join(folder, nameOf(path, suffix)), fullPage: true });
        }
        await openCanvas(page, workflowId);
        await page.screenshot({ path: join(folder, `canvas-${suffix}`), fullPage: true });
        await showDialogs(page, (name) => join(folder, `${name}-${suffix}`));
      });
      for (const path of ['/sign-in', '/sign-up', '/verify']) {
        const context = await browser.newContext({ locale: 'en-GB', colorScheme, viewport });
        const page = await context.newPage();
        await open(page, path);
        const name = nameOf(path, `${colorScheme}-${viewport.width}.png`);
        await page.screenshot({ path: join(folder, name), fullPage: true });
        await context.close();
      }
    }
  }
}

/** Sends messages of the topic until the cap holds a message, and returns that message. */
async function sendUntilHeld(contactId) {
  const given = { contact_id: contactId, topic: TOPIC.name, subject: 'News', body: 'Hello' };
  await service.call('send_message', given);
  const { message: last } = await service.call('send_message', given);
  return await waitFor(async () => {
    const { message: now } = await service.call('get_message', { message_id: last.id });
    return now.status === 'held' ? now : undefined;
  });
}

async function showDialogs(page, pathOf) {
  await open(page, '/contacts');
  await page.getByRole('button', { name: 'Add a contact' }).first().click();
  await page.getByLabel('First name').fill('Ada');
  await page.screenshot({ path: pathOf('dialog-contact') });
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').waitFor();
  await page.screenshot({ path: pathOf('dialog-discard') });
  await open(page, '/settings/secrets');
  await page.getByRole('button', { name: 'New secret' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.screenshot({ path: pathOf('dialog-secret') });
  await open(page, '/');
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menu').waitFor();
  await page.screenshot({ path: pathOf('menu-account') });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.screenshot({ path: pathOf('dialog-commands') });
}
