import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { createDemoOrganization, type DemoOrganization } from './demo-organization.js';
import { hasDemoMarker, writeDemoMarker } from './demo-marker.js';

type Say = (line: string) => void;

/** Prints the address of Switchboard and the next steps. Creates the demo organization at the first start. */
export async function welcome(app: INestApplicationContext, env: Env, say: Say): Promise<void> {
  const needsDemo = !env.databaseUrl && !hasDemoMarker(env.dataDir);
  // The creation writes lines to the log, so the organization is created before the text is printed.
  const demo = needsDemo ? await createDemoOrganization(app) : undefined;
  for (const line of await linesFor(app, env, demo)) say(line);
  // The marker is written after the secrets were printed. After an interrupted start, the next start creates a new
  // organization.
  if (demo) {
    await writeDemoMarker(env.dataDir, `The demo organization of ${demo.email} was created.`);
  }
}

async function linesFor(
  app: INestApplicationContext,
  env: Env,
  demo: DemoOrganization | undefined,
): Promise<string[]> {
  const url = env.baseUrl;
  const address = [`\nSwitchboard listens on ${url}`, `The dashboard: open ${url}/ in a browser.`];
  if (env.databaseUrl) return [...address, ...(await nextStep(app, url))];
  const place = `Data and e-mail files are in ${env.dataDir}`;
  if (demo) return [...address, place, ...instructions(url, env, demo)];
  return [
    ...address,
    place,
    signInHint(url, 'owner@demo.localhost'),
    `The first start has shown the password. To begin anew without it, stop, delete ${env.dataDir}, and start again.`,
  ];
}

function instructions(url: string, env: Env, demo: DemoOrganization): string[] {
  const body = JSON.stringify({ email: demo.contactEmail, first_name: 'Ada', plan: 'pro' });
  const signature = createHmac('sha256', demo.workflow.secret).update(body).digest('hex');
  const rpc = (method: string, params?: object): string =>
    [
      `curl -s ${url}/api/mcp -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json'`,
      `-d '${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}'`,
    ].join(' ');
  return [
    '',
    'A demo organization was created. These secrets are shown only once:',
    `  Sign in         ${demo.email}`,
    `  Password        ${demo.password}`,
    `  API key         ${demo.apiKey}`,
    `  Webhook secret  ${demo.workflow.secret}`,
    '',
    '1. List the tools:',
    rpc('tools/list'),
    '',
    '2. Send a message:',
    rpc('tools/call', {
      name: 'send_message',
      arguments: { email: demo.contactEmail, subject: 'Hello', body: 'Hello from Switchboard.' },
    }),
    '',
    '3. Send the signed webhook:',
    `curl -s ${demo.workflow.webhookUrl} -H 'Content-Type: application/json' -H 'x-webhook-signature: ${signature}' -d '${body}'`,
    '',
    ...(env.smtpUrl
      ? []
      : [`E-mail is written to ${join(env.dataDir, 'outbox')} (set SMTP_URL to send it).`]),
    'Stop with Ctrl-C; the data stays.',
  ];
}

/** Returns the next step, or nothing while the database is down, because the start must not fail now. */
async function nextStep(app: INestApplicationContext, url: string): Promise<string[]> {
  try {
    const hasAccounts = await app.get(AccountsService).hasAny();
    return [hasAccounts ? signInHint(url, 'you@example.com') : signUpHint(url)];
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return [];
    throw error;
  }
}

function signUpHint(url: string): string {
  const body = { email: 'you@example.com', password: '...', organization_name: '...' };
  return `Nobody has an account yet. Create the first organization:\n${curl(url, 'sign-up', body)}`;
}

function signInHint(url: string, email: string): string {
  return `Sign in:\n${curl(url, 'sign-in', { email, password: '...' })}`;
}

function curl(url: string, path: string, body: object): string {
  return `curl -s ${url}/api/auth/${path} -c cookies.txt -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}
