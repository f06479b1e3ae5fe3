import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { createContact, merge, unmerge } from './merged-contacts.js';

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

const countMessages = async (contactId: string): Promise<number> => {
  const [row] = await switchboard.ownerQuery<{ count: number }>(
    'select count(*)::integer as count from messages where contact_id = $1',
    [contactId],
  );
  return row!.count;
};

describe('a contact with very many messages', () => {
  it('is merged and restored with 50,000 messages, and is not merged with more', async () => {
    const [one, two] = [await createContact(acme), await createContact(acme)];
    await switchboard.ownerQuery(
      `insert into messages (organization_id, id, contact_id, channel, direction, recipient, body, status)
       select $1, 'msg_' || n, $2, 'email', 'outbound', 'x@example.com', 'x', 'sent'
       from generate_series(1, 50000) n`,
      [acme.id, two.id],
    );
    // Each statement of the merge must end within the ten seconds that the database gives it.
    const merged = await merge(acme, one.id, two.id);
    expect(merged.value?.moved).toMatchObject({ messages: 50_000 });
    expect(await countMessages(one.id)).toBe(50_000);
    const restored = await unmerge(acme, two.id);
    expect(restored.value?.moved).toMatchObject({ messages: 50_000 });
    expect(await countMessages(two.id)).toBe(50_000);
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    await acme.call('trigger_workflow', { workflow_id: workflow.id, contact_id: two.id });
    expect((await merge(acme, one.id, two.id)).error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('50000 messages and runs') as string,
    });
    expect(await countMessages(two.id)).toBe(50_000);
  });
});
