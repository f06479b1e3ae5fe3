import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { uploadedImport } from '../support/uploaded-import.js';

interface Ids {
  message: string;
  template: string;
  file: string;
  import: string;
}
interface ToolRoute {
  /** The tools whose data the route shows or changes. */
  readonly tools: readonly string[];
  /** The path, where `{id}` is replaced by the id of the resource. */
  readonly resource?: keyof Ids;
  readonly body?: { type: string; content: string };
}

const CSV = { type: 'text/csv', content: 'email\nfound@example.com\n' };
const ROUTES: Readonly<Record<string, ToolRoute>> = {
  'get /api/contacts/export.csv': { tools: ['search_contacts'] },
  'get /api/imports/{id}/rejected.csv': {
    tools: ['search_contacts', 'get_import'],
    resource: 'import',
  },
  'post /api/imports': { tools: ['create_contact'], body: CSV },
  'post /api/files': { tools: ['send_message'], body: { type: 'text/plain', content: 'x' } },
  'get /api/messages/{id}/preview': { tools: ['get_message'], resource: 'message' },
  'get /api/templates/{id}/preview': { tools: ['preview_template'], resource: 'template' },
  // This file belongs to a message. Only a key that may call get_run can read a file of a run. The tests of http_request
  // check this.
  'get /api/files/{id}': { tools: ['get_message'], resource: 'file' },
};
/** The routes of accounts and keys, the routes that call tools, and the routes that list only names. */
const OTHERS =
  /^\w+ \/api\/(auth\/.*|mcp|mcp\/keys|mcp\/keys\/current|events|tools|tools\/\w+|changes|openapi\.json)$/;

interface Document {
  paths: Record<string, Record<string, { security: Record<string, unknown>[] }>>;
}

let switchboard: RunningSwitchboard;
let document: Document;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  // Reads all output schemas at the first call, so this call must come before any tool is hidden.
  await acme.call('list_tool_policies');
  document = (await (await acme.fetch('/api/openapi.json')).json()) as Document;
});

async function prepare(): Promise<{ acme: TestOrganization; ids: Ids }> {
  const acme = await createOrganization(switchboard);
  const email = 'ada@example.com';
  await acme.call('create_contact', { email });
  const sent = await acme.call<{ message: { id: string } }>('send_message', {
    email,
    subject: 'Subject',
    body: 'Body',
  });
  const made = await acme.call<{ template: { id: string } }>('create_template', {
    name: 'welcome',
    variants: { en: { email: { subject: 'Subject', text: 'Text' } } },
  });
  const uploaded = await acme.fetch('/api/files', { method: 'POST', body: 'x' });
  const { file } = (await uploaded.json()) as { file: { id: string } };
  return {
    acme,
    ids: {
      message: sent.value.message.id,
      template: made.value.template.id,
      file: file.id,
      import: await uploadedImport(acme),
    },
  };
}

async function setPolicy(acme: TestOrganization, policy: object): Promise<void> {
  const { error } = await acme.call('set_tool_policy', policy);
  if (error) throw new Error(error.message);
}

function initOf(route: string, ids: Ids): [string, RequestInit] {
  const { resource, body } = ROUTES[route]!;
  const [method, path] = route.split(' ') as [string, string];
  return [
    resource ? path.replace('{id}', ids[resource]) : path,
    {
      method: method.toUpperCase(),
      ...(body && { headers: { 'Content-Type': body.type }, body: body.content }),
    },
  ];
}

async function outcomeOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (answer.ok) return 'ok';
  const { code, detail } = JSON.parse(text) as { code: string; detail: string };
  return { status: answer.status, code, detail };
}

const byPerson = async (acme: TestOrganization, route: string, ids: Ids): Promise<unknown> =>
  await outcomeOf(await acme.fetch(...initOf(route, ids)));

async function byKey(acme: TestOrganization, route: string, ids: Ids): Promise<unknown> {
  const [path, { headers, ...init }] = initOf(route, ids);
  const sent = { Authorization: `Bearer ${acme.key}`, ...(headers as Record<string, string>) };
  return await outcomeOf(await fetch(`${switchboard.url}${path}`, { ...init, headers: sent }));
}

const CASES = Object.entries(ROUTES).flatMap(([route, { tools }]) =>
  tools.map((tool) => [route, tool] as const),
);
const OF_KEYS = CASES.filter(
  ([route]) => route === 'post /api/files' || /contacts|imports/.test(route),
);

describe('routes that show or change data of a tool', () => {
  it('are all listed in this test with their tool', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security.length > 0)
        .map(([method]) => `${method} ${path}`),
    );
    expect(described.filter((route) => !OTHERS.test(route)).sort()).toEqual(
      Object.keys(ROUTES).sort(),
    );
  });

  it.each(CASES)(
    'answer 404 to a person when the tool is hidden: %s, of %s',
    async (route, tool) => {
      const { acme, ids } = await prepare();
      expect(await byPerson(acme, route, ids)).toBe('ok');
      await setPolicy(acme, { tool, hidden: true });
      expect((await acme.call(tool)).status).toBe(404);
      expect(await byPerson(acme, route, ids)).toEqual({
        status: 404,
        code: 'not_found',
        detail: `Unknown tool. This request needs ${tool}.`,
      });
    },
  );
});

describe('routes of API keys that show or change data of a tool', () => {
  it.each(OF_KEYS)(
    'answer 404 to a key when the tool is hidden: %s, of %s',
    async (route, tool) => {
      const { acme, ids } = await prepare();
      expect(await byKey(acme, route, ids)).toBe('ok');
      await setPolicy(acme, { tool, hidden: true });
      expect(await byKey(acme, route, ids)).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  it.each(OF_KEYS)(
    'need a person when each call of the tool needs a confirmation: %s, of %s',
    async (route, tool) => {
      const { acme, ids } = await prepare();
      // Agents cannot call get_import, so no client can be asked to confirm its calls.
      if (tool !== 'get_import') await setPolicy(acme, { tool, confirmation: 'when_possible' });
      expect(await byKey(acme, route, ids)).toBe('ok');
      await setPolicy(acme, { tool, confirmation: 'always' });
      expect(await byKey(acme, route, ids)).toEqual({
        status: 403,
        code: 'confirmation_required',
        detail: `A person must confirm each call of ${tool}, so no API key can make this request. A signed-in member can.`,
      });
      expect(await byPerson(acme, route, ids)).toBe('ok');
    },
  );

  it('answer 404 to a key that sends an event when emit_event is hidden', async () => {
    const acme = await createOrganization(switchboard);
    const emit = async () =>
      await outcomeOf(
        await postJson(
          `${switchboard.url}/api/events`,
          { event: 'custom.tested' },
          { Authorization: `Bearer ${acme.key}` },
        ),
      );
    expect(await emit()).toBe('ok');
    await setPolicy(acme, { tool: 'emit_event', hidden: true });
    expect(await emit()).toEqual({
      status: 404,
      code: 'not_found',
      detail: 'Unknown tool. This request needs emit_event.',
    });
  });

  it('let a key with a list of tools read rejected rows if it may upload imports, because no list can have get_import', async () => {
    const { acme, ids } = await prepare();
    const withKey = async (tools: string[]): Promise<unknown> => {
      const created = await postJson(
        `${switchboard.url}/api/mcp/keys`,
        { tools },
        { Cookie: acme.cookie, Origin: switchboard.url },
      );
      const { api_key: key } = (await created.json()) as { api_key: string };
      return await byKey({ ...acme, key }, 'get /api/imports/{id}/rejected.csv', ids);
    };
    expect(await withKey(['search_contacts', 'create_contact'])).toBe('ok');
    // The rows have all columns of the file, also columns that no contact has.
    expect(await withKey(['search_contacts'])).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await withKey(['create_contact'])).toMatchObject({ status: 403, code: 'forbidden' });
  });
});
