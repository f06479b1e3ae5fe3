import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTRUCTIONS } from '../../src/mcp/server-info.js';
import type { JsonSchema, ObjectSchema } from '../../src/tools/schema/json-schema.js';
import { answerOf } from '../mcp/support/answer.js';
import { modernRequest, postModern } from '../mcp/support/modern.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

const MOST_TOKENS = 6000;
const ROOT = resolve(import.meta.dirname, '../..');

describe('the tool list that a model receives', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it.each([undefined, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])(
    `takes less than ${MOST_TOKENS} tokens in tools/list of %s`,
    async (version) => {
      const message = modernRequest('tools/list');
      const { body } =
        version === '2026-07-28'
          ? await postModern(acme, message)
          : await answerOf(
              acme.rpc(
                { ...message, params: {} },
                version === undefined ? {} : { 'MCP-Protocol-Version': version },
              ),
            );
      const { result } = body as { result: { tools: unknown[] } };
      expect(result.tools.length).toBeGreaterThan(20);
      expect(countTokens(JSON.stringify(result))).toBeLessThan(MOST_TOKENS);
    },
  );

  it('comes with instructions that describe contacts, messages, workflows and runs', async () => {
    const response = await acme.fetch('/api/tools');
    const { tools } = (await response.json()) as {
      tools: { name: string; outputSchema: ObjectSchema }[];
    };
    for (const what of ['contact', 'message', 'workflow', 'run']) {
      const { outputSchema } = tools.find(({ name }) => name === `get_${what}`)!;
      expect(INSTRUCTIONS).toContain(`${what} ${shapeOf(outputSchema.properties[what]!)}`);
    }
  });
});

describe('npm run tools', () => {
  const run = async (...given: string[]): Promise<string[]> => {
    // The environment is empty, because the command must need neither settings nor a database.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['scripts/tools.mjs', ...given],
      { cwd: ROOT, env: { PATH: process.env.PATH } },
    );
    return stdout.trim().split('\n');
  };
  beforeAll(() => buildTree());

  it('prints every tool with its surfaces, without a database', async () => {
    const lines = await run();
    expect(lines).toContainEqual(expect.stringMatching(/^send_message +agent, .* Send a message$/));
    expect(lines).toContainEqual(expect.stringMatching(/^set_tool_policy +dashboard +Set /));
  });

  it('prints the number of tokens of each tool with --tokens', async () => {
    const lines = await run('--tokens');
    expect(lines[0]).toMatch(/^tokens .*plain JSON-RPC .*MCP 2026-07-28$/);
    expect(lines).toContainEqual(expect.stringMatching(/^send_message +\d+ +\d+ +\d+$/));
    expect(lines.join('\n')).not.toContain('set_tool_policy');
    expect(lines.at(-1)).toMatch(/^whole list +\d{4} +\d{4} +\d{4}$/);
  });

  it('rejects unknown arguments', async () => {
    await expect(run('--token')).rejects.toThrow('Unknown argument --token');
  });
});

/** `{id, tags, steps: [{id, tool}]}` */
function shapeOf(schema: JsonSchema): string {
  const members = Object.entries(schema.properties!).map(([name, member]) => {
    return member.items?.properties ? `${name}: [${shapeOf(member.items)}]` : name;
  });
  return `{${members.join(', ')}}`;
}
