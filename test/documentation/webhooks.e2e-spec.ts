import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGNATURE_ADVICE } from '../../src/workflows/webhooks/signatures/signature-mistake.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```sh\n([^]*?)```/g)].map(([, text]) => text!);

describe('docs/webhooks.md', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it('has examples that work without changes, one after the other', async () => {
    const { webhook_url, secret } = await createWorkflow(
      acme,
      [{ id: 'found', tool: 'search_contacts', arguments: {} }],
      { trigger: { type: 'webhook', secret: true, wait_seconds: 30 } },
    );
    const script = ['set -eu', ...EXAMPLES.map((example) => `${example}\necho`)].join('\n');
    const { stdout } = await promisify(execFile)('sh', ['-c', script], {
      env: { PATH: process.env.PATH, WEBHOOK: webhook_url!, SECRET: secret! },
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

  it('names exactly the mistakes that the diagnosis can report', () => {
    const rows = [...PAGE.matchAll(/^\| (`[^|]*`) +\|/gm)].map(([, names]) => names!);
    const names = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    expect(names.sort()).toEqual(Object.keys(SIGNATURE_ADVICE).sort());
  });
});
