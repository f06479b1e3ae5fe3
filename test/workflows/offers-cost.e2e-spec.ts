import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { callTool, listTools, offer, succeed } from './support/offer-client.js';
import { createWorkflow } from './support/workflow-client.js';

const FIND = { id: 'find', tool: 'search_contacts', arguments: {} };

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  // The first use of a key is stored, which takes a statement.
  await listTools(acme);
  await waitFor(async () => {
    const [key] = await switchboard.ownerQuery(
      'select from api_keys where organization_id = $1 and last_used_at is not null',
      [acme.id],
    );
    return key;
  });
});
afterAll(() => switchboard.close());

describe('the cost of offered workflows', () => {
  const list = () => listTools(acme);
  const read = () => callTool(acme, 'list_workflows');
  /** Returns the number of statements that are sent to the database during `work`. */
  const statements = async (work: () => Promise<unknown>): Promise<number> => {
    const query = vi.spyOn(Client.prototype, 'query');
    await work();
    const { length } = query.mock.calls;
    query.mockRestore();
    return length;
  };
  /** Returns the minimum of several attempts, because background work of the process sends statements too. */
  const fewest = async (work: () => Promise<unknown>): Promise<number> => {
    const counts: number[] = [];
    for (let time = 0; time < 10; time += 1) counts.push(await statements(work));
    return Math.min(...counts);
  };

  it('is zero statements for organizations without offered workflows', async () => {
    expect(await fewest(list)).toBe(1);
    expect(await fewest(() => callTool(acme, 'no_such_tool'))).toBe(1);
  });

  it('is zero statements for calls of registered tools, and one look-up of the list after each change', async () => {
    const { id } = await createWorkflow(acme, [FIND], { trigger: { type: 'manual' } });
    const before = await fewest(read);
    await offer(acme, id, 'cheap_order');
    expect(await fewest(read)).toBe(before);
    expect(await statements(list)).toBeGreaterThan(1);
    expect(await fewest(list)).toBe(1);
    expect(await fewest(() => callTool(acme, 'no_such_tool'))).toBe(1);
    await offer(acme, id, 'cheaper_order');
    expect(await statements(list)).toBeGreaterThan(1);
    expect(await fewest(list)).toBe(1);
    await succeed(acme, 'deactivate_workflow', { workflow_id: id });
    expect(await fewest(list)).toBe(1);
  });
});
