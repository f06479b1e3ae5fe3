import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { CHANGING_TOOLS } from '../support/tool-examples.js';
import { argumentsFor, type Descriptor, Ids, optionsOf } from './tool-arguments.js';

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

/** Calls the tool with different arguments, and returns the calls after which a connection was reset. */
async function findResets(tool: Descriptor): Promise<string[]> {
  const found: string[] = [];
  for (const given of await callsOf(tool)) {
    const [before] = await switchboard.ownerQuery<{ now: string }>('select now()::text as now');
    await acme.call(tool.name, given);
    // A connection is reset after the response.
    await sleep(10);
    const resets = await switchboard.ownerQuery(
      `select from pg_stat_activity
       where datname = current_database() and query ilike 'discard all' and query_start > $1`,
      [before!.now],
    );
    if (resets.length > 0) found.push(JSON.stringify({ tool: tool.name, given }));
  }
  return found;
}

async function callsOf(tool: Descriptor): Promise<Record<string, unknown>[]> {
  const example = CHANGING_TOOLS[tool.name];
  if (example) return [await example(acme, switchboard)];
  const ids = new Ids(acme);
  const required = await argumentsFor(tool, ids);
  return [{}, ...(await optionsOf(tool, ids))].map((option) => ({ ...required, ...option }));
}

describe('a connection to the database', () => {
  // The first statements after a reset take several times longer, because PostgreSQL has dropped the plans.
  it('is not reset after any built-in tool', async () => {
    const response = await acme.fetch('/api/tools');
    const { tools } = (await response.json()) as { tools: Descriptor[] };
    const found: string[] = [];
    for (const tool of tools) found.push(...(await findResets(tool)));
    expect(found).toEqual([]);
  });
});
