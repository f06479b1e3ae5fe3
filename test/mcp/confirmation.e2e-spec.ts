import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { answerOf, textOf } from './support/answer.js';
import { CAPABILITIES_KEY, metaOf, postModern } from './support/modern.js';
import { tracesOf } from './support/traces.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const CONFIRMATION = 'switchboard.confirmation';

async function require(confirmation: 'never' | 'when_possible' | 'always', tool = 'note') {
  expect((await acme.call('set_tool_policy', { tool, confirmation })).error).toBeUndefined();
}

async function call(
  extras: object = {},
  capabilities: object = { elicitation: {} },
  params: object = { name: 'note', arguments: { text: 'told' } },
) {
  const _meta = { ...metaOf(), [CAPABILITIES_KEY]: capabilities };
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { ...params, ...extras, _meta },
  };
  const { status, body } = await postModern(acme, message);
  return { status, ...(body as { result?: Record<string, unknown>; error?: object }) };
}

describe('a tool whose policy requires a confirmation', () => {
  it('shows its title and arguments in the input request, and runs once after the person agrees', async () => {
    await require('when_possible');
    const { result } = await call();
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        [CONFIRMATION]: {
          method: 'elicitation/create',
          params: { requestedSchema: { type: 'object', properties: {} } },
        },
      },
    });
    expect(JSON.stringify(result)).toMatch(/Note, with:.*told/);
    expect(await tracesOf(switchboard, acme)).toEqual([]);
    const { requestState } = result!;
    const yes = { inputResponses: { [CONFIRMATION]: { action: 'accept' } }, requestState };
    for (let time = 0; time < 3; time += 1) {
      expect((await call(yes)).result).toMatchObject({ structuredContent: { note_id: 'told' } });
    }
    expect(await tracesOf(switchboard, acme)).toEqual(['told']);
  });

  it('does not run after the person declines', async () => {
    await require('when_possible');
    const { requestState } = (await call()).result!;
    for (const action of ['decline', 'cancel']) {
      const no = { inputResponses: { [CONFIRMATION]: { action } }, requestState };
      expect(textOf(await call(no))).toMatchObject({ error: { code: 'forbidden' } });
    }
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  it('is confirmed neither by a response without a request nor by a response to another request', async () => {
    await require('when_possible');
    const yes = { inputResponses: { [CONFIRMATION]: { action: 'accept' } } };
    expect((await call(yes)).result).toMatchObject({ resultType: 'input_required' });
    const { requestState } = (await call()).result!;
    const other = { name: 'note', arguments: { text: 'other' } };
    expect(await call({ ...yes, requestState }, undefined, other)).toMatchObject({
      error: { code: -32602 },
    });
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  it('asks before a call that only reads', async () => {
    await require('when_possible', 'echo_text');
    const echo = { name: 'echo_text', arguments: { text: 'x' } };
    const { result } = await call({}, undefined, echo);
    expect(result).toMatchObject({ resultType: 'input_required' });
    const yes = { inputResponses: { [CONFIRMATION]: { action: 'accept' } } };
    expect((await call(yes, undefined, echo)).result).toMatchObject({
      resultType: 'input_required',
    });
    const { requestState } = result!;
    expect((await call({ ...yes, requestState }, undefined, echo)).result).toMatchObject({
      structuredContent: { text: 'x' },
    });
  });

  it('reports invalid arguments before it asks', async () => {
    await require('when_possible');
    const wrong = { name: 'note', arguments: { words: 'told' } };
    expect(textOf(await call({}, undefined, wrong))).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
  });

  it('accepts, with the confirmation when_possible, callers that cannot be asked', async () => {
    await require('when_possible');
    expect((await call()).result).toMatchObject({ resultType: 'input_required' });
    expect((await call({}, {})).result).toMatchObject({ structuredContent: { note_id: 'told' } });
    const plain = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'note', arguments: { text: 'plain' } },
    };
    expect((await answerOf(acme.rpc(plain))).body).not.toHaveProperty('result.isError');
    expect(await tracesOf(switchboard, acme)).toEqual(['told', 'plain']);
  });

  it('does not ask signed-in people', async () => {
    await require('when_possible');
    expect((await acme.call('note', { text: 'by a person' })).value).toEqual({
      note_id: 'by a person',
    });
  });

  it('does not ask callers of other organizations', async () => {
    await require('when_possible');
    acme = await createOrganization(switchboard);
    expect((await call()).result).toMatchObject({ structuredContent: { note_id: 'told' } });
  });

  it('cannot become a step when an agent saves a workflow, because steps run without confirmation', async () => {
    const workflow = {
      name: 'Sly',
      trigger: { type: 'manual' },
      steps: [
        { id: 'a', if: 'true', then: [{ id: 'b', tool: 'note', arguments: { text: 'sly' } }] },
      ],
    };
    const create = { name: 'create_workflow', arguments: workflow };
    const before = (await call({}, undefined, create)).result!;
    expect(before).toHaveProperty('structuredContent');
    await require('always');
    const refusal = {
      error: { code: 'invalid_arguments', details: [{ path: 'steps[0].then[0].tool' }] },
    };
    expect(textOf(await call({}, undefined, create))).toMatchObject(refusal);
    const { workflow: saved } = before.structuredContent as { workflow: { id: string } };
    const update = {
      name: 'update_workflow',
      arguments: { workflow_id: saved.id, steps: workflow.steps },
    };
    expect(textOf(await call({}, undefined, update))).toMatchObject(refusal);
    expect((await acme.call('create_workflow', workflow)).error).toBeUndefined();
    await require('when_possible');
    expect((await call({}, undefined, create)).result).toHaveProperty('structuredContent');
  });
});
