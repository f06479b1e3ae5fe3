import type { TestOrganization } from './organization.js';
import { waitFor } from './wait-for.js';

let counter = 0;

/** Makes a call of an agent that waits for the approval of a person, and returns the id of its confirmation. */
export async function pendingConfirmation(organization: TestOrganization): Promise<string> {
  counter += 1;
  const tool = 'search_contacts';
  const { error } = await organization.call('set_tool_policy', { tool, confirmation: 'always' });
  if (error) throw new Error(`set_tool_policy: ${error.message}`);
  const response = await organization.rpc({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: { query: `waiting ${counter}` } },
  });
  const { result } = (await response.json()) as { result: { content: [{ text: string }] } };
  const answer = JSON.parse(result.content[0].text) as { error: { confirmation_id: string } };
  // The last use of the key is stored a moment after the call. A test that compares rows would see the difference.
  await waitFor(async () => {
    const used = await organization.fetch('/api/mcp/keys');
    return ((await used.json()) as { key: { last_used_at: string | null } }).key.last_used_at;
  });
  return answer.error.confirmation_id;
}
