import { Injectable } from '@nestjs/common';
import { IsArray, IsString } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { SESSION_CHANGES } from './session-changes.js';

class SqlInput {
  @IsArray()
  @IsString({ each: true })
  statements: string[];
}

/** A careless or hostile module: it sends any SQL in the transaction of its call. */
@Injectable()
class SqlTools {
  static seen: unknown[] = [];

  constructor(private readonly tenants: TenantDatabase) {}

  @Tool({ name: 'run_sql', title: 'SQL', description: 'Runs SQL.', surfaces: ['dashboard'] })
  async run({ statements }: SqlInput, { organizationId }: ToolCall): Promise<object> {
    const session = this.tenants.session(organizationId);
    for (const statement of statements) {
      const rows = await session.query(statement).catch((error: Error) => [error.message]);
      SqlTools.seen.push(...rows);
    }
    return {};
  }
}

describe('SQL that changes its session', () => {
  let switchboard: Switchboard;
  let hostile: TestOrganization;
  let victim: TestOrganization;
  let counter = 0;

  beforeAll(async () => {
    // The pool returns the connection that was used last, so each transaction gets that of the previous one.
    switchboard = await startSwitchboard({
      env: { ROLE: 'web', DATABASE_POOL_SIZE: '2' },
      providers: [SqlTools],
    });
    hostile = await createOrganization(switchboard, 'Hostile');
    victim = await createOrganization(switchboard, 'Victim');
  });
  afterAll(() => switchboard.close());

  /** Calls of another organization that read, write, list and count. */
  const useNormally = async (organization: TestOrganization): Promise<void> => {
    counter += 1;
    const email = `person${counter}@example.com`;
    const created = await organization.call<{ contact: { id: string }; created: boolean }>(
      'create_contact',
      { email, tags: ['a'] },
    );
    expect(created.error).toBeUndefined();
    expect(created.value.created).toBe(true);
    const { id } = created.value.contact;
    const updated = await organization.call<{ contact: { first_name: string } }>('update_contact', {
      contact_id: id,
      first_name: 'Ada',
    });
    expect(updated.value.contact.first_name).toBe('Ada');
    const found = await organization.call<{ contacts: { email: string }[] }>('search_contacts', {
      query: email,
    });
    expect(found.value.contacts.map((contact) => contact.email)).toEqual([email]);
    const [row] = await switchboard.ownerQuery<{ organization: string; entries: number }>(
      `select organization_id as organization, (select count(*)::integer from audit_log a
         where a.organization_id = c.organization_id and a.subject = c.id) as entries
       from contacts c where c.id = $1`,
      [id],
    );
    expect(row).toEqual({ organization: organization.id, entries: 2 });
  };

  it.each(SESSION_CHANGES)('%s does not reach the next transaction', async (_what, statements) => {
    SqlTools.seen = [];
    // The attack may succeed or fail. The test checks the calls after it.
    await hostile.fetch('/api/tools/run_sql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ statements }),
    });
    await useNormally(victim);
    const [state] = await switchboard.ownerQuery<{ locks: number }>(
      `select count(*)::integer as locks from pg_locks where locktype = 'advisory' and database =
         (select oid from pg_database where datname = current_database())`,
    );
    expect(state!.locks).toBe(0);
    expect(JSON.stringify(SqlTools.seen)).not.toContain(victim.id);
  });
});
