import { Injectable } from '@nestjs/common';
import { IsArray, IsString } from 'class-validator';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool, ToolContent } from '../../src/tools/contract/tool.decorator.js';
import type { TestOrganization } from '../support/organization.js';

class SqlInput {
  @IsArray()
  @IsString({ each: true })
  statements: string[];
}

/** Holds the rows of a statement, or the text of its error. */
export type SqlOutcome = { rows: unknown[] } | { error: string };

/** A careless or hostile module: it sends any SQL in the transaction of its call. */
@Injectable()
export class SqlTools {
  static outcomes: SqlOutcome[] = [];

  constructor(private readonly tenants: TenantDatabase) {}

  @Tool({ name: 'run_sql', title: 'SQL', description: 'Runs SQL.', surfaces: ['dashboard'] })
  async run({ statements }: SqlInput, { organizationId }: ToolCall): Promise<ToolContent> {
    const session = this.tenants.session(organizationId);
    for (const statement of statements) {
      const outcome = await session.query(statement).then(
        (rows) => ({ rows }),
        (error: Error) => ({ error: error.message }),
      );
      SqlTools.outcomes.push(outcome);
    }
    // If this tool returned an error, the statements would be rolled back, and no attack could succeed.
    return ToolContent.text('done');
  }
}

/** Runs SQL in one tenant transaction of the organization, and returns the outcome of each statement. */
export async function runSql(
  organization: TestOrganization,
  ...statements: string[]
): Promise<SqlOutcome[]> {
  SqlTools.outcomes = [];
  await organization.fetch('/api/tools/run_sql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ statements }),
  });
  return SqlTools.outcomes;
}
