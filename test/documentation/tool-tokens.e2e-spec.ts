import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../scripts/tokens/count-tokens.mjs';
import { answerOf } from '../mcp/support/answer.js';
import { modernRequest, postModern } from '../mcp/support/modern.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

const MOST_TOKENS = 6000;

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
});
