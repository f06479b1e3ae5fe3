// Runs Switchboard as in production, with the role that the variable ROLE names. A process that serves HTTP creates an
// organization with the contacts and the workflow of the contests.
import { createRequire } from 'node:module';
import { CONTACTS, contactOf, messageOf, SECRET } from '../../webhooks.mjs';
import { announce } from '../serve.mjs';

createRequire(new URL('../../../package.json', import.meta.url))('reflect-metadata');
const dist = (path) => import(new URL(`../../../dist/src/${path}`, import.meta.url));
const { startApplication } = await dist('bootstrap/application.js');
const { loadEnv } = await dist('config/load-env.js');
const { tuneV8Soon } = await dist('operations/tune-v8.js');

const env = loadEnv({ ...process.env, HOST: '127.0.0.1', PORT: '0' });
const app = await startApplication({
  env,
  ownerUrl: env.databaseUrl,
  log: () => undefined,
  extensions: {},
});
announce(env.runsWeb ? await prepare() : {});
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
// In production, startSwitchboard makes this call.
tuneV8Soon();

async function prepare() {
  const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
  const signedUp = await post(`${url}/api/auth/sign-up`, {
    // A second process on the same database makes another organization.
    email: `owner.${process.pid}@example.com`,
    password: 'correct horse battery staple',
    organization_name: 'Bench',
  });
  const headers = { Cookie: signedUp.headers.getSetCookie()[0].split(';')[0], Origin: url };
  const call = async (tool, given) =>
    await (await post(`${url}/api/tools/${tool}`, given, headers)).json();
  for (let number = 0; number < CONTACTS; number += 1) {
    const { email, firstName } = contactOf(number);
    await call('create_contact', { email, first_name: firstName });
  }
  const { workflow } = await call('create_workflow', {
    name: 'Order',
    trigger: { type: 'webhook', secret: SECRET },
    steps: [
      { id: 'look_up', tool: 'get_contact', arguments: { email: '{{ trigger.payload.email }}' } },
      {
        id: 'store',
        tool: 'send_message',
        arguments: {
          contact_id: '{{ look_up.contact.id }}',
          ...messageOf('{{ look_up.contact.first_name }}', '{{ trigger.payload.order }}'),
          // The message is scheduled, so it is stored but not delivered, as in the peers.
          scheduled_at: new Date(Date.now() + 300 * 86_400_000).toISOString(),
        },
      },
    ],
    active: true,
  });
  return { url: `${url}/api/webhooks/workflow/${workflow.id}` };
}

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}
