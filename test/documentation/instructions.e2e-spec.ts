import { expect, it } from 'vitest';
import { INSTRUCTIONS } from '../../src/mcp/server-info.js';
import type { JsonSchema, ObjectSchema } from '../../src/tools/schema/json-schema.js';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';

it('the instructions for models describe contacts, messages, workflows and runs', async () => {
  const switchboard = await sharedSwitchboard();
  try {
    const acme = await createOrganization(switchboard);
    const response = await acme.fetch('/api/tools');
    const { tools } = (await response.json()) as {
      tools: { name: string; outputSchema: ObjectSchema }[];
    };
    for (const what of ['contact', 'message', 'workflow', 'run']) {
      const { outputSchema } = tools.find(({ name }) => name === `get_${what}`)!;
      expect(INSTRUCTIONS).toContain(`${what} ${shapeOf(outputSchema.properties[what]!)}`);
    }
  } finally {
  }
});

/** Returns the names of the members as in the instructions, for example `{id, tags, steps: [{id, tool}]}`. */
function shapeOf(schema: JsonSchema): string {
  const members = Object.entries(schema.properties!).map(([name, member]) => {
    return member.items?.properties ? `${name}: [${shapeOf(member.items)}]` : name;
  });
  return `{${members.join(', ')}}`;
}
