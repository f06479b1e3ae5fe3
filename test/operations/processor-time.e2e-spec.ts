import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolDescriptor } from '../../src/tools/registry/registered-tool.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { inTurn } from '../support/thorough.js';
import { CHANGING_TOOLS } from '../support/tool-examples.js';
import { waitFor } from '../support/wait-for.js';
import {
  HOSTILE_LISTS,
  HOSTILE_OBJECTS,
  HOSTILE_TEXTS,
  hostileArguments,
} from './support/hostile-values.js';
import { CODES, CONDITIONS, EXPENSIVE_PAYLOAD, TEMPLATES } from './support/hostile-workflows.js';
import { expectNoWaitsOf, type WaitCase } from './support/no-waits.js';
import { Stranger } from './support/stranger.js';

const MAX_BODY = 1024 * 1024;
const SECRET = 'a secret of the sender';

let switchboard: Switchboard;
let acme: TestOrganization;
let stranger: Stranger;
const expectNoWaits = (cases: readonly WaitCase[]): Promise<void> =>
  expectNoWaitsOf(stranger, cases);

beforeAll(async () => {
  switchboard = await startSwitchboard({
    env: { RATE_LIMIT_PER_MINUTE: '0', ROLE: 'web', CODE_STEPS: 'on' },
  });
  acme = await createOrganization(switchboard);
  stranger = new Stranger(`${switchboard.url}/health/live`);
});
afterAll(async () => {
  await stranger.close();
  await switchboard.close();
});

function post(
  path: string,
  value: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return stranger.send({
    url: `${switchboard.url}${path}`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
}

const asOwner = (): Record<string, string> => ({ Cookie: acme.cookie, Origin: switchboard.url });

async function createWorkflow(definition: object): Promise<string> {
  const { value, error } = await acme.call<{ workflow: { id: string } }>('create_workflow', {
    name: 'Test',
    steps: [],
    ...definition,
  });
  if (error) throw new Error(JSON.stringify(error));
  return value.workflow.id;
}

async function runToEnd(workflow_id: string): Promise<void> {
  const given = { workflow_id, payload: EXPENSIVE_PAYLOAD };
  const run = await acme.call<{ run_id: string }>('trigger_workflow', given);
  await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ finished_at: Date | null }>(
      'select finished_at from workflow_runs where id = $1',
      [run.value.run_id],
    );
    return row!.finished_at !== null;
  });
}

/** Calls `work` while this process also has a worker, so that the runs of this worker could delay the pings. */
async function withWorker(work: () => Promise<void>): Promise<void> {
  const worker = await startSwitchboard({
    databaseUrl: switchboard.databaseUrl,
    env: { ROLE: 'worker', CODE_STEPS: 'on' },
  });
  try {
    await work();
  } finally {
    await worker.close();
  }
}

describe('a ping waits at most 100 ms longer than without other work', () => {
  it('during calls of every tool with hostile arguments', { timeout: 3_000_000 }, async () => {
    const { tools } = (await (await acme.fetch('/api/tools')).json()) as {
      tools: ToolDescriptor[];
    };
    const cases = tools.flatMap((tool) =>
      hostileArguments(tool.inputSchema).map((hostile) => ({ name: tool.name, ...hostile })),
    );
    const examples = new Map<string, Record<string, unknown>>();
    const chosen = inTurn(cases);
    for (const { name } of chosen) {
      if (examples.has(name)) continue;
      examples.set(name, (await CHANGING_TOOLS[name]?.(acme, switchboard)) ?? {});
    }
    await expectNoWaits(
      chosen.map(({ name, what, given }) => {
        const body = JSON.stringify({ ...examples.get(name), ...given });
        expect(body.length).toBeLessThan(MAX_BODY);
        return [`${name}, ${what}`, () => post(`/api/tools/${name}`, body, asOwner())] as const;
      }),
    );
  });

  it('during calls with thousands of unknown members that have names similar to known members', async () => {
    const given = Object.fromEntries(
      Array.from({ length: 9800 }, (_, index) => [`${'contact_id_'.repeat(5)}${index}`, 1]),
    );
    const path = '/api/tools/create_contact';
    await expectNoWaits([['unknown members', () => post(path, given, asOwner())]]);
  });

  it('during sign-in, sign-up and calls of agents with hostile values', async () => {
    const authorized = { Authorization: `Bearer ${acme.key}` };
    const call = (params: unknown): object => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params,
    });
    const texts = HOSTILE_TEXTS.flatMap(
      ([name, text]) =>
        [
          [`sign-in, ${name}`, () => post('/api/auth/sign-in', { email: text, password: text })],
          [
            `sign-up, ${name}`,
            () =>
              post('/api/auth/sign-up', {
                email: `${text}@example.com`,
                password: text,
                organization_name: text,
              }),
          ],
          [
            `the key, ${name}`,
            () =>
              post('/api/mcp', '{}', {
                Authorization: `Bearer ${encodeURIComponent(text).slice(0, 8000)}`,
              }),
          ],
          [
            `a method, ${name}`,
            () => post('/api/mcp', { jsonrpc: '2.0', id: 1, method: text }, authorized),
          ],
          [
            `a tool, ${name}`,
            () => post('/api/mcp', call({ name: text, arguments: {} }), authorized),
          ],
          [
            `a resource, ${name}`,
            () =>
              post(
                '/api/mcp',
                {
                  jsonrpc: '2.0',
                  id: 1,
                  method: 'resources/read',
                  params: { uri: `switchboard://${text}` },
                },
                authorized,
              ),
          ],
        ] as const,
    );
    const values = [...HOSTILE_LISTS, ...HOSTILE_OBJECTS].flatMap(
      ([name, value]) =>
        [
          [`sign-in with ${name}`, () => post('/api/auth/sign-in', value)],
          [`a message of ${name}`, () => post('/api/mcp', value, authorized)],
          [`params of ${name}`, () => post('/api/mcp', call(value), authorized)],
          [
            `a batch of ${name}`,
            () =>
              post(
                '/api/mcp',
                Array.from({ length: 9 }, () =>
                  call({
                    name: 'create_contact',
                    arguments: { tags: [], properties: {}, [name]: 1 },
                  }),
                ),
                authorized,
              ),
          ],
          [
            `_meta of ${name}`,
            () => post('/api/mcp', call({ name: 'list_contacts', _meta: value }), authorized),
          ],
        ] as const,
    );
    const all = [...texts, ...values];
    await expectNoWaits(inTurn(all));
  });

  it('during uploads of hostile CSV', async () => {
    const files = [
      ['cells', ','.repeat(500_000)],
      ['quotes', '"a" '.repeat(125_000)],
      ['lines', 'a,b\n'.repeat(125_000)],
      ['empty lines', '\n'.repeat(500_000)],
      ['columns of one name', `${'a,'.repeat(499)}a\n${'1,'.repeat(499)}1`],
      ['cells in later rows', `a,b\n${`${','.repeat(4900)}\n`.repeat(100)}`],
    ] as const;
    await expectNoWaits(
      files.map(([what, body]) => [
        what,
        () => post('/api/imports', body, { ...asOwner(), 'Content-Type': 'text/csv' }),
      ]),
    );
    const { value } = await acme.call<{ imports: { id: string }[] }>('list_imports', {
      limit: 100,
    });
    const mapping = Object.fromEntries(
      Array.from({ length: 9_800 }, (_, index) => [`column ${index}`, 1]),
    );
    const given = { import_id: value.imports[0]?.id, mapping };
    await expectNoWaits([['a mapping', () => post('/api/tools/start_import', given, asOwner())]]);
  });

  it('during webhooks with the most expensive conditions', async () => {
    const cases: [string, () => Promise<unknown>][] = [];
    const body = JSON.stringify(EXPENSIVE_PAYLOAD);
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    for (const [what, condition] of CONDITIONS) {
      const open = await createWorkflow({ trigger: { type: 'webhook', if: condition } });
      const signed = await createWorkflow({
        trigger: { type: 'webhook', if: condition, secret: SECRET },
      });
      const path = '/api/webhooks/workflow';
      cases.push(
        [`unsigned, ${what}`, () => post(`${path}/${open}`, body)],
        [
          `signed, ${what}`,
          () => post(`${path}/${signed}`, body, { 'X-Webhook-Signature': signature }),
        ],
        [
          `a wrong signature, ${what}`,
          () => post(`${path}/${signed}`, body, { 'X-Webhook-Signature': 'f'.repeat(64) }),
        ],
      );
    }
    await expectNoWaits(inTurn(cases));
  });

  it('while signatures of hostile bodies are diagnosed', async () => {
    const id = await createWorkflow({ trigger: { type: 'webhook', secret: SECRET } });
    let logged = 0;
    const signature = `v1,${Buffer.alloc(32).toString('base64')}`;
    const headers = {
      'Webhook-Id': 'msg_1',
      'Webhook-Timestamp': String(Math.floor(Date.now() / 1000)),
      'Webhook-Signature': [signature, signature, signature, signature].join(' '),
    };
    const bodies = [
      ['line ends', `${'\n'.repeat(16_000)}x`],
      ['nested lists', `${'['.repeat(4000)}${']'.repeat(4000)}`],
      ['many members', JSON.stringify(Array.from({ length: 1000 }, (_, index) => ({ index })))],
      ['letters that are escaped', JSON.stringify('é'.repeat(8000))],
    ] as const;
    await expectNoWaits(
      bodies.map(([what, body]) => [
        what,
        async () => {
          await post(`/api/webhooks/workflow/${id}`, body, headers);
          // The log with the diagnosis is written half a second later.
          await waitFor(async () => {
            const { value } = await acme.call<{ deliveries: { body_hash?: string }[] }>(
              'list_webhook_deliveries',
              { workflow_id: id },
            );
            return value.deliveries.length > logged;
          });
          logged += 1;
        },
      ]),
    );
  });

  it('while definitions with hostile expressions are checked', async () => {
    const step = (id: string, body: unknown): object => ({
      id,
      tool: 'send_message',
      arguments: { contact_id: 'con_1', subject: 'S', body },
    });
    const cases = TEMPLATES.flatMap(([what, template]) => {
      const short = template.slice(0, 2400);
      const many = Array.from({ length: 95 }, (_, index) =>
        step(`s${index}`, `{{ a${index} }} ${short}`),
      );
      return [
        [what, { steps: [step('only', template)] }],
        [`many steps, ${what}`, { steps: many }],
        [
          `a mapping, ${what}`,
          { trigger: { type: 'webhook', contact: { email: template, first_name: template } } },
        ],
      ] as const;
    });
    const conditions = CONDITIONS.map(([what, condition]) => {
      const steps = Array.from({ length: 60 }, (_, index) => ({
        ...step(`s${index}`, 'x'),
        if: `${condition.slice(0, 4000)} ${index}`,
      }));
      return [`conditions, ${what}`, { steps }] as const;
    });
    const all = [...cases, ...conditions].map(([what, definition]) => {
      const given = { name: 'Test', trigger: { type: 'manual' }, steps: [], ...definition };
      return [what, () => post('/api/tools/create_workflow', given, asOwner())] as const;
    });
    await expectNoWaits(inTurn(all));
  });

  it('while messages and runs with hostile templates are rendered', async () => {
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'rendered@example.com',
    });
    const messages = TEMPLATES.map(([what, template]) => {
      const variables = { trigger: { payload: EXPENSIVE_PAYLOAD } };
      const given = { contact_id: value.contact.id, subject: 'S', body: template, variables };
      return [
        `a message, ${what}`,
        () => post('/api/tools/send_message', given, asOwner()),
      ] as const;
    });
    const runs: [string, () => Promise<unknown>][] = [];
    for (const [what, template] of TEMPLATES.slice(0, 8)) {
      const steps = ['one', 'two'].map((id) => ({
        id,
        tool: 'search_contacts',
        arguments: { query: template },
        on_error: 'continue',
      }));
      const workflow_id = await createWorkflow({ trigger: { type: 'manual' }, steps });
      runs.push([`a run, ${what}`, () => runToEnd(workflow_id)]);
    }
    const all = [...messages, ...runs];
    await withWorker(() => expectNoWaits(inTurn(all)));
  });

  it('while hostile code of workflows is checked and runs', async () => {
    const cases: [string, () => Promise<unknown>][] = [];
    for (const [what, code] of CODES) {
      const steps = [
        { id: 'code', code, input: { all: '{{ trigger.payload }}' }, retry: { max_attempts: 1 } },
      ];
      const workflow_id = await createWorkflow({ trigger: { type: 'manual' }, steps });
      cases.push([`a run, ${what}`, () => runToEnd(workflow_id)]);
    }
    const deep = [{ id: 'code', code: '('.repeat(60_000) }];
    const definition = { name: 'Test', trigger: { type: 'manual' }, steps: deep };
    cases.push(['a check', () => post('/api/tools/create_workflow', definition, asOwner())]);
    await withWorker(() => expectNoWaits(inTurn(cases)));
  });
});
