import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { dumpOrganization } from './dump-organization.js';
import { exampleOf, type FieldSchema } from './example-of.js';

interface Descriptor {
  name: string;
  inputSchema: { properties: Record<string, FieldSchema>; required?: string[] };
}

/** Arguments that name something stored although they do not end in `_id`. */
const OTHER_REFERENCES = new Set<string>(['id']);
/** Arguments that end in `_id` and name nothing of Switchboard's: text of the caller's own. */
const NO_REFERENCES = new Set([
  'external_id',
  // Refused whatever it is: no templates are stored yet. Once they are, it needs a maker below.
  'template_id',
]);
/** What a call needs beyond its required arguments to get as far as looking the reference up. */
const ALSO: Record<string, Record<string, unknown>> = {
  send_message: { subject: 'Hello', body: 'Hello' },
};
/** What the generator cannot guess from a schema. */
const ARGUMENTS: Record<string, unknown> = {
  trigger: { type: 'manual' },
  steps: [{ id: 'find', tool: 'search_contacts', arguments: {} }],
};

/** How an organization comes by one of each thing that an argument can name. */
const MAKERS: Record<string, (organization: TestOrganization, ids: Ids) => Promise<string>> = {
  contact_id: async (organization) => {
    // argumentsOf asks for one for every call.
    const given = { email: 'somebody@example.com', on_conflict: 'update' };
    return (await made<{ contact: { id: string } }>(organization, 'create_contact', given)).contact
      .id;
  },
  workflow_id: async (organization) => {
    const given = { name: 'Find', trigger: ARGUMENTS.trigger, steps: ARGUMENTS.steps };
    return (await made<{ workflow: { id: string } }>(organization, 'create_workflow', given))
      .workflow.id;
  },
  run_id: async (organization, ids) => {
    const given = { workflow_id: await ids.of('workflow_id') };
    return (await made<{ run_id: string }>(organization, 'trigger_workflow', given)).run_id;
  },
  message_id: async (organization, ids) => {
    const given = {
      contact_id: await ids.of('contact_id'),
      body: 'Hello',
      subject: 'Hello',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    return (await made<{ message: { id: string } }>(organization, 'send_message', given)).message
      .id;
  },
};

/** One thing of each kind that an organization has, made when it is first asked for. */
class Ids {
  private readonly known = new Map<string, Promise<string>>();

  constructor(private readonly organization: TestOrganization) {}

  of(argument: string): Promise<string> {
    const make = MAKERS[argument];
    if (!make)
      throw new Error(`No maker for ${argument}: add one to MAKERS in tenancy.e2e-spec.ts.`);
    const id = this.known.get(argument) ?? make(this.organization, this);
    this.known.set(argument, id);
    return id;
  }
}

let switchboard: Switchboard;
let mine: TestOrganization;
let theirs: TestOrganization;
let tools: Descriptor[];
let theirIds: Ids;

async function start(isolated: boolean): Promise<void> {
  switchboard = await startSwitchboard();
  if (!isolated) await dropRowLevelSecurity();
  mine = await createOrganization(switchboard);
  theirs = await createOrganization(switchboard);
  theirIds = new Ids(theirs);
  const response = await mine.fetch('/api/tools');
  ({ tools } = (await response.json()) as { tools: Descriptor[] });
}

// PostgreSQL would forgive a repository that forgets the organization, so each wall is also tried alone.
describe.each([
  ['behind both walls', true],
  ['without row-level security, by what the repositories ask for alone', false],
])('tenancy of every tool, %s', (_walls, isolated) => {
  beforeAll(() => start(isolated));
  afterAll(() => switchboard.close());

  it('answers for an id of another organization exactly as for one that does not exist', async () => {
    const cases = tools.flatMap((tool) =>
      Object.keys(tool.inputSchema.properties)
        .filter(isReference)
        .map((argument) => ({ tool, argument })),
    );
    expect(cases.map(({ tool }) => tool.name)).toContain('get_contact');
    for (const { argument } of cases) await theirIds.of(argument);
    await settled(theirs.id);
    const before = await dumpOrganization(switchboard, theirs.id);
    for (const { tool, argument } of cases) {
      const at = `${tool.name}(${argument})`;
      const foreign = await theirIds.of(argument);
      const unknown = similarTo(foreign);
      const answers: string[] = [];
      for (const id of [foreign, unknown]) {
        const given = { ...(await argumentsOf(tool)), [argument]: id };
        const response = await mine.fetch(`/api/tools/${tool.name}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(given),
        });
        const text = await response.text();
        expect(response.status, `${at}: ${text}`).toBeLessThan(500);
        expect(text, `${at} got no further than validation: see ALSO`).not.toContain(
          'invalid_arguments',
        );
        answers.push(`${response.status} ${text.replaceAll(id, '<id>')}`);
      }
      expect(answers[0], at).toBe(answers[1]);
      expect(await dumpOrganization(switchboard, theirs.id), at).toEqual(before);
    }
  });

  it('does tell the owner of the same things something else, so that the answers above mean something', async () => {
    const reading = tools.filter(({ name }) => name.startsWith('get_'));
    expect(reading.length).toBeGreaterThan(0);
    for (const tool of reading) {
      const argument = Object.keys(tool.inputSchema.properties).find(isReference)!;
      const id = await theirIds.of(argument);
      expect((await theirs.call(tool.name, { [argument]: id })).error, tool.name).toBeUndefined();
    }
  });

  it('finds nobody of another organization by e-mail, external id or search', async () => {
    await theirs.call('create_contact', { email: 'only@example.com', external_id: 'only' });
    for (const given of [{ email: 'only@example.com' }, { external_id: 'only' }]) {
      expect((await mine.call('get_contact', given)).error?.code).toBe('not_found');
      expect((await theirs.call('get_contact', given)).error).toBeUndefined();
    }
    const found = await mine.call<{ contacts: unknown[] }>('search_contacts', { query: 'only' });
    expect(found.value.contacts).toEqual([]);
  });

  it('lists nothing of another organization, whatever the tool', async () => {
    const listing = tools.filter(({ inputSchema }) => inputSchema.properties.cursor);
    expect(listing.map(({ name }) => name)).toContain('search_contacts');
    const empty = await createOrganization(switchboard);
    for (const tool of listing) {
      const { value, error } = await empty.call<Record<string, unknown>>(tool.name, {});
      if (error) throw new Error(`${tool.name}: ${error.message}`);
      const lists = Object.values(value).filter((part) => Array.isArray(part));
      expect(lists, tool.name).toEqual([[]]);
    }
  });
});

function isReference(argument: string): boolean {
  if (OTHER_REFERENCES.has(argument)) return true;
  return argument.endsWith('_id') && !NO_REFERENCES.has(argument);
}

/** Valid arguments: everything required, ids being those of the calling organization. */
async function argumentsOf(tool: Descriptor): Promise<Record<string, unknown>> {
  const given: Record<string, unknown> = { ...ALSO[tool.name] };
  const ids = new Ids(mine);
  for (const argument of tool.inputSchema.required ?? []) {
    if (Object.hasOwn(given, argument)) continue;
    if (isReference(argument)) given[argument] = await ids.of(argument);
    else if (Object.hasOwn(ARGUMENTS, argument)) given[argument] = ARGUMENTS[argument];
    else
      given[argument] = exampleOf(
        tool.inputSchema.properties[argument]!,
        `${tool.name}.${argument}`,
      );
  }
  return given;
}

async function made<T>(organization: TestOrganization, tool: string, given: object): Promise<T> {
  const { value, error } = await organization.call<T>(tool, given);
  if (error) throw new Error(`${tool} made nothing: ${error.message}`);
  return value;
}

async function dropRowLevelSecurity(): Promise<void> {
  const tables = await switchboard.ownerQuery<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relrowsecurity`,
  );
  expect(tables.length).toBeGreaterThan(5);
  for (const { name } of tables) {
    await switchboard.ownerQuery(`alter table ${name} disable row level security`);
  }
}

/** An id of the same form that nothing has. */
function similarTo(id: string): string {
  return id.replace(/[0-9A-Za-z]{12}$/, 'zZ0123456789');
}

/** Waits until no worker has anything more to do for the organization. */
async function settled(organizationId: string): Promise<void> {
  let last = '';
  for (let same = 0; same < 5;) {
    const now = JSON.stringify(await dumpOrganization(switchboard, organizationId));
    same = now === last ? same + 1 : 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
