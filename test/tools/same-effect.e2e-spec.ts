import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SAME_EFFECT } from '../../src/policies/same-effect.js';
import { ToolPolicies } from '../../src/policies/tool-policies.js';
import type { Surface } from '../../src/tools/contract/tool-call.js';
import { ToolRegistry } from '../../src/tools/registry/tool-registry.js';
import { callTool, said } from '../workflows/support/offer-client.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';

const EMAIL = 'ada@example.com';
const UPDATE = { email: EMAIL, on_conflict: 'update', first_name: 'Changed', tags: [] };
const WORKFLOW = {
  name: 'Made',
  trigger: { type: 'manual' },
  steps: [{ id: 'pause', wait: { seconds: 1 } }],
};

/**
 * The tools of agents and steps that change data, and that have the effect of no other of these tools. Before you add a
 * tool here, ask: which policies did an owner set to prevent what this tool does? The tools of these policies belong
 * into the map `SAME_EFFECT` of `same-effect.ts`.
 */
const WITHOUT_SAME_EFFECT = [
  'activate_workflow',
  'add_to_segment',
  'cancel_import',
  'cancel_message',
  'cancel_run',
  'create_segment',
  'create_snippet',
  'create_template',
  'create_topic',
  'deactivate_workflow',
  'delete_contact',
  'delete_segment',
  'delete_snippet',
  'delete_template',
  'delete_topic',
  'delete_workflow',
  'emit_event',
  'http_request',
  'publish_template',
  'remove_from_segment',
  'remove_suppression',
  'retry_run',
  'send_message',
  'suppress_address',
  'trigger_workflow',
  'update_contact',
  'update_segment',
  'update_snippet',
  'update_template',
  'update_topic',
  'update_workflow',
];
/** The names of the tools that come with Switchboard. The shared Switchboard also has tools of tests. */
const DOCUMENTED = new Set(
  readFileSync(resolve(import.meta.dirname, '../../docs/tools.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('## '))
    .map((line) => line.slice(3)),
);

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const agent = async (name: string, given: object): Promise<unknown> =>
  said(await callTool(acme, name, given));
const protect = async (tool: string, policy: object): Promise<void> => {
  expect((await acme.call('set_tool_policy', { tool, ...policy })).status).toBe(200);
};
const firstName = async (): Promise<unknown> =>
  (await acme.call<{ contact: { first_name: string } }>('get_contact', { email: EMAIL })).value
    .contact.first_name;

describe('an agent', () => {
  it('changes no contact with create_contact while calls of update_contact must be confirmed', async () => {
    await acme.call('create_contact', { email: EMAIL, first_name: 'Ada' });
    await protect('update_contact', { confirmation: 'always' });
    const waiting = (await agent('create_contact', UPDATE)) as {
      error: { code: string; confirmation_id: string };
    };
    expect(waiting).toMatchObject({ error: { code: 'confirmation_required' } });
    expect(await firstName()).toBe('Ada');
    const confirmation = { confirmation_id: waiting.error.confirmation_id };
    expect((await acme.call('approve_confirmation', confirmation)).status).toBe(200);
    expect(await agent('create_contact', UPDATE)).toMatchObject({ created: false });
    expect(await firstName()).toBe('Changed');
  });

  it('changes no contact with create_contact while update_contact is hidden', async () => {
    await acme.call('create_contact', { email: EMAIL, first_name: 'Ada' });
    await protect('update_contact', { hidden: true });
    expect(await agent('create_contact', UPDATE)).toMatchObject({
      error: {
        code: 'forbidden',
        message: expect.stringContaining('does the same as a hidden tool') as string,
      },
    });
    expect(await firstName()).toBe('Ada');
    expect((await acme.call('create_contact', UPDATE)).status).toBe(200);
    expect(await firstName()).toBe('Changed');
  });

  it.each([{ confirmation: 'always' }, { hidden: true }])(
    'still creates contacts when the policy of update_contact is %j',
    async (policy) => {
      await protect('update_contact', policy);
      expect(await agent('create_contact', { email: EMAIL })).toMatchObject({ created: true });
      const again = { email: 'bob@example.com', on_conflict: 'error' };
      expect(await agent('create_contact', again)).toMatchObject({ created: true });
    },
  );

  it.each([
    [{ confirmation: 'always' }, 'confirmation_required'],
    [{ hidden: true }, 'forbidden'],
  ])(
    'creates only inactive workflows when the policy of activate_workflow is %j',
    async (policy, code) => {
      await protect('activate_workflow', policy);
      for (const given of [WORKFLOW, { ...WORKFLOW, active: true }]) {
        expect(await agent('create_workflow', given)).toMatchObject({ error: { code } });
      }
      expect(await agent('create_workflow', { ...WORKFLOW, active: false })).toMatchObject({
        workflow: { active: false },
      });
    },
  );
});

describe('the map of tools with the same effect', () => {
  it('and the list of this test have every tool of agents and steps that changes data', () => {
    const changing = registry()
      .all()
      .filter(
        ({ readOnly, surfaces }) => !readOnly && surfaces.size > Number(surfaces.has('dashboard')),
      )
      .map(({ names: [name] }) => name);
    expect(changing.filter((name) => DOCUMENTED.has(name))).toEqual(
      [...Object.keys(SAME_EFFECT), ...WITHOUT_SAME_EFFECT].sort(),
    );
  });

  it('names tools of agents and steps, which have no old names that could have policies too', () => {
    const find = (name: string, surface: Surface) =>
      registry().find(name, surface, ToolPolicies.NONE);
    for (const name of Object.values(SAME_EFFECT).flatMap(({ tools }) => tools)) {
      expect((find(name, 'agent') ?? find(name, 'workflow'))?.names).toEqual([name]);
    }
  });
});

function registry(): ToolRegistry {
  return switchboard.app.get(ToolRegistry, { strict: false });
}
