import { Injectable } from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import type { RegisteredTool } from '../../src/tools/registry/registered-tool.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { ToolRegistry } from '../../src/tools/registry/tool-registry.js';
import { argumentsFor, type Descriptor, Ids, optionsOf } from '../database/tool-arguments.js';
import { allowRenaming } from '../support/extra-grants.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { effectsBetween, readRows } from '../support/organization-rows.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

/** Lists the columns and tables that a second call may change: times, the audit log and idempotency keys. */
const BOOKKEEPING = new Set(['updated_at']);

/** The results of these tools also list the calls of this test, which are logged a moment after each call. */
const READS_CALLS = new Set(['list_calls', 'list_audit_log', 'export_audit_log']);

class LieInput {
  @IsString()
  text: string;
}

class LieOutput {
  @IsInt()
  count: number;
}

/** Lists the tools that are declared idempotent but are not idempotent. */
@Injectable()
class LyingTools {
  private count = 0;

  constructor(private readonly tenants: TenantDatabase) {}

  @Tool({
    name: 'lie_about_state',
    title: 'Lie',
    description: 'Appends, and says that it sets.',
    output: LieOutput,
    idempotent: true,
  })
  async append({ text }: LieInput, { organizationId }: ToolCall): Promise<LieOutput> {
    await this.tenants
      .session(organizationId)
      .query('update organizations set name = name || $1 where id = $2', [text, organizationId]);
    return { count: 0 };
  }

  @Tool({
    name: 'lie_about_answer',
    title: 'Lie',
    description: 'Counts.',
    output: LieOutput,
    readOnly: true,
  })
  async next(_input: LieInput): Promise<LieOutput> {
    this.count += 1;
    return { count: this.count };
  }
}

interface Answer {
  status: number;
  text: string;
}

describe('a tool that is declared idempotent', () => {
  let switchboard: Switchboard;
  let tools: RegisteredTool[];

  beforeAll(async () => {
    // There are no workers, because workers would change the rows of the calls later.
    switchboard = await startSwitchboard({ providers: [LyingTools], env: { ROLE: 'web' } });
    await allowRenaming(switchboard);
    tools = switchboard.app
      .get(ToolRegistry)
      .all()
      .filter(({ descriptor }) => descriptor.annotations.idempotentHint)
      .filter(({ descriptor }) => !READS_CALLS.has(descriptor.name));
  });
  afterAll(() => switchboard.close());

  it('changes nothing and returns the same result when it is called again', async () => {
    const faults: Record<string, string[]> = {};
    for (const tool of tools) {
      const found = await faultsOf(tool);
      if (found.length > 0) faults[tool.descriptor.name] = found;
    }
    expect(tools.map(({ descriptor }) => descriptor.name)).toEqual(
      expect.arrayContaining([
        'get_contact',
        'search_contacts',
        'update_contact',
        'cancel_message',
      ]),
    );
    expect(faults).toEqual({
      lie_about_state: [expect.stringMatching(/^\{"text".*changes organizations again/)],
      lie_about_answer: [expect.stringMatching(/answers \{"count":\d+\} and then \{"count":\d+\}/)],
    });
  }, 120_000);

  /** Returns the differences that the second of two equal calls makes, for each call that the schema allows. */
  async function faultsOf({ descriptor, surfaces, readOnly }: RegisteredTool): Promise<string[]> {
    const tool = descriptor as unknown as Descriptor;
    const acme = await createOrganization(switchboard);
    await acme.call('create_topic', { name: 'news', title: 'News' });
    const options = [{}, ...(await optionsOf(tool, new Ids(acme)))];
    const faults: string[] = [];
    let successes = 0;
    for (const option of options) {
      const given = { ...(await argumentsFor(tool, new Ids(acme))), ...option };
      const call = () =>
        surfaces.has('dashboard')
          ? callAsPerson(acme, descriptor.name, given)
          : callAsAgent(acme, descriptor.name, given);
      const before = await readRows(switchboard, acme.id);
      const first = await call();
      const between = await readRows(switchboard, acme.id);
      const second = await call();
      const after = await readRows(switchboard, acme.id);
      if (first.status === 200) successes += 1;
      const at = JSON.stringify(given);
      if (readOnly && effectsBetween(before, between).length > 0) faults.push(`${at} changes data`);
      for (const { table, changed } of effectsBetween(between, after)) {
        if (changed?.every((column) => BOOKKEEPING.has(column))) continue;
        faults.push(`${at} changes ${table} again`);
      }
      const isGone = descriptor.annotations.destructiveHint && second.status === 404;
      if (!isGone && withoutTimes(second) !== withoutTimes(first)) {
        faults.push(`${at} answers ${first.text} and then ${second.text}`);
      }
    }
    if (successes === 0) faults.push('no generated call succeeds');
    return faults;
  }
});

async function callAsPerson(
  organization: TestOrganization,
  tool: string,
  given: object,
): Promise<Answer> {
  const response = await organization.fetch(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(given),
  });
  return { status: response.status, text: await response.text() };
}

async function callAsAgent(
  organization: TestOrganization,
  tool: string,
  given: object,
): Promise<Answer> {
  const params = { name: tool, arguments: given };
  const response = await organization.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const text = await response.text();
  return { status: text.includes('"isError"') ? 422 : response.status, text };
}

function withoutTimes({ status, text }: Answer): string {
  return `${status} ${text.replaceAll(/"updated_at":"[^"]*"/g, '"updated_at":"…"')}`;
}
