import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, resultOf } from '../mcp/support/ask.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, type RunShape } from '../workflows/support/workflow-client.js';
import { dropRowLevelSecurity } from './drop-row-level-security.js';

interface Listed {
  resources: { uri: string }[];
  resourceTemplates: { uriTemplate: string }[];
  prompts: { name: string; arguments: { name: string }[] }[];
}

let switchboard: Switchboard;
let mine: TestOrganization;
let theirs: TestOrganization;
let theirIds: Record<string, string>;

async function start(isolated: boolean): Promise<void> {
  switchboard = await startSwitchboard();
  if (!isolated) await dropRowLevelSecurity(switchboard);
  mine = await createOrganization(switchboard);
  theirs = await createOrganization(switchboard);
  const { value } = await theirs.call<{ contact: { id: string } }>('create_contact', {
    email: 'only@theirs.example',
  });
  const sent = await theirs.call<{ message: { id: string } }>('send_message', {
    contact_id: value.contact.id,
    subject: 'Hello',
    body: 'Hello',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const { id } = await createWorkflow(theirs, [
    { id: 'only', tool: 'get_contact', arguments: { email: 'nobody@theirs.example' } },
  ]);
  const started = await theirs.call<{ run_id: string }>('trigger_workflow', { workflow_id: id });
  const runId = started.value.run_id;
  await waitFor(async () => {
    const { value: got } = await theirs.call<{ run: RunShape }>('get_run', { run_id: runId });
    return got.run.status === 'failed';
  });
  theirIds = {
    contact_id: value.contact.id,
    contact: value.contact.id,
    message_id: sent.value.message.id,
    run_id: runId,
    workflow_id: id,
  };
}

/** Fills all variables except the first one. The filled values do not depend on the organization. */
const withOtherVariables = (uriTemplate: string): string =>
  uriTemplate.replace('{step_id}', 'only').replace('{value}', 'input').replace('{cursor}', '0');

const list = (what: keyof Listed, method: string) =>
  resultOf<Listed>(mine, method).then((result) => result[what] as never);

/** Returns an unused id of the same form. */
const similarTo = (id: string): string => id.replace(/[0-9A-Za-z]{12}$/, 'zZ0123456789');

// Row-level security would hide that a repository does not filter by organization. So thorough tests also run without
// row-level security.
const WALLS = [
  ['with row-level security', true],
  ['without row-level security, by the conditions of the repositories alone', false],
] as const;

describe.each(sample(WALLS, 2))(
  'tenancy of resources, prompts and completions, %s',
  (_walls, isolated) => {
    beforeAll(() => start(isolated));
    afterAll(() => switchboard.close());

    it('returns exactly the same answer for a row of another organization and for an unknown id', async () => {
      const templates: { uriTemplate: string }[] = await list(
        'resourceTemplates',
        'resources/templates/list',
      );
      expect(templates.length).toBeGreaterThan(2);
      for (const { uriTemplate } of templates) {
        const variable = /\{(\w+)\}/.exec(uriTemplate)![1]!;
        const id = theirIds[variable];
        if (!id) throw new Error(`No id for ${uriTemplate}: add one to theirIds.`);
        const answers: string[] = [];
        for (const each of [id, similarTo(id)]) {
          const uri = withOtherVariables(uriTemplate).replace(`{${variable}}`, each);
          const { error } = await ask(mine, 'resources/read', { uri });
          expect(error, uri).toMatchObject({ code: -32602, data: { uri } });
          answers.push(JSON.stringify(error).replaceAll(each, '<id>'));
        }
        expect(answers[0]).toBe(answers[1]);
        const uri = withOtherVariables(uriTemplate).replace(`{${variable}}`, id);
        expect((await ask(theirs, 'resources/read', { uri })).error, uri).toBeUndefined();
      }
    });

    it('lists no resource of another organization', async () => {
      const resources: { uri: string }[] = await list('resources', 'resources/list');
      expect(resources.length).toBeGreaterThan(2);
      for (const { uri } of resources) {
        const { contents } = await resultOf<{ contents: { text: string }[] }>(
          mine,
          'resources/read',
          { uri },
        );
        const lists = Object.values(JSON.parse(contents[0]!.text) as object).filter(Array.isArray);
        expect(lists, uri).toEqual([[]]);
      }
    });

    it('proposes no value of another organization', async () => {
      const templates: { uriTemplate: string }[] = await list(
        'resourceTemplates',
        'resources/templates/list',
      );
      const prompts: Listed['prompts'] = await list('prompts', 'prompts/list');
      const cases = [
        ...templates.map(({ uriTemplate }) => ({
          ref: { type: 'ref/resource', uri: uriTemplate },
          name: /\{(\w+)\}/.exec(uriTemplate)![1]!,
        })),
        ...prompts.flatMap(({ name, arguments: given }) =>
          given.map((argument) => ({ ref: { type: 'ref/prompt', name }, name: argument.name })),
        ),
      ];
      const valuesOf = async (organization: TestOrganization, ref: object, name: string) =>
        (
          await resultOf<{ completion: { values: string[] } }>(
            organization,
            'completion/complete',
            {
              ref,
              argument: { name, value: '' },
            },
          )
        ).completion.values;
      for (const { ref, name } of cases) {
        expect(await valuesOf(mine, ref, name), JSON.stringify(ref)).toEqual([]);
        if (theirIds[name]) expect(await valuesOf(theirs, ref, name)).not.toEqual([]);
      }
    });

    it('returns no prompt about data of another organization', async () => {
      const prompts: [string, string, object][] = [
        ['write_message', 'contact', { goal: 'x' }],
        ['explain_failed_run', 'run_id', {}],
      ];
      for (const [name, argument, more] of prompts) {
        const id = theirIds[argument]!;
        const answers: string[] = [];
        for (const each of [id, similarTo(id)]) {
          const params = { name, arguments: { ...more, [argument]: each } };
          const { error } = await ask(mine, 'prompts/get', params);
          expect(error).toMatchObject({ code: -32602 });
          answers.push(JSON.stringify(error).replaceAll(each, '<id>'));
        }
        expect(answers[0]).toBe(answers[1]);
        const params = { name, arguments: { ...more, [argument]: id } };
        expect((await ask(theirs, 'prompts/get', params)).error).toBeUndefined();
      }
      const byEmail = {
        name: 'write_message',
        arguments: { contact: 'only@theirs.example', goal: 'x' },
      };
      expect((await ask(mine, 'prompts/get', byEmail)).error).toMatchObject({ code: -32602 });
      expect((await ask(theirs, 'prompts/get', byEmail)).error).toBeUndefined();
    });
  },
);
