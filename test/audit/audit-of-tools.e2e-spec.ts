import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CallRecorder } from '../../src/accounts/call-recorder.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { CHANGING_TOOLS } from '../support/tool-examples.js';

interface Entry {
  id: string;
  request_id: string | null;
}

let switchboard: Switchboard;
let acme: TestOrganization;
// No worker is started. A worker could end a run before the test cancels the run.
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
});
afterAll(() => switchboard.close());
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

/** Returns the entries of calls. A bulk call also has an entry, without a request, for each run that it changed. */
async function listEntries(action: string): Promise<Entry[]> {
  // Refused calls are recorded a moment after the answer.
  await switchboard.app.get(CallRecorder, { strict: false }).flush();
  const given = { action, limit: 100 };
  const { value } = await acme.call<{ entries: Entry[] }>('list_audit_log', given);
  return value.entries.filter((entry) => entry.request_id !== null);
}

/** Returns the error code of the call, and the entries that it added to the audit log. */
async function callAndAudit(
  tool: string,
  given: object,
): Promise<{ code: string | undefined; added: Entry[] }> {
  const before = new Set((await listEntries(tool)).map(({ id }) => id));
  const { error } = await acme.call(tool, given);
  const added = (await listEntries(tool)).filter(({ id }) => !before.has(id));
  return { code: error?.code, added };
}

const entryWith = (outcome: string) =>
  expect.objectContaining({
    caller_kind: 'user',
    caller_id: acme.userId,
    outcome,
    arguments_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    duration_ms: expect.any(Number),
    address: expect.stringContaining('127.0.0.1'),
    request_id: expect.any(String),
  });

describe.each(sample(Object.keys(CHANGING_TOOLS), 16))('the audit log of %s', (tool) => {
  it('has one entry for a call, and one for a refused call', async () => {
    const given = await CHANGING_TOOLS[tool]!(acme, switchboard);
    const refused = await callAndAudit(tool, { ...given, not_an_argument: 1 });
    expect(refused).toEqual({
      code: 'invalid_arguments',
      added: [entryWith('invalid_arguments')],
    });
    const made = await callAndAudit(tool, given);
    expect(made).toEqual({ code: undefined, added: [entryWith('ok')] });
  });
});
