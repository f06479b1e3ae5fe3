import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '../../src/database/secret-box.js';
import { SecretsService } from '../../src/secrets/secrets.service.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { createTestDatabase } from '../support/database.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  runUntil,
  sign,
  trigger,
} from '../workflows/support/workflow-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const [OLD, NEW] = ['the-old-key-'.repeat(4), 'the-new-key-'.repeat(4)];
const BODY = '{"a":1}';

describe('npm run secrets:rotate', () => {
  const undo: (() => Promise<unknown>)[] = [];
  let databaseUrl: string;

  beforeAll(buildTree);
  afterEach(async () => {
    for (const action of undo.splice(0).toReversed()) await action();
  });

  const createDatabase = async () => {
    const database = await createTestDatabase();
    undo.push(() => database.drop());
    databaseUrl = database.url;
  };
  const start = async (env: Record<string, string>): Promise<Switchboard> => {
    const switchboard = await startSwitchboard({ databaseUrl, env, providers: [ProbeTools] });
    undo.push(() => switchboard.close());
    return switchboard;
  };
  const rotate = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, ['scripts/rotate-secrets.mjs'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        DATABASE_URL: databaseUrl,
        SIGN_UP: 'open',
        ...env,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => (output += data.toString()));
    }
    const code = await new Promise<number | null>((done) => child.once('close', done));
    return { code, output };
  };
  const createSigned = async (acme: TestOrganization) => {
    const { id, secret: first } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', secret: true },
    });
    const { value } = await acme.call<{ secret: string }>('update_workflow', {
      workflow_id: id,
      trigger: { type: 'webhook', secret: true, overlap_seconds: 3600 },
    });
    return { id, secrets: [first!, value.secret] };
  };
  const deliver = async (to: Switchboard, { id, secrets }: { id: string; secrets: string[] }) => {
    const statuses: number[] = [];
    for (const secret of secrets) {
      const headers = { 'x-webhook-signature': sign(BODY, secret) };
      statuses.push((await postWebhook(to, id, BODY, headers)).status);
    }
    return statuses;
  };
  const sealedBy = async (from: Switchboard, key: string) => {
    const id = new SecretBox(from.access.dataKey, key === 'database' ? undefined : key).currentId;
    const [row] = await from.ownerQuery<{ count: number }>(
      `select count(*)::int as count from workflows
       where substr(secret, 1, 4) = $1 and substr(previous_secret, 1, 4) = $1`,
      [id],
    );
    return row!.count;
  };
  const sessionOf = async (to: Switchboard, acme: TestOrganization) =>
    (await fetch(`${to.url}/api/auth/session`, { headers: { Cookie: acme.cookie } })).status;

  it('changes the key while processes run: secrets, sessions and resume URLs stay valid', async () => {
    await createDatabase();
    const before = await start({ SECRET_KEY: OLD, OTHER_SECRET_KEY: NEW });
    const acme = await createOrganization(before);
    const workflow = await createSigned(acme);
    const secret = { name: 'api_key', secret: 'the-value', hosts: ['a.example.com'] };
    await acme.call('set_secret', secret);
    await acme.call('create_channel_provider', {
      channel: 'webhook',
      kind: 'standard_webhooks',
      secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    });
    await acme.call('add_sender_domain', { domain: 'acme.example' });
    const waiting = await createWorkflow(
      acme,
      [
        {
          id: 'show',
          tool: 'probe_echo',
          arguments: { value: { url: '{{ run.resume_urls.approval }}' } },
        },
        { id: 'approval', wait_for_event: { event: 'resume', timeout: { days: 1 } } },
      ],
      { trigger: { type: 'manual' } },
    );
    const runId = await trigger(acme, waiting.id);
    const run = await runUntil(acme, runId, 'waiting');
    const resumeUrl = (run.steps[0]!.output as { value: { url: string } }).value.url;

    const during = await start({ SECRET_KEY: NEW, OTHER_SECRET_KEY: OLD });
    const sealedByNew = await createWorkflow({ ...acme, ...(await signInTo(during, acme)) }, [], {
      trigger: { type: 'webhook', secret: true },
    });
    const added = { id: sealedByNew.id, secrets: [sealedByNew.secret!] };
    let isRotating = true;
    const deliveries = (async () => {
      const statuses = new Set<number>();
      while (isRotating) {
        for (const to of [before, during]) {
          for (const status of await deliver(to, workflow)) statuses.add(status);
          for (const status of await deliver(to, added)) statuses.add(status);
        }
      }
      return [...statuses];
    })();
    const rotated = await rotate({ SECRET_KEY: NEW, OTHER_SECRET_KEY: OLD });
    isRotating = false;
    expect(rotated).toMatchObject({
      code: 0,
      output: expect.stringContaining('of 1 workflows and 3 secrets'),
    });
    expect(await deliveries).toEqual([202]);
    expect(await sealedBy(before, NEW)).toBe(1);
    expect(await sessionOf(during, acme)).toBe(200);
    const path = new URL(resumeUrl).pathname;
    const resumed = await fetch(`${during.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(resumed.status).toBe(202);
    await waitFor(async () => (await getRun(acme, runId)).status === 'succeeded');

    const after = await start({ SECRET_KEY: NEW });
    expect(await deliver(after, workflow)).toEqual([202, 202]);
    const [stored] = await after.app.get(SecretsService).list(acme.id);
    expect(stored!.content.secret).toBe('the-value');
    expect(await sessionOf(after, acme)).toBe(401);
    expect((await fetch(`${after.url}${path}`, { method: 'POST' })).status).toBe(404);
  });

  it('continues after an interruption, and names the secrets that no key opens', async () => {
    await createDatabase();
    const switchboard = await start({});
    const acme = await createOrganization(switchboard);
    await createSigned(acme);
    // These rows fill more than one batch. Their ids sort after all other ids.
    const box = switchboard.app.get(SecretBox);
    const ids = Array.from({ length: 250 }, (_, number) => `zz${String(number).padStart(30, '0')}`);
    await switchboard.ownerQuery(
      `insert into workflows (organization_id, id, name, active, version, trigger_type, secret, previous_secret)
       select $1, g.id, 'copy', false, 1, 'webhook', g.secret, g.secret
       from unnest($2::text[], $3::bytea[]) as g (id, secret)`,
      [acme.id, ids, ids.map((id) => box.seal(`secret of ${id}`, id))],
    );
    const holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
    undo.push(() => holder.end());
    await holder.query('begin');
    await holder.query('select from workflows where id = $1 for update', [ids[249]]);
    const settings = { SECRET_KEY: NEW, OTHER_SECRET_KEY: 'database' };
    const interrupted = rotate(settings);
    await waitFor(async () => (await sealedBy(switchboard, NEW)) === 200);
    await switchboard.ownerQuery(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where wait_event_type = 'Lock' and query like '%for no key update%'`,
    );
    expect(await interrupted).toMatchObject({ code: 2, output: expect.stringContaining('again') });
    await holder.query('rollback');
    expect(await sealedBy(switchboard, NEW)).toBe(200);

    await switchboard.ownerQuery(
      `update workflows set secret = '\\x00000000' || substr(secret, 5) where id = $1`,
      [ids[240]],
    );
    const partly = await rotate(settings);
    expect(partly).toMatchObject({ code: 1, output: expect.stringContaining(ids[240]!) });
    expect(partly.output).toContain('of 50 workflows');
    expect(await sealedBy(switchboard, NEW)).toBe(250);
    expect(partly.output).not.toContain('secret of');
  });

  it('covers every place that stores sealed values', () => {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .filter((file) => /\.seal\(/.test(readFileSync(join(ROOT, 'src', file), 'utf8')));
    // Request states are never stored: clients keep them, for an hour. When secrets are stored in a new place, the
    // command must encrypt them too.
    expect(files.sort()).toEqual([
      'channels/channel-providers.service.ts',
      'database/secret-box.ts',
      'mcp/input-exchange.ts',
      'secrets/secrets.service.ts',
      'senders/sender-keys.service.ts',
      'tools/pipeline/request-states.ts',
      'workflows/webhooks/webhook-secrets.service.ts',
    ]);
  });
});

async function signInTo(switchboard: Switchboard, { email, password }: TestOrganization) {
  const response = await fetch(`${switchboard.url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!;
  return {
    call: async <T>(tool: string, given: unknown = {}) => {
      const answer = await fetch(`${switchboard.url}/api/tools/${tool}`, {
        method: 'POST',
        headers: { Cookie: cookie, Origin: switchboard.url, 'Content-Type': 'application/json' },
        body: JSON.stringify(given),
      });
      return { status: answer.status, value: (await answer.json()) as T };
    },
  };
}
