import { beforeAll, describe, expect, it } from 'vitest';
import { ask, PROTOCOLS, resultOf } from '../mcp/support/ask.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, type RunShape } from '../workflows/support/workflow-client.js';

interface Completed {
  completion: { values: string[]; total?: number; hasMore: boolean };
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const WRITE = { type: 'ref/prompt', name: 'write_message' };
const EXPLAIN = { type: 'ref/prompt', name: 'explain_failed_run' };
const templateOf = (thing: string) => ({
  type: 'ref/resource',
  uri: `switchboard://${thing}s/{${thing}_id}`,
});

async function complete(
  ref: object,
  name: string,
  value: string,
  organization = acme,
): Promise<string[]> {
  const params = { ref, argument: { name, value } };
  const { completion } = await resultOf<Completed>(organization, 'completion/complete', params);
  expect(completion.total).toBe(completion.hasMore ? undefined : completion.values.length);
  return completion.values;
}

async function contact(given: object): Promise<string> {
  const { value } = await acme.call<{ contact: { id: string } }>('create_contact', given);
  return value.contact.id;
}

async function run(tool: string, given: object, status: string): Promise<string> {
  const { id } = await createWorkflow(acme, [{ id: 'only', tool, arguments: given }]);
  const { value } = await acme.call<{ run_id: string }>('trigger_workflow', { workflow_id: id });
  await waitFor(async () => {
    const got = await acme.call<{ run: RunShape }>('get_run', { run_id: value.run_id });
    return got.value.run.status === status;
  });
  return value.run_id;
}

describe('contacts', () => {
  it('are suggested by the start of their names and identifiers in upper or lower case, newest first', async () => {
    const ada = await contact({
      email: 'ada@ex.example',
      first_name: 'Ada',
      last_name: 'Lovelace',
    });
    const adam = await contact({ phone: '+4930111222', first_name: 'ADAM', last_name: 'Öztürk' });
    const nevada = await contact({ email: 'nevada@ex.example', external_id: 'crm 7' });
    const ids = (text: string) => complete(templateOf('contact'), 'contact_id', text);
    const found: [string, string[]][] = [
      ['', [nevada, adam, ada]],
      ['ada', [adam, ada]],
      ['ADA L', [ada]],
      ['love', [ada]],
      ['ö', [adam]],
      ['Ö', [adam]],
      ['+4930', [adam]],
      ['crm', [nevada]],
      [ada.toUpperCase(), [ada]],
      ['evada', []],
      ['%', []],
      ['_da', []],
      ["' or true --", []],
      ['\\', []],
    ];
    for (const [text, expected] of found) expect(await ids(text), text).toEqual(expected);
    // write_message finds contacts by their names.
    expect(await complete(WRITE, 'contact', 'ada')).toEqual([adam, 'ada@ex.example']);
    expect(await complete(WRITE, 'goal', 'ada')).toEqual([]);
  });

  itSlow('are at most 100 for one request', async () => {
    const busy = await createOrganization(switchboard);
    for (let index = 0; index < 101; index += 1) {
      await busy.call('create_contact', { email: `many${index}@ex.example` });
    }
    const params = { ref: WRITE, argument: { name: 'contact', value: 'many' } };
    const { completion } = await resultOf<Completed>(busy, 'completion/complete', params);
    expect(completion).toEqual({ values: expect.any(Array) as [], hasMore: true });
    expect(completion.values).toHaveLength(100);
    const [exact] = await complete(WRITE, 'contact', 'many100', busy);
    expect(exact).toBe('many100@ex.example');
  });
});

describe('runs and messages', () => {
  it('are suggested by the start of their ids, newest first, and only failed runs for explain_failed_run', async () => {
    const good = await run('search_contacts', {}, 'succeeded');
    const bad = await run('get_contact', { email: 'nobody@ex.example' }, 'failed');
    const worse = await run('get_contact', { email: 'nobody@ex.example' }, 'failed');
    expect(await complete(templateOf('run'), 'run_id', 'run_')).toEqual([worse, bad, good]);
    expect(await complete(EXPLAIN, 'run_id', '')).toEqual([worse, bad]);
    expect(await complete(EXPLAIN, 'run_id', bad.slice(0, 12).toUpperCase())).toEqual([bad]);
    expect(await complete(EXPLAIN, 'run_id', 'msg')).toEqual([]);
    const id = await contact({ email: 'post@ex.example' });
    const sent = await acme.call<{ message: { id: string } }>('send_message', {
      contact_id: id,
      subject: 'Hello',
      body: 'Hello',
    });
    expect(await complete(templateOf('message'), 'message_id', 'msg')).toEqual([
      sent.value.message.id,
    ]);
  });
});

describe('an organization with tool policies', () => {
  it.each(
    sample([{ hidden: true }, { confirmation: 'always' }, { confirmation: 'when_possible' }], 3),
  )('gets no values that agents may not look up: %j', async (policy) => {
    const careful = await createOrganization(switchboard);
    const given = { email: 'ada@ex.example', first_name: 'Ada' };
    const { value } = await careful.call<{ contact: { id: string } }>('create_contact', given);
    await careful.call('send_message', { contact_id: value.contact.id, body: 'x', subject: 'x' });
    const { id } = await createWorkflow(careful, [
      { id: 'only', tool: 'get_contact', arguments: { email: 'nobody@ex.example' } },
    ]);
    const started = await careful.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: id,
    });
    await waitFor(async () => {
      const got = await careful.call<{ run: RunShape }>('get_run', {
        run_id: started.value.run_id,
      });
      return got.value.run.status === 'failed';
    });
    const decide = async (tool: string): Promise<void> => {
      expect((await careful.call('set_tool_policy', { tool, ...policy })).status).toBe(200);
    };
    const found = async (): Promise<number[]> => {
      const counts: number[] = [];
      for (const [ref, name] of [
        [templateOf('contact'), 'contact_id'],
        [templateOf('message'), 'message_id'],
        [templateOf('run'), 'run_id'],
        [EXPLAIN, 'run_id'],
      ] as const) {
        counts.push((await complete(ref, name, '', careful)).length);
      }
      return counts;
    };
    expect(await found()).toEqual([1, 1, 1, 1]);
    expect(await complete(WRITE, 'contact', '', careful)).toEqual(['ada@ex.example']);
    await decide('search_contacts');
    expect(await complete(WRITE, 'contact', '', careful)).toEqual([]);
    await decide('list_messages');
    await decide('list_runs');
    expect(await found()).toEqual([0, 0, 0, 0]);
  });
});

describe('completion/complete', () => {
  it('encodes the result for each era', async () => {
    const params = { ref: WRITE, argument: { name: 'goal', value: '' } };
    const completion = { values: [], total: 0, hasMore: false };
    for (const protocol of PROTOCOLS) {
      expect(await resultOf(acme, 'completion/complete', params, protocol)).toEqual(
        protocol === '2026-07-28'
          ? {
              completion,
              resultType: 'complete',
              _meta: { 'io.modelcontextprotocol/serverInfo': expect.anything() as object },
            }
          : { completion },
      );
    }
  });

  it('returns no values for a text that no value can start with', async () => {
    for (const value of ['\0', 'a\0b', 'x'.repeat(256), 'x'.repeat(100_000)]) {
      expect(await complete(WRITE, 'contact', value)).toEqual([]);
    }
    const broken =
      '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt",' +
      '"name":"write_message"},"argument":{"name":"contact","value":"\\udc00"}}}';
    expect(await (await acme.rpc(broken)).json()).toMatchObject({
      result: { completion: { values: [] } },
    });
  });

  it('returns no values for a resource without variables', async () => {
    const ref = { type: 'ref/resource', uri: 'switchboard://contacts' };
    expect(
      (
        await ask(acme, 'completion/complete', {
          ref,
          argument: { name: 'contact_id', value: '' },
        })
      ).error,
    ).toMatchObject({ code: -32602 });
  });

  const argument = { name: 'contact', value: '' };
  it.each<[string, object]>([
    ['no ref', { argument }],
    ['a ref that is a list', { ref: [], argument }],
    ['a ref of another type', { ref: { type: 'ref/tool', name: 'write_message' }, argument }],
    ['a ref without a name', { ref: { type: 'ref/prompt', uri: 'x' }, argument }],
    ['an unknown prompt', { ref: { ...WRITE, name: '__proto__' }, argument }],
    ['an unknown template', { ref: { type: 'ref/resource', uri: 'a://{b}' }, argument }],
    ['no argument', { ref: WRITE }],
    ['an argument without a name', { ref: WRITE, argument: { value: '' } }],
    ['an unknown argument', { ref: WRITE, argument: { name: 'constructor', value: '' } }],
    ['a value that is not a text', { ref: WRITE, argument: { name: 'contact', value: null } }],
    ['a context that is not an object', { ref: WRITE, argument, context: { arguments: [] } }],
    ['a context of other things', { ref: WRITE, argument, context: { arguments: { a: 5 } } }],
  ])('refuses %s', async (_case, params) => {
    expect((await ask(acme, 'completion/complete', params, 'plain')).error).toMatchObject({
      code: -32602,
      message: expect.any(String) as string,
    });
  });
});

describe('workflows', () => {
  it('are not suggested when list_workflows is hidden, because only this tool shows their ids', async () => {
    const org = await createOrganization(switchboard);
    const { id } = await createWorkflow(org, [], { name: 'Payroll' });
    const ref = {
      type: 'ref/resource',
      uri: 'switchboard://workflows/{workflow_id}/deliveries',
    };
    expect(await complete(ref, 'workflow_id', 'Pay', org)).toEqual([id]);
    await org.call('set_tool_policy', { tool: 'list_workflows', hidden: true });
    expect(await complete(ref, 'workflow_id', 'Pay', org)).toEqual([]);
  });
});
