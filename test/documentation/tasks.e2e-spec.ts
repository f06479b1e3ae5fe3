import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { postModern } from '../mcp/support/modern.js';
import { untilEnded } from '../mcp/support/task-client.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/tasks.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(([, text]) => text!);

describe('docs/tasks.md', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it('shows requests and responses that Switchboard really exchanges', async () => {
    const { id } = await createWorkflow(acme, [
      { id: 'pause', wait: { days: 1 } },
      {
        id: 'made',
        tool: 'create_contact',
        arguments: { email: 'ada@example.com', first_name: '{{ trigger.payload.name }}' },
      },
    ]);
    const example = (index: number, taskId = ''): Record<string, unknown> =>
      JSON.parse(EXAMPLES[index]!.replace('wfl_…', id).replaceAll('run_…', taskId)) as Record<
        string,
        unknown
      >;
    const send = async (message: object) => {
      const { body } = await postModern(acme, message);
      return (body as { result: Record<string, unknown> }).result;
    };

    const created = await send(example(0));
    const taskId = created.taskId as string;
    expect(created).toEqual(expect.objectContaining(shapeOf(example(1, taskId), created)));
    const waiting = await waitFor(async () => {
      const task = await send(example(2, taskId));
      return task.pollIntervalMs === 60_000 ? task : undefined;
    });
    const shown = example(1, taskId);
    expect(Object.keys(waiting).sort()).toEqual([...Object.keys(shown), '_meta'].sort());
    expect(waiting).toMatchObject({ status: shown.status, ttlMs: shown.ttlMs });

    await switchboard.ownerQuery(`update run_steps set wake_at = now() where run_id = $1`, [
      taskId,
    ]);
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      taskId,
    ]);
    const ended = await untilEnded(acme, taskId);
    const expected = example(3, taskId);
    expect(Object.keys(ended).sort()).toEqual([...Object.keys(expected), '_meta'].sort());
    const { structuredContent } = expected.result as { structuredContent: object };
    expect(ended).toMatchObject({ status: expected.status, result: { structuredContent } });
  });
});

/** Returns the example with the values of the response for members that differ in every call. */
function shapeOf(example: Record<string, unknown>, came: Record<string, unknown>): object {
  const varying = ['statusMessage', 'createdAt', 'lastUpdatedAt', 'pollIntervalMs'];
  return { ...example, ...Object.fromEntries(varying.map((name) => [name, came[name]])) };
}
