import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';

interface Schema {
  properties?: Record<string, Schema>;
  $defs: Record<string, Schema>;
  anyOf?: Schema[];
}

describe('get_workflow_schema', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it('returns a JSON Schema of definitions, with every kind of step', async () => {
    const { value } = await acme.call<{ schema: Schema }>('get_workflow_schema', {});
    const { schema } = value;
    expect(Object.keys(schema.properties ?? {})).toEqual([
      'name',
      'trigger',
      'steps',
      'on_failure',
    ]);
    const kinds = schema.$defs.step!.anyOf!.map(({ properties }) => Object.keys(properties ?? {}));
    const members = [
      'tool',
      'then',
      'wait',
      'wait_for_event',
      'for_each',
      'parallel',
      'race',
      'stop',
      'respond',
      'set',
      'return',
    ];
    for (const member of [...members, 'run_workflow']) {
      expect(kinds.filter((each) => each.includes(member)).length, member).toBeGreaterThan(0);
    }
  });

  it('is not in the list of tools of agents, so that the list stays short', async () => {
    const { body } = await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(JSON.stringify(body)).not.toContain('get_workflow_schema');
  });
});
