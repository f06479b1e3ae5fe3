import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/tools/schema/check-value.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { callTool, listTools, namesOf, said, succeed } from '../workflows/support/offer-client.js';
import { createWorkflow, type WorkflowShape } from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/workflow-tools.md'), 'utf8');
const [WORKFLOW, OFFER, GIVEN, ANSWER] = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as object,
) as [WorkflowShape, { name: string }, object, object];

describe('docs/workflow-tools.md', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it('has examples with the described results', async () => {
    const { steps, ...more } = WORKFLOW;
    const { id } = await createWorkflow(acme, steps, more);
    await succeed(acme, 'offer_workflow_as_tool', { ...OFFER, workflow_id: id });
    expect(namesOf(await listTools(acme)).at(-1)).toBe(OFFER.name);
    const answer = said(await callTool(acme, OFFER.name, GIVEN));
    const ids = JSON.parse(
      JSON.stringify(answer).replace(/"(run|con)_\w{22}"/g, '"$1_…"'),
    ) as object;
    expect(ids).toEqual(ANSWER);
    expect(said(await callTool(acme, OFFER.name, GIVEN))).toEqual(answer);
  });

  it('names every format', () => {
    for (const name of Object.keys(FORMATS)) expect(PAGE).toContain(`\`${name}\``);
  });
});
