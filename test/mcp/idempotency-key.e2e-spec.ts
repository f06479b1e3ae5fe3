import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { answerOf, errorOf, textOf } from './support/answer.js';
import { metaOf, postModern } from './support/modern.js';
import { ProtocolTools } from './support/protocol.tools.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const KEY = 'switchboard/idempotencyKey';
const callOf = (text: string, key: unknown, name = 'note', more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: { text }, _meta: { [KEY]: key, ...more } },
});
const call = async (text: string, key: unknown, name?: string) =>
  textOf((await answerOf(acme.rpc(callOf(text, key, name)))).body);

describe('a call with an idempotency key in _meta', () => {
  it('happens once, and a repetition returns the first result', async () => {
    expect(await call('a', 'k1')).toEqual({ note_id: 'a' });
    expect(await call('a', 'k1')).toEqual({ note_id: 'a' });
    expect(await tracesOf(switchboard, acme)).toEqual(['a']);
    await call('a', 'k2');
    expect(await tracesOf(switchboard, acme)).toEqual(['a', 'a']);
  });

  it('happens once when it is sent again while it still runs', async () => {
    const tools = switchboard.app.get(ProtocolTools);
    const first = call('slow', 'k1', 'slow_note');
    await waitFor(() => tools.isWaiting('slow'));
    const second = call('slow', 'k1', 'slow_note');
    tools.release('slow');
    expect(await Promise.all([first, second])).toEqual([{ note_id: 'slow' }, { note_id: 'slow' }]);
    expect(await tracesOf(switchboard, acme)).toEqual(['slow']);
  });

  it('is refused when the key was used with other arguments', async () => {
    await call('a', 'k1');
    expect(await call('b', 'k1')).toMatchObject({ error: { code: 'idempotency_mismatch' } });
    expect(await tracesOf(switchboard, acme)).toEqual(['a']);
  });

  it('can be repeated with other arguments after it failed', async () => {
    const tooLong = 'x'.repeat(101);
    expect(await call(tooLong, 'k1')).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await call('a', 'k1')).toEqual({ note_id: 'a' });
  });

  it('happens once for each tool and each organization that uses the same key', async () => {
    await call('a', 'k1');
    const other = await createOrganization(switchboard);
    expect(textOf((await answerOf(other.rpc(callOf('b', 'k1')))).body)).toEqual({ note_id: 'b' });
    expect(await call('a', 'k1', 'echo_text')).toEqual({ text: 'a' });
  });

  it('happens once for each member of a batch with its own key', async () => {
    const batch = ['k1', 'k2', 'k1'].map((key, id) => ({ ...callOf('a', key), id }));
    const { body } = await answerOf(acme.rpc(batch));
    expect(body).toHaveLength(3);
    expect(await tracesOf(switchboard, acme)).toEqual(['a', 'a']);
  });

  it('is executed once in MCP 2026-07-28', async () => {
    const request = callOf('modern', 'k1', 'note', metaOf());
    for (let times = 0; times < 2; times += 1) {
      expect(await postModern(acme, request)).toMatchObject({ status: 200 });
    }
    expect(await tracesOf(switchboard, acme)).toEqual(['modern']);
  });

  it('does not store its key when it is a dry run', async () => {
    const dryRun = callOf('a', 'k1', 'note', { 'switchboard/dryRun': true });
    await answerOf(acme.rpc(dryRun));
    expect(await call('b', 'k1')).toEqual({ note_id: 'b' });
  });

  it.each([null, 5, '', 'a b', 'ä', 'x'.repeat(256), ['k']])(
    'is refused for %j, which is not a valid key',
    async (key) => {
      const { status, body } = await answerOf(acme.rpc(callOf('a', key)));
      expect(status).toBe(200);
      expect(body).toEqual(errorOf(-32602, 1));
      expect(await tracesOf(switchboard, acme)).toEqual([]);
    },
  );
});
