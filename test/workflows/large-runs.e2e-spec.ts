import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestOrganization, createOrganization } from '../support/organization.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { type Switchboard, startSwitchboard } from '../support/switchboard.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  postWebhook,
  type RunShape,
  runToEnd,
  runUntil,
} from './support/workflow-client.js';

const MIB = 1024 * 1024;
/** The largest number of attempts for one measurement. A busy machine delays some attempts, but not all. */
const ATTEMPTS = 5;
/** The longest wait that other callers would not notice, in milliseconds. The machine of the tests may be busy. */
const MAX_WAIT_MS = IS_THOROUGH ? 100 : 1000;

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProbeTools] });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

interface Cut {
  bytes: number;
  preview: string;
}

interface LargeRun extends Omit<RunShape, 'steps' | 'trigger'> {
  step_count: number;
  trigger: { type: string; payload?: unknown; payload_cut?: Cut };
  steps: (RunShape['steps'][number] & { cut?: { input?: Cut; output?: Cut } })[];
}

interface RunAnswer {
  run: LargeRun;
  next_cursor: string | null;
}

/** Calls a tool with the API key, and returns the bytes of the answer and its result. */
const rpc = async <T>(name: string, given: object): Promise<{ bytes: number; result: T }> => {
  const params = { name, arguments: given };
  const response = await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const text = await response.text();
  const { result } = JSON.parse(text) as {
    result: { isError?: boolean; content: { text: string }[] };
  };
  if (result.isError) throw new Error(result.content[0]!.text);
  return { bytes: Buffer.byteLength(text), result: JSON.parse(result.content[0]!.text) as T };
};

interface Part {
  text: string;
  next_cursor: string | null;
}

/** Reads a value of a run in parts, as a person and as an agent does. */
const readValue = async (given: { run_id: string; step_id?: string; value: string }) => {
  const [person, agent] = ['', ''];
  const read = { person, agent };
  for (let cursor: string | null = '0'; cursor !== null;) {
    const { value }: { value: Part } = await acme.call('get_run_value', {
      ...given,
      cursor,
      limit: 100_000,
    });
    read.person += value.text;
    cursor = value.next_cursor;
  }
  for (let cursor: string | null = '0'; cursor !== null;) {
    const step = given.step_id ?? 'trigger';
    const uri = `switchboard://runs/${given.run_id}/steps/${step}/${given.value}/${cursor}`;
    const request = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
    const text = await (await acme.rpc(request)).text();
    expect(Buffer.byteLength(text)).toBeLessThan(MIB);
    const { result } = JSON.parse(text) as { result: { contents: { text: string }[] } };
    const part = JSON.parse(result.contents[0]!.text) as Part;
    read.agent += part.text;
    cursor = part.next_cursor;
  }
  expect(read.agent).toBe(read.person);
  return read.person;
};

/** Returns the longest time for which the event loop was blocked while `work` ran. */
const longestPause = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let isOver = false;
  const measure = (async () => {
    while (!isOver) {
      const before = performance.now();
      await sleep(1);
      longest = Math.max(longest, performance.now() - before);
    }
  })();
  await work();
  isOver = true;
  await measure;
  return longest;
};

/** Creates a run with `count` steps that each have an output of `bytes` bytes. */
const fill = async (count: number, bytes: number): Promise<string> => {
  const { id } = await createWorkflow(acme, [
    { id: 'a', tool: 'probe_echo', arguments: { value: {} } },
  ]);
  const run = await runToEnd(acme, id);
  await switchboard.ownerQuery(
    `insert into run_steps (organization_id, run_id, step_id, position, tool, status, attempts, input, output,
       started_at, finished_at, cut)
     select organization_id, run_id, 'each[' || n || '].a', position + n, tool, status, attempts, input, o.output,
       started_at, finished_at, case when $3 > 8192 then json_build_object('output',
         json_build_object('bytes', $3::integer, 'preview', left(o.output::text, 1000))) end
     from run_steps, generate_series(1, $2) n,
       (select json_build_object('text', (select string_agg(md5(i::text), '') from generate_series(1, $3 / 32) i)) as
         output) o
     where run_id = $1 and step_id = 'a'`,
    [run.id, count - 1, bytes],
  );
  return run.id;
};

const readAll = async (runId: string): Promise<LargeRun['steps']> => {
  const steps: LargeRun['steps'] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { bytes, result }: { bytes: number; result: RunAnswer } = await rpc('get_run', {
      run_id: runId,
      ...(cursor !== undefined && { cursor }),
    });
    expect(bytes).toBeLessThan(MIB);
    steps.push(...result.run.steps);
    cursor = result.next_cursor;
  }
  return steps;
};

describe('a run with large values', () => {
  it('shows the size and the beginning of a large input and output, and returns both in parts', async () => {
    const text = `"${'a\\😀é\u0001'.repeat(10_000)}"`;
    const { id } = await createWorkflow(acme, [
      {
        id: 'echo',
        tool: 'probe_echo',
        arguments: { value: { text: '{{ trigger.payload.text }}' } },
      },
    ]);
    const { id: runId } = await runToEnd(acme, id, { text });
    const { run } = (await acme.call<RunAnswer>('get_run', { run_id: runId })).value;
    const [step] = run.steps;
    expect(step).toMatchObject({ status: 'succeeded', input: null, output: null });
    for (const [value, cut] of [
      ['input', step!.cut!.input!],
      ['output', step!.cut!.output!],
    ] as const) {
      const whole = await readValue({ run_id: runId, step_id: 'echo', value });
      expect(JSON.stringify(JSON.parse(whole))).toContain(JSON.stringify(text));
      expect(cut.bytes).toBe(Buffer.byteLength(whole));
      expect(whole.startsWith(cut.preview)).toBe(true);
      expect(cut.preview).toHaveLength(1000);
    }
    expect(run.trigger.payload).toBeUndefined();
    expect(run.trigger.payload_cut!.bytes).toBeGreaterThan(100_000);
    const payload = await readValue({ run_id: runId, value: 'payload' });
    expect(JSON.parse(payload)).toEqual({ text });
  });

  it('shows small values completely', async () => {
    const { id } = await createWorkflow(acme, [
      { id: 'echo', tool: 'probe_echo', arguments: { value: { text: 'x'.repeat(4000) } } },
    ]);
    const run = await runToEnd(acme, id, { small: true });
    expect(run.trigger.payload).toEqual({ small: true });
    expect(run.steps[0]!.output).toMatchObject({ value: { text: 'x'.repeat(4000) } });
  });

  it.each([
    [300, IS_THOROUGH ? MIB : 64 * 1024],
    [1000, IS_THOROUGH ? MIB : 16 * 1024],
    [3000, 1000],
  ])(
    'is read in answers below 1 MiB with %i outputs of %i bytes, without delaying other callers',
    async (count, bytes) => {
      const runId = await fill(count, bytes);
      let steps: LargeRun['steps'] = [];
      const pauses: number[] = [];
      do {
        const pause = await longestPause(async () => {
          steps = await readAll(runId);
        });
        pauses.push(pause);
      } while (Math.min(...pauses) >= MAX_WAIT_MS && pauses.length < ATTEMPTS);
      expect(Math.min(...pauses)).toBeLessThan(MAX_WAIT_MS);
      expect(steps).toHaveLength(count);
      expect(new Set(steps.map(({ id }) => id)).size).toBe(count);
      const { bytes: listed, result } = await rpc<{ runs: LargeRun[] }>('list_runs', {
        limit: 100,
      });
      expect(listed).toBeLessThan(MIB);
      const inList = result.runs.find(({ id }) => id === runId)!;
      expect(inList.step_count).toBe(count);
      expect(inList.steps.map(({ id }) => id)).toEqual(steps.slice(-10).map(({ id }) => id));
    },
    600_000,
  );

  it('shows a running step on the last page', async () => {
    ProbeTools.hold('at work');
    const { id } = await createWorkflow(acme, [
      {
        id: 'each',
        for_each: [1, 2, 3],
        steps: [{ id: 'a', tool: 'probe_echo', arguments: { value: {} } }],
      },
      { id: 'out', tool: 'probe_outside', arguments: { name: 'at work' } },
    ]);
    const { body } = await postWebhook(switchboard, id, {});
    await runUntil(acme, body.runId, 'running');
    await expect
      .poll(async () => (await getRun(acme, body.runId)).steps.at(-1)!, { timeout: 10_000 })
      .toMatchObject({ id: 'out', status: 'running', attempts: 1 });
    ProbeTools.open('at work');
    await runUntil(acme, body.runId, 'succeeded');
  });

  it('refuses a cursor that the service did not return, and values that do not exist', async () => {
    const { id } = await createWorkflow(acme, [
      { id: 'a', tool: 'probe_echo', arguments: { value: {} } },
    ]);
    const { id: runId } = await runToEnd(acme, id);
    for (const cursor of ['x', 'WzFd', Buffer.from('[1e99,"a"]').toString('base64url')]) {
      expect((await acme.call('get_run', { run_id: runId, cursor })).status).toBe(422);
    }
    const value = (given: object) => acme.call('get_run_value', { run_id: runId, ...given });
    expect((await value({ value: 'output' })).status).toBe(404);
    expect((await value({ value: 'payload', cursor: 'x' })).status).toBe(422);
    expect((await value({ value: 'output', step_id: 'none' })).status).toBe(404);
    expect((await value({ value: 'error', step_id: 'a' })).status).toBe(404);
    expect((await value({ value: 'secret', step_id: 'a' })).status).toBe(422);
    const globex = await createOrganization(switchboard);
    const foreign = { run_id: runId, value: 'payload' };
    expect((await globex.call('get_run_value', foreign)).status).toBe(404);
  });

  it('lists workflows with large definitions in pages below 1 MiB', async () => {
    const definition = [
      { id: 'a', tool: 'probe_echo', arguments: { value: { text: 'x'.repeat(200_000) } } },
    ];
    const created: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      created.push((await createWorkflow(acme, definition)).id);
    }
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const {
        bytes,
        result,
      }: { bytes: number; result: { workflows: { id: string }[]; next_cursor: string | null } } =
        await rpc('list_workflows', { limit: 100, ...(cursor !== undefined && { cursor }) });
      expect(bytes).toBeLessThan(MIB);
      seen.push(...result.workflows.map((workflow) => workflow.id));
      cursor = result.next_cursor;
    }
    expect(seen).toEqual(expect.arrayContaining(created));
    expect(new Set(seen).size).toBe(seen.length);
  });
});
