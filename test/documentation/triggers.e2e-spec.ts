import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../src/events/domain-events.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, runToEnd } from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/triggers.md'), 'utf8');
const TRIGGERS = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as { type: string; contact?: object },
);

describe('docs/triggers.md', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it('has triggers that can be saved without changes', async () => {
    for (const trigger of TRIGGERS) await createWorkflow(acme, [], { trigger });
  });

  it('has an example that creates a contact from the data of a form', async () => {
    const trigger = TRIGGERS.find(({ contact }) => contact);
    const { id } = await createWorkflow(acme, [], { trigger });
    const answers = { email: 'ada@example.com', name: 'Ada', company: '', newsletter: true };
    const run = await runToEnd(acme, id, { answers });
    expect(run.steps[0]!.output).toMatchObject({
      created: true,
      contact: {
        first_name: 'Ada',
        tags: ['lead'],
        properties: { source: 'form' },
        consent: { email: { status: 'granted' } },
      },
    });
  });

  it('names every event', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z.]+)` +\|/gm)].map(([, name]) => name!);
    expect(rows.sort()).toEqual([...EVENT_NAMES].sort());
  });
});
