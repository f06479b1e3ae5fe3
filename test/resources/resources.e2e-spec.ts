import { beforeAll, describe, expect, it } from 'vitest';
import { ask, PROTOCOLS, resultOf } from '../mcp/support/ask.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, type RunShape } from '../workflows/support/workflow-client.js';

interface Contents {
  contents: { uri: string; mimeType: string; text: string }[];
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let ids: { contact: string; message: string; run: string; workflow: string };
const SECRET = 'a secret of at least 16';

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  ids = await makeOneOfEach(acme);
});

async function makeOneOfEach(organization: TestOrganization): Promise<typeof ids> {
  const { value } = await organization.call<{ contact: { id: string } }>('create_contact', {
    email: 'ada@example.com',
    first_name: 'Ada',
  });
  const sent = await organization.call<{ message: { id: string } }>('send_message', {
    contact_id: value.contact.id,
    subject: 'Hello',
    body: 'Hello Ada',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  // The run waits for a day, so that it does not change during the comparison.
  const { id } = await createWorkflow(organization, [{ id: 'pause', wait: { days: 1 } }], {
    trigger: { type: 'webhook', secret: SECRET },
  });
  const started = await organization.call<{ run_id: string }>('trigger_workflow', {
    workflow_id: id,
    payload: { plan: 'pro' },
  });
  const run = started.value.run_id;
  await waitFor(async () => {
    const { value: found } = await organization.call<{ run: RunShape }>('get_run', { run_id: run });
    return found.run.status === 'waiting';
  });
  return { contact: value.contact.id, message: sent.value.message.id, run, workflow: id };
}

const read = async (uri: string, organization = acme): Promise<unknown> => {
  const { contents } = await resultOf<Contents>(organization, 'resources/read', { uri });
  expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }]);
  expect(contents[0]!.text).not.toContain(SECRET);
  return JSON.parse(contents[0]!.text);
};

describe('resources/list', () => {
  it("lists the resources that have no variables, with the JSON members of the caller's era", async () => {
    const all = ['contacts', 'messages', 'runs'].map((name) => `switchboard://${name}`);
    for (const protocol of PROTOCOLS) {
      const result = await resultOf<{ resources: object[] }>(acme, 'resources/list', {}, protocol);
      expect(result.resources.map((resource) => (resource as { uri: string }).uri)).toEqual(all);
      const title = protocol >= '2025-06-18' &&
        protocol !== 'plain' && { title: 'Newest contacts' };
      expect(result.resources[0]).toEqual({
        uri: 'switchboard://contacts',
        name: 'contacts',
        ...title,
        description: expect.any(String) as string,
        mimeType: 'application/json',
      });
      const { resources: _, ...rest } = result;
      expect(rest).toEqual(
        protocol === '2026-07-28'
          ? {
              resultType: 'complete',
              ttlMs: 300_000,
              cacheScope: 'private',
              _meta: { 'io.modelcontextprotocol/serverInfo': expect.anything() as object },
            }
          : {},
      );
    }
  });

  it('lists the templates of all other resources', async () => {
    for (const protocol of PROTOCOLS) {
      const { resourceTemplates } = await resultOf<{ resourceTemplates: object[] }>(
        acme,
        'resources/templates/list',
        {},
        protocol,
      );
      expect(
        resourceTemplates.map((template) => (template as { uriTemplate: string }).uriTemplate),
      ).toEqual([
        'switchboard://contacts/{contact_id}',
        'switchboard://messages/{message_id}',
        'switchboard://runs/{run_id}',
        'switchboard://runs/{run_id}/steps/{step_id}/{value}/{cursor}',
        'switchboard://workflows/{workflow_id}/deliveries',
      ]);
    }
  });

  it('has one page', async () => {
    for (const method of ['resources/list', 'resources/templates/list']) {
      expect((await ask(acme, method, { cursor: 'x' })).error).toMatchObject({ code: -32602 });
    }
  });
});

describe('resources/read', () => {
  it('returns the same data as the matching tools', async () => {
    const same: [string, string, object][] = [
      [`switchboard://contacts/${ids.contact}`, 'get_contact', { contact_id: ids.contact }],
      [`switchboard://messages/${ids.message}`, 'get_message', { message_id: ids.message }],
      [`switchboard://runs/${ids.run}`, 'get_run', { run_id: ids.run }],
      ['switchboard://contacts', 'search_contacts', {}],
      ['switchboard://messages', 'list_messages', {}],
      ['switchboard://runs', 'list_runs', {}],
    ];
    for (const [uri, tool, given] of same) {
      expect(await read(uri), uri).toEqual((await acme.call(tool, given)).value);
    }
  });

  it('encodes the result for each era', async () => {
    const uri = `switchboard://contacts/${ids.contact}`;
    const contents = [{ uri, mimeType: 'application/json', text: expect.any(String) as string }];
    for (const protocol of PROTOCOLS) {
      expect(await resultOf(acme, 'resources/read', { uri }, protocol)).toEqual(
        protocol === '2026-07-28'
          ? {
              contents,
              resultType: 'complete',
              ttlMs: 0,
              cacheScope: 'private',
              _meta: { 'io.modelcontextprotocol/serverInfo': expect.anything() as object },
            }
          : { contents },
      );
    }
  });

  it('accepts percent-encoded ids', async () => {
    const uri = `switchboard://contacts/${ids.contact.replace('_', '%5F')}`;
    expect(await read(uri)).toMatchObject({ contact: { id: ids.contact } });
  });

  it('gives the same error with the URI for missing resources and for invalid ids', async () => {
    const hostile = [
      `switchboard://contacts/${ids.contact}x`,
      `switchboard://contacts/${ids.contact.toLowerCase()}x`,
      `switchboard://contacts/${ids.contact}/`,
      `switchboard://contacts/${ids.contact}?x=1`,
      `switchboard://contacts/${ids.contact}#x`,
      `switchboard://contacts//${ids.contact}`,
      `switchboard://contacts/x%2F..%2F${ids.contact}`,
      `switchboard://contacts/../contacts/${ids.contact}`,
      `http://contacts/${ids.contact}`,
      `SWITCHBOARD://contacts/${ids.contact}`,
      'switchboard://contacts/..',
      'switchboard://contacts/%2e%2e',
      'switchboard://contacts/%00',
      'switchboard://contacts/\0',
      'switchboard://contacts/%',
      'switchboard://contacts/%FF',
      'switchboard://contacts/%ED%A0%80',
      "switchboard://contacts/' or 1=1 --",
      'switchboard://contacts/größe',
      'switchboard://contacts/',
      'switchboard://contacts/{contact_id}',
      'switchboard://workflows',
      'switchboard://__proto__',
      'file:///etc/passwd',
      '',
      `switchboard://contacts/${'x'.repeat(100)}`,
      `switchboard://contacts/${'%41'.repeat(600)}`,
    ];
    for (const uri of hostile) {
      // Uses plain JSON-RPC, which has the URI in the body only. A header cannot carry some of these URIs.
      const { error } = await ask(acme, 'resources/read', { uri }, 'plain');
      expect(error, uri).toEqual({ code: -32602, message: expect.any(String), data: { uri } });
      expect(error!.message).toMatch(/^(Unknown resource\.|No contact has this id\.)$/);
    }
  });

  it('shortens a long URI in the error, and keeps the error well-formed Unicode', async () => {
    const long = `switchboard://contacts/${'x'.repeat(100_000)}`;
    const { error } = await ask(acme, 'resources/read', { uri: long }, 'plain');
    expect(error!.data).toEqual({ uri: long.slice(0, 2048) });
    const broken = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a\\ud800"}}';
    const body = (await (await acme.rpc(broken)).json()) as object;
    expect(body).toMatchObject({ error: { code: -32602, data: { uri: 'a\ufffd' } } });
  });

  it('refuses a URI that is not a string', async () => {
    for (const uri of [undefined, null, 5, {}, ['switchboard://contacts']]) {
      expect((await ask(acme, 'resources/read', { uri }, 'plain')).error).toMatchObject({
        code: -32602,
      });
    }
  });
});

describe('an organization with tool policies', () => {
  it('has no resource whose tool is hidden or needs confirmation', async () => {
    const careful = await createOrganization(switchboard);
    const its = await makeOneOfEach(careful);
    const decide = async (tool: string, policy: object): Promise<void> => {
      const { error } = await careful.call('set_tool_policy', { tool, ...policy });
      expect(error).toBeUndefined();
    };
    await decide('get_contact', { hidden: true });
    await decide('get_message', { confirmation: 'always' });
    await decide('search_contacts', { hidden: true });
    const { resources } = await resultOf<{ resources: { name: string }[] }>(
      careful,
      'resources/list',
    );
    expect(resources.map(({ name }) => name)).toEqual(['messages', 'runs']);
    const { resourceTemplates } = await resultOf<{ resourceTemplates: { name: string }[] }>(
      careful,
      'resources/templates/list',
    );
    expect(resourceTemplates.map(({ name }) => name)).toEqual(['run', 'run_value', 'deliveries']);
    for (const uri of [
      'switchboard://contacts',
      `switchboard://contacts/${its.contact}`,
      `switchboard://messages/${its.message}`,
    ]) {
      const { error } = await ask(careful, 'resources/read', { uri });
      expect(error).toMatchObject({ code: -32602, message: 'Unknown resource.', data: { uri } });
    }
    const completion = await ask(careful, 'completion/complete', {
      ref: { type: 'ref/resource', uri: 'switchboard://contacts/{contact_id}' },
      argument: { name: 'contact_id', value: '' },
    });
    expect(completion.error).toMatchObject({ code: -32602 });
    expect(await read(`switchboard://runs/${its.run}`, careful)).toBeTruthy();
  });

  it('has neither parts of values of runs nor deliveries when get_run needs confirmation', async () => {
    const careful = await createOrganization(switchboard);
    const its = await makeOneOfEach(careful);
    const uri = `switchboard://runs/${its.run}/steps/trigger/payload/0`;
    expect(await read(uri, careful)).toBeTruthy();
    const policy = { tool: 'get_run', confirmation: 'always' };
    expect((await careful.call('set_tool_policy', policy)).error).toBeUndefined();
    for (const hidden of [uri, `switchboard://workflows/${its.workflow}/deliveries`]) {
      const { error } = await ask(careful, 'resources/read', { uri: hidden });
      expect(error).toMatchObject({ code: -32602, message: 'Unknown resource.' });
    }
  });
});
