import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH, sample } from '../support/thorough.js';
import { dropRowLevelSecurity } from './drop-row-level-security.js';
import { dumpOrganization } from './dump-organization.js';
import { argumentsFor, type Descriptor, Ids, isReference } from './tool-arguments.js';

let switchboard: Switchboard;
let mine: TestOrganization;
let theirs: TestOrganization;
let tools: Descriptor[];
let theirIds: Ids;

async function start(isolated: boolean): Promise<void> {
  switchboard = await startSwitchboard();
  if (!isolated) await dropRowLevelSecurity(switchboard);
  mine = await createOrganization(switchboard);
  theirs = await createOrganization(switchboard);
  theirIds = new Ids(theirs);
  const response = await mine.fetch('/api/tools');
  ({ tools } = (await response.json()) as { tools: Descriptor[] });
}

// Row-level security would hide that a repository does not filter by organization. So thorough tests also run without
// row-level security.
const WALLS = [
  ['with row-level security', true],
  ['without row-level security, by the conditions of the repositories alone', false],
] as const;

describe.each(sample(WALLS, 2))('tenancy of every tool, %s', (_walls, isolated) => {
  beforeAll(() => start(isolated));
  afterAll(() => switchboard.close());

  it('returns exactly the same answer for a row of another organization and for an unknown id', async () => {
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
      // The other arguments name the same rows in both calls. Neither call changes these rows.
      const others = await argumentsFor(tool, new Ids(mine), argument);
      for (const id of [foreign, unknown]) {
        const given = { ...others, [argument]: id };
        const response = await mine.fetch(`/api/tools/${tool.name}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(given),
        });
        const text = await response.text();
        expect(response.status, `${at}: ${text}`).toBeLessThan(500);
        expect(
          text,
          `${at} was refused by validation. Add the missing arguments to ALSO in tool-arguments.ts.`,
        ).not.toContain('invalid_arguments');
        answers.push(`${response.status} ${text.replaceAll(id, '<id>')}`);
      }
      expect(answers[0], at).toBe(answers[1]);
      // A dump costs as much as several calls, so only thorough tests make a dump after each call. Such a dump shows
      // which call changed something.
      if (IS_THOROUGH) expect(await dumpOrganization(switchboard, theirs.id), at).toEqual(before);
    }
    expect(await dumpOrganization(switchboard, theirs.id)).toEqual(before);
    // The time limit is long, because every argument that refers to a row takes two calls and a dump of the database.
  }, 90_000);

  it('answers differently to the organization that owns the rows', async () => {
    const reading = tools.filter(
      ({ name, inputSchema }) =>
        name.startsWith('get_') && Object.keys(inputSchema.properties).some(isReference),
    );
    expect(reading.length).toBeGreaterThan(0);
    for (const tool of reading) {
      const argument = Object.keys(tool.inputSchema.properties).find(isReference)!;
      const id = await theirIds.of(argument);
      const given = { ...(await argumentsFor(tool, theirIds)), [argument]: id };
      expect((await theirs.call(tool.name, given)).error, tool.name).toBeUndefined();
    }
  });

  it('finds no contact of another organization by e-mail, external id or search', async () => {
    await theirs.call('create_contact', { email: 'only@example.com', external_id: 'only' });
    for (const given of [{ email: 'only@example.com' }, { external_id: 'only' }]) {
      expect((await mine.call('get_contact', given)).error?.code).toBe('not_found');
      expect((await theirs.call('get_contact', given)).error).toBeUndefined();
    }
    const found = await mine.call<{ contacts: unknown[] }>('search_contacts', { query: 'only' });
    expect(found.value.contacts).toEqual([]);
  });

  it('lists no row of another organization with any tool', async () => {
    // Tools that list the rows of one parent require its id. The test above calls them with ids of another organization.
    const listing = tools.filter(
      ({ inputSchema: { properties, required } }) =>
        properties.cursor && !required?.some(isReference),
    );
    expect(listing.map(({ name }) => name)).toContain('search_contacts');
    const empty = await createOrganization(switchboard);
    for (const tool of listing) {
      // Every organization has entries about its own sign-up in the audit log.
      const ofOthers = tool.inputSchema.properties.caller_id && { caller_id: theirs.userId };
      const given = { ...(await argumentsFor(tool, new Ids(empty))), ...ofOthers };
      const { value, error } = await empty.call<Record<string, unknown>>(tool.name, given);
      if (error) throw new Error(`${tool.name}: ${error.message}`);
      if (tool.name === 'export_audit_log') {
        expect(value.count).toBe(0);
        continue;
      }
      const lists = Object.values(value).filter((part) => Array.isArray(part));
      expect(lists.length, tool.name).toBeGreaterThan(0);
      expect(lists.flat(), tool.name).toEqual([]);
    }
  });
});

/** Returns an unused id of the same form. */
function similarTo(id: string): string {
  return id.replace(/[0-9A-Za-z]{12}$/, 'zZ0123456789');
}

/** Waits until workers have no more work for the organization. */
async function settled(organizationId: string): Promise<void> {
  let last = '';
  for (let same = 0; same < 5;) {
    const now = JSON.stringify(await dumpOrganization(switchboard, organizationId));
    same = now === last ? same + 1 : 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
