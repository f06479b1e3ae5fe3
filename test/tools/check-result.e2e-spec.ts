import { Injectable } from '@nestjs/common';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PinoLogger } from '../../src/operations/pino-logger.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { answerOf, textOf } from '../mcp/support/answer.js';

class Wish {
  @IsOptional()
  @IsString()
  wish?: string;
}

class Promised {
  @IsInt()
  count: number;
}

const RESULTS: Record<string, unknown> = {
  whole: { count: 1 },
  text: { count: 'one' },
  missing: {},
  more: { count: 1, secret: 'x' },
};

@Injectable()
class LyingTools {
  @Tool({ name: 'lie', title: 'Lie', description: 'Returns anything.', output: Promised })
  lie({ wish }: Wish): Promise<Promised> {
    return Promise.resolve(RESULTS[wish ?? 'whole'] as Promised);
  }

  @Tool({ name: 'say', title: 'Say', description: 'Returns no content.' })
  say(_input: Wish): Promise<object> {
    return Promise.resolve({ text: 'hello' });
  }
}

let switchboard: Switchboard;
const logged = vi.spyOn(PinoLogger.prototype, 'error');
beforeEach(() => {
  logged.mockClear();
});
afterEach(() => switchboard.close());

async function callAsAgent(
  acme: TestOrganization,
  name: string,
  given: object = {},
): Promise<unknown> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const { body } = await answerOf(acme.rpc({ ...message, params: { name, arguments: given } }));
  return textOf(body);
}

async function lieIn(nodeEnv: string): Promise<Record<string, unknown>> {
  switchboard = await startSwitchboard({ providers: [LyingTools], env: { NODE_ENV: nodeEnv } });
  const acme = await createOrganization(switchboard);
  const answers: Record<string, unknown> = {};
  for (const wish of Object.keys(RESULTS)) {
    answers[wish] = await callAsAgent(acme, 'lie', { wish });
  }
  const rows = await switchboard.ownerQuery(
    `select from audit_log where action = 'lie' and outcome = 'ok'`,
  );
  return { ...answers, rows: rows.length };
}

describe('a result that does not fit its output class', () => {
  it.each(['development', 'test'])(
    'fails the call in %s, and the call changes nothing',
    async (nodeEnv) => {
      const bug = { error: expect.objectContaining({ code: 'internal' }) as object };
      expect(await lieIn(nodeEnv)).toEqual({
        whole: { count: 1 },
        text: bug,
        missing: bug,
        more: bug,
        rows: 1,
      });
      const log = JSON.stringify(logged.mock.calls);
      expect(log).toContain(
        'The result of lie does not match its class Promised: count must be of type integer',
      );
      expect(log).toContain('count is required');
      expect(log).toContain('secret is not known');
    },
  );

  it('is reported to its caller in development, and the error says how to return a correct result', async () => {
    const env = { NODE_ENV: 'development' };
    switchboard = await startSwitchboard({ providers: [LyingTools], env });
    const acme = await createOrganization(switchboard);
    const message = (text: string): object => ({
      error: { code: 'internal', message: expect.stringContaining(text) as string },
    });
    expect(await callAsAgent(acme, 'lie', { wish: 'text' })).toMatchObject(
      message('count must be of type integer'),
    );
    expect(await callAsAgent(acme, 'lie', { wish: 'nothing' })).toMatchObject(
      message('must return an object of its class Promised'),
    );
    expect(await callAsAgent(acme, 'say')).toMatchObject(message("ToolContent.text('…')"));
  });

  it('is not checked in production', async () => {
    expect(await lieIn('production')).toEqual({ ...RESULTS, rows: Object.keys(RESULTS).length });
  });
});
