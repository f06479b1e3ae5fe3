import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIQUID_FILTERS } from '../../src/liquid/liquid-limits.js';
import { HTTP_METHODS, HttpRequestInput } from '../../src/outbound/http-request.inputs.js';
import { classSchema } from '../../src/tools/schema/class-schema.js';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, runToEnd } from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/workflows.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(([, text]) => text!);

const NUMBER = '{"number":"N1"}';

describe('docs/workflows.md', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let shop: Sink;
  let isOpen = true;
  let answer = (): string => NUMBER;

  beforeAll(async () => {
    shop = await startSink('127.0.0.1', (_request, response) => {
      response.writeHead(isOpen ? 201 : 410, { 'Content-Type': 'application/json' }).end(answer());
    });
    switchboard = await startSwitchboard({
      env: { OUTBOUND_ALLOW: `127.0.0.1:${shop.port}`, CODE_STEPS: 'on' },
    });
    acme = await createOrganization(switchboard);
  });
  afterAll(async () => {
    await switchboard.close();
    await shop.close();
  });

  const example = (index = 0): { name: string; trigger: object; steps: object[] } =>
    JSON.parse(
      EXAMPLES[index]!.replaceAll('https://shop.example.com', `http://127.0.0.1:${shop.port}`),
    ) as { name: string; trigger: object; steps: object[] };
  const payload = { email: 'ada@example.com', token: 't1', items: ['a'], plan: 'free' };
  const properties = async () => {
    const { value } = await acme.call<{ contact: { properties: object } }>('get_contact', {
      email: payload.email,
    });
    return value.contact.properties;
  };

  it('has examples that can be saved without changes', async () => {
    for (const text of EXAMPLES) {
      const { error } = await acme.call('create_workflow', JSON.parse(text));
      expect(error).toBeUndefined();
    }
  });

  it('has a code example with the described result', async () => {
    const index = EXAMPLES.findIndex((text) => text.includes('"code"'));
    const { steps, ...more } = example(index);
    const { id } = await createWorkflow(acme, steps, more);
    const run = await runToEnd(acme, id, { items: [{ price: 60.5, count: 2 }] });
    expect(run.steps[0]!.output).toEqual({ total: 121, large: true });
    expect(run.reason).toBe('stopped:enough');
  });

  it('has a loop example with the described result', async () => {
    const { steps, ...more } = example(2);
    const { id } = await createWorkflow(acme, steps, more);
    const run = await runToEnd(acme, id, { email: 'loop@example.com', parcels: ['a', 'b'] });
    expect(run.steps.map((step) => `${step.id} ${step.status}`).sort()).toEqual([
      'note succeeded',
      'parcels succeeded',
      'parcels[0].label succeeded',
      'parcels[1].label succeeded',
    ]);
    expect(shop.requests.map(({ body }) => body).sort()).toEqual([
      '{"parcel":"a","number":1}',
      '{"parcel":"b","number":2}',
    ]);
    expect(run.steps.at(-1)!.input).toMatchObject({ properties: { parcels: 2 } });
  });

  it('has a loop over pages with the described result', async () => {
    const { steps, ...more } = example(3);
    const pages = [
      { orders: [{ email: 'page@example.com' }, { email: 'not an address' }], next: 2 },
      { orders: [{ email: 'page2@example.com' }], next: null },
    ];
    answer = () => JSON.stringify(pages.shift());
    const { id } = await createWorkflow(acme, steps, { ...more, trigger: { type: 'manual' } });
    const run = await runToEnd(acme, id);
    answer = () => NUMBER;
    expect(run.steps).toMatchObject([
      {
        id: 'orders',
        status: 'succeeded',
        output: { count: 3, failed: 1 },
        progress: { pages: 2 },
      },
    ]);
    expect(shop.requests.slice(-2).map(({ path }) => path)).toEqual([
      '/orders?limit=250&after=0',
      '/orders?limit=250&after=2',
    ]);
  });

  it('has parallel and stop examples with the described results', async () => {
    const { steps, ...more } = example(4);
    const { id } = await createWorkflow(acme, steps, more);
    const run = await runToEnd(acme, id);
    expect(run).toMatchObject({ status: 'failed', reason: 'stopped:enough' });
    expect(run.steps.at(-1)!.error).toEqual({ code: 'stopped', message: 'Both said N1.' });
  });

  it('has an example of values with the described result', async () => {
    const { steps, ...more } = example(6);
    const { id } = await createWorkflow(acme, steps, more);
    const given = { plan: 'pro', price: 10, items: [{ count: 1 }, { count: 3 }] };
    const run = await runToEnd(acme, id, given);
    expect(run.reason).toBe('returned:done');
    const { value } = await acme.call<{ output: object }>('get_run', { run_id: run.id });
    expect(value.output).toEqual({ total: 36, note: '10 % for pro' });
  });

  it('names every filter', () => {
    for (const name of LIQUID_FILTERS) expect(PAGE).toMatch(new RegExp(`\`${name}[\`:]`));
  });

  it('has an http_request example with the described result', async () => {
    const { steps, ...more } = example();
    const { id } = await createWorkflow(acme, steps, more);
    const run = await runToEnd(acme, id, payload);
    expect(run.steps.map((step) => `${step.id} ${step.status}`)).toEqual([
      'person succeeded',
      'order succeeded',
      'ordered succeeded',
      'note succeeded',
      'pause skipped',
    ]);
    expect(shop.requests.at(-1)!.headers.authorization).toBe('Bearer t1');
    expect(await properties()).toEqual({ order: 'N1' });
  });

  it('has an http_request example with the described result when the other system fails', async () => {
    isOpen = false;
    const { steps, ...more } = example();
    const { id } = await createWorkflow(acme, steps, more);
    const run = await runToEnd(acme, id, payload);
    expect(run.steps.map((step) => `${step.id} ${step.status}`)).toEqual([
      'person succeeded',
      'order failed',
      'sorry succeeded',
      'ordered succeeded',
    ]);
    expect(await properties()).toMatchObject({ problem: 'The other system answered 410.' });
  });

  it('names every argument of http_request, and every method', () => {
    for (const name of Object.keys(classSchema(HttpRequestInput).properties)) {
      expect(PAGE).toContain(`| \`${name}\``);
    }
    for (const method of HTTP_METHODS) expect(PAGE).toContain(`\`${method}\``);
  });
});
