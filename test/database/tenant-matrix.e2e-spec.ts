import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernHeaders, modernRequest } from '../mcp/support/modern.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { dropRowLevelSecurity } from './drop-row-level-security.js';
import { dumpOrganization } from './dump-organization.js';
import { argumentsFor, type Descriptor, Ids, isReference, optionsOf } from './tool-arguments.js';

/** A function that sends a call in one way, for example in a batch, and returns the response as text. */
type Way = (organization: TestOrganization, tool: string, given: object) => Promise<string>;

const callOf = (name: string, given: object, meta?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given, ...(meta && { _meta: meta }) },
});
const versionHeader = (version: string) => ({ 'MCP-Protocol-Version': version });

const callIn =
  (version: string): Way =>
  async (organization, tool, given) =>
    await (await organization.rpc(callOf(tool, given), versionHeader(version))).text();

const WAYS: Record<string, Way> = {
  'a signed-in person': async (organization, tool, given) => {
    const response = await organization.fetch(`/api/tools/${tool}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(given),
    });
    return `${response.status} ${await response.text()}`;
  },
  'plain JSON-RPC': async (organization, tool, given) =>
    await (await organization.rpc(callOf(tool, given))).text(),
  'MCP 2024-11-05': callIn('2024-11-05'),
  'MCP 2025-06-18': callIn('2025-06-18'),
  'MCP 2025-11-25': callIn('2025-11-25'),
  'MCP 2026-07-28': async (organization, tool, given) => {
    const message = modernRequest('tools/call', { name: tool, arguments: given });
    return await (await organization.rpc(message, modernHeaders(message))).text();
  },
  'a batch': async (organization, tool, given) => {
    const batch = [callOf('list_workflows', {}), callOf(tool, given)];
    const response = await organization.rpc(batch, versionHeader('2025-03-26'));
    const [, answer] = (await response.json()) as unknown[];
    return JSON.stringify(answer);
  },
  'a dry run': async (organization, tool, given) => {
    const message = callOf(tool, given, { 'switchboard/dryRun': true });
    return await (await organization.rpc(message, versionHeader('2025-06-18'))).text();
  },
};

describe.each([
  ['with row-level security', true],
  ['without row-level security, by the conditions of the repositories alone', false],
])('every way to call a tool with an id of another organization, %s,', (_walls, isolated) => {
  let switchboard: Switchboard;
  let mine: TestOrganization;
  let theirs: TestOrganization;
  let tools: Descriptor[];

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web', RATE_LIMIT_PER_MINUTE: '0' } });
    if (!isolated) await dropRowLevelSecurity(switchboard);
    mine = await createOrganization(switchboard);
    theirs = await createOrganization(switchboard);
    const response = await mine.fetch('/api/tools');
    ({ tools } = (await response.json()) as { tools: Descriptor[] });
  });
  afterAll(() => switchboard.close());

  it('returns the same answer as for an unknown id, and changes no row of that organization', async () => {
    const theirIds = new Ids(theirs);
    const cases = tools.flatMap((tool) =>
      Object.keys(tool.inputSchema.properties)
        .filter(isReference)
        .map((argument) => ({ tool, argument })),
    );
    for (const { argument } of cases) await theirIds.of(argument);
    const before = await dumpOrganization(switchboard, theirs.id);
    const wrong: string[] = [];
    let cells = 0;
    for (const { tool, argument } of cases) {
      const foreign = await theirIds.of(argument);
      const unknown = foreign.replace(/[0-9A-Za-z]{12}$/, 'zZ0123456789');
      const required = await argumentsFor(tool, new Ids(mine));
      for (const option of [{}, ...(await optionsOf(tool, new Ids(mine)))]) {
        for (const [way, call] of Object.entries(WAYS)) {
          const answers: string[] = [];
          for (const id of [foreign, unknown]) {
            const given: Record<string, unknown> = { ...required, ...option, [argument]: id };
            // Each call needs its own idempotency key, because a second call with other arguments would be refused.
            if ('idempotency_key' in given) given.idempotency_key = randomUUID();
            answers.push((await call(mine, tool.name, given)).replaceAll(id, '<id>'));
          }
          if (answers.every(isPastValidation)) cells += 1;
          const [ofForeign, ofUnknown] = answers.map(withoutChance);
          if (ofForeign === ofUnknown) continue;
          wrong.push(`${way}: ${tool.name}(${argument}) ${JSON.stringify(option)}: ${ofForeign}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    // The two halves of the test have more than 2,000 calls together, so each half must have more than 1,000.
    expect(cells).toBeGreaterThan(1000);
    expect(await dumpOrganization(switchboard, theirs.id)).toEqual(before);
  });
});

/** Returns false if the call was refused before it looked up the id: by validation, or because agents lack the tool. */
function isPastValidation(answer: string): boolean {
  return !/invalid_arguments|Unknown tool|Invalid params|-32602|rate_limited|quota/.test(answer);
}

/** Removes the parts that differ between two equal calls: new ids, times and request ids. */
function withoutChance(answer: string): string {
  return answer
    .replaceAll(/\b([a-z]{2,4})_[0-9A-Za-z]{10,}\b/g, '$1_…')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}
