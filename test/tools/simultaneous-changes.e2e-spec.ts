import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

interface Case {
  tool: string;
  table: string;
  /** The column that identifies the row, and the argument that names the row. */
  column: string;
  argument: string;
  create: { tool: string; given: object; result: string };
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

/** Waits until a statement of the service waits for a lock. */
const untilBlocked = () =>
  waitFor(async () => {
    const blocked = await switchboard.ownerQuery(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and wait_event in ('transactionid', 'tuple')`,
    );
    return blocked.length > 0;
  });

/** Runs `call` while an open transaction changes the row with this statement, and commits when the call waits. */
async function duringChange<T>(
  statement: string,
  values: unknown[],
  call: () => Promise<T>,
): Promise<T> {
  await switchboard.ownerQuery('begin');
  try {
    await switchboard.ownerQuery(statement, values);
    const pending = call();
    await untilBlocked();
    await switchboard.ownerQuery('commit');
    return await pending;
  } catch (error) {
    await switchboard.ownerQuery('rollback');
    throw error;
  }
}

describe('a tool that changes only the given fields', () => {
  it.each<Case & { own: object; other: { column: string; value: string }; after: object }>([
    {
      tool: 'update_topic',
      table: 'topics',
      column: 'name',
      argument: 'name',
      create: {
        tool: 'create_topic',
        given: { name: 'news', title: 'Old', default: 'opted_in' },
        result: 'topic',
      },
      own: { default: 'opted_out' },
      other: { column: 'title', value: 'New' },
      after: { title: 'New', default: 'opted_out' },
    },
    {
      tool: 'update_snippet',
      table: 'template_snippets',
      column: 'id',
      argument: 'snippet_id',
      create: {
        tool: 'create_snippet',
        given: { name: 'footer', content: 'Old' },
        result: 'snippet',
      },
      own: { name: 'footer_of_mails' },
      other: { column: 'content', value: 'New' },
      after: { name: 'footer_of_mails', content: 'New' },
    },
    {
      tool: 'update_template',
      table: 'templates',
      column: 'id',
      argument: 'template_id',
      create: { tool: 'create_template', given: { name: 'welcome' }, result: 'template' },
      own: { name: 'greeting' },
      other: { column: 'description', value: 'New' },
      after: { name: 'greeting', description: 'New' },
    },
    {
      tool: 'update_segment',
      table: 'segments',
      column: 'id',
      argument: 'segment_id',
      create: { tool: 'create_segment', given: { name: 'Old' }, result: 'segment' },
      own: { description: 'Own' },
      other: { column: 'name', value: 'New' },
      after: { name: 'New', description: 'Own' },
    },
  ])(
    '$tool keeps the change of another call that is committed meanwhile',
    async ({ tool, table, column, argument, create, own, other, after }) => {
      const { value: made } = await acme.call<Record<string, Record<string, string>>>(
        create.tool,
        create.given,
      );
      const row = made[create.result]![column]!;
      const statement = `update ${table} set ${other.column} = $3 where organization_id = $1 and ${column} = $2`;
      const { value, error } = await duringChange(statement, [acme.id, row, other.value], () =>
        acme.call<Record<string, object>>(tool, { [argument]: row, ...own }),
      );
      expect(error).toBeUndefined();
      expect(value[create.result]).toMatchObject(after);
    },
  );
});
