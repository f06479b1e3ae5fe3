import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ToolDescriptor } from '../../src/tools/registry/registered-tool.js';
import { Ids } from '../database/tool-arguments.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { AskingTools } from './support/asking.tools.js';
import {
  anyValue,
  argumentsFor,
  assertResponse,
  CASES,
  fuzz,
  messagesOf,
  seed,
  timeoutMs,
} from './support/fuzzing.js';
import { metaOf, MODERN, modernHeaders } from './support/modern.js';

const BUILT_IN = Math.round(CASES * 0.3);

let switchboard: Switchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({
    providers: [AskingTools],
    // There are no workers, so only requests use memory.
    env: { RATE_LIMIT_PER_MINUTE: '0', ROLE: 'web' },
  });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

it(
  `the endpoint answers ${BUILT_IN} random calls of the built-in tools with all protocol versions (seed ${seed})`,
  async () => {
    const listed = await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { tools } = ((await listed.json()) as { result: { tools: ToolDescriptor[] } }).result;
    const ids = new Ids(acme);
    const references = await Promise.all(
      ['contact_id', 'workflow_id', 'run_id', 'message_id'].map((name) => ids.of(name)),
    );
    const params = fc.oneof(
      ...tools.map(({ name, inputSchema }) =>
        argumentsFor(inputSchema.properties, references).map((given) => ({
          name,
          arguments: given,
        })),
      ),
    );
    const meta = fc.record(
      {
        progressToken: fc.oneof(fc.string(), fc.integer(), anyValue),
        'switchboard/dryRun': fc.oneof(fc.boolean(), anyValue),
      },
      { requiredKeys: [] },
    );
    const answers = fc.record(
      { inputResponses: anyValue, requestState: fc.oneof(fc.base64String(), anyValue) },
      { requiredKeys: [] },
    );
    const era = fc.constantFrom(
      undefined,
      '2024-11-05',
      '2025-03-26',
      '2025-06-18',
      '2025-11-25',
      MODERN,
    );
    const id = fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger());
    const accept = fc.constantFrom('application/json', 'application/json, text/event-stream');
    const property = fc.asyncProperty(
      params,
      meta,
      answers,
      era,
      id,
      accept,
      async (params, meta, answers, version, id, accept) => {
        const _meta = { ...meta, ...(version === MODERN && metaOf()) };
        const message = {
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { ...params, ...answers, _meta },
        };
        const mirrored = version === MODERN ? modernHeaders(message) : {};
        const response = await acme.rpc(message, {
          ...mirrored,
          ...(version !== undefined && { 'MCP-Protocol-Version': version }),
          Accept: accept,
        });
        expect([200, 400]).toContain(response.status);
        const { messages } = await messagesOf(response);
        assertResponse(messages.at(-1), id);
        for (const earlier of messages.slice(0, -1)) {
          expect(earlier).toMatchObject({ jsonrpc: '2.0', method: 'notifications/progress' });
          expect(earlier).not.toHaveProperty('id');
        }
      },
    );
    await fuzz(property, BUILT_IN);
  },
  timeoutMs,
);
