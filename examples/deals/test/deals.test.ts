import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  startTestSwitchboard,
  type TestOrganization,
  type TestSwitchboard,
} from 'switchboard/testing';
import type { DealPage } from '../src/deal-page.js';
import type { DealResult } from '../src/deal-result.js';
import { DEALS } from '../src/deals.extension.js';
import { CarelessModule } from './careless.tools.js';

describe('deals', () => {
  let switchboard: TestSwitchboard;
  let acme: TestOrganization;

  before(async () => {
    switchboard = await startTestSwitchboard({
      ...DEALS,
      modules: [...DEALS.modules!, CarelessModule],
    });
  });
  after(() => switchboard.close());
  beforeEach(async () => {
    acme = await switchboard.createOrganization('Acme');
  });

  it('have tools with schemas', async () => {
    const tools = new Map((await acme.listTools()).map((tool) => [tool.name, tool]));
    assert.deepEqual(tools.get('record_deal')!.inputSchema, {
      type: 'object',
      properties: {
        title: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'What is being sold, in a few words.',
        },
        amount: {
          type: 'integer',
          minimum: 0,
          maximum: 2_000_000_000,
          description: 'In whole euros.',
        },
        contact_id: {
          type: 'string',
          minLength: 1,
          maxLength: 64,
          description: 'Id of the contact who would buy.',
        },
        idempotency_key: {
          type: 'string',
          minLength: 1,
          maxLength: 255,
          description:
            'Key of this call: a repeated call with the same key records no second deal.',
        },
      },
      required: ['title', 'amount'],
      additionalProperties: false,
    });
    assert.equal(tools.get('record_deal')!.annotations.readOnlyHint, false);
    assert.equal(tools.get('list_deals')!.annotations.readOnlyHint, true);
  });

  it('are recorded and listed by agents, page by page', async () => {
    for (const title of ['First', 'Second', 'Third']) {
      const { deal } = result(
        await acme.callAsAgent<DealResult>('record_deal', { title, amount: 10 }),
      );
      assert.match(deal.id, /^deal_\w{22}$/);
    }
    const first = result(await acme.callAsAgent<DealPage>('list_deals', { limit: 2 }));
    const cursor = first.next_cursor;
    const second = result(await acme.callAsAgent<DealPage>('list_deals', { limit: 2, cursor }));
    const titles = [...first.deals, ...second.deals].map((deal) => deal.title);
    assert.deepEqual(titles.toSorted(), ['First', 'Second', 'Third']);
    assert.equal(second.next_cursor, null);
  });

  it('are recorded and listed by people', async () => {
    const given = { title: 'Piano', amount: 900, idempotency_key: 'piano' };
    const { deal } = result(await acme.callAsPerson<DealResult>('record_deal', given));
    const again = result(await acme.callAsPerson<DealResult>('record_deal', given));
    assert.deepEqual(again.deal, deal);
    const { deals } = result(await acme.callAsPerson<DealPage>('list_deals'));
    assert.deepEqual(deals, [deal]);
  });

  it('are recorded by the step of a workflow', async () => {
    const { workflow } = result(
      await acme.callAsPerson<{ workflow: { id: string } }>('create_workflow', {
        name: 'Order form',
        active: true,
        trigger: { type: 'manual' },
        steps: [
          {
            id: 'person',
            tool: 'create_contact',
            arguments: { email: '{{ trigger.payload.email }}' },
          },
          {
            id: 'sale',
            tool: 'record_deal',
            arguments: {
              title: 'From the form',
              amount: '{{ trigger.payload.amount }}',
              contact_id: '{{ person.id }}',
            },
          },
        ],
      }),
    );
    const { run_id } = result(
      await acme.callAsAgent<{ run_id: string }>('trigger_workflow', {
        workflow_id: workflow.id,
        payload: { email: 'ada@example.com', amount: 250 },
      }),
    );
    const run = await waitForEnd(acme, run_id);
    assert.equal(run.status, 'succeeded', JSON.stringify(run));
    const { deals } = result(await acme.callAsAgent<DealPage>('list_deals'));
    assert.equal(deals.length, 1);
    assert.equal(deals[0]!.amount, 250);
    const contact_id = deals[0]!.contact_id;
    const found = result(await acme.callAsAgent<DealPage>('list_deals', { contact_id }));
    assert.deepEqual(found.deals, deals);
  });

  it('can only be recorded by people when they are large', async () => {
    const large = { title: 'Tower', amount: 100_001 };
    const refused = await acme.callAsAgent('record_deal', large);
    assert.deepEqual(refused, {
      ok: false,
      error: { code: 'forbidden', message: 'A deal above 100000 must be recorded by a person.' },
    });
    assert.deepEqual(result(await acme.callAsAgent<DealPage>('list_deals')).deals, []);
    assert.equal((await acme.callAsPerson('record_deal', large)).ok, true);
  });

  it('are rejected with every fault of their arguments', async () => {
    const outcome = await acme.callAsAgent('record_deal', { title: '', amount: 1.5, ammount: 1 });
    assert.ok(!outcome.ok);
    assert.equal(outcome.error.code, 'invalid_arguments');
    const faults = outcome.error.details ?? [];
    assert.deepEqual(faults.map((fault) => fault.path).toSorted(), ['ammount', 'amount', 'title']);
    const unknown = faults.find((fault) => fault.path === 'ammount');
    assert.equal(unknown?.message, 'is not known. Did you mean amount?');
  });

  it('stay in their organization even when a query does not filter by it', async () => {
    const globex = await switchboard.createOrganization('Globex');
    const contact = { email: 'grace@example.com' };
    const { contact: hers } = result(
      await acme.callAsAgent<{ contact: { id: string } }>('create_contact', contact),
    );
    const deal = { title: 'Ours', amount: 1, contact_id: hers.id };
    assert.equal((await acme.callAsAgent('record_deal', deal)).ok, true);
    for (const tool of ['list_deals', 'careless_list']) {
      assert.equal(result(await acme.callAsAgent<DealPage>(tool)).deals.length, 1);
      assert.deepEqual(result(await globex.callAsAgent<DealPage>(tool)).deals, []);
    }
    const other = await globex.callAsAgent('record_deal', deal);
    assert.ok(!other.ok);
    assert.equal(other.error.code, 'not_found');
  });

  it('leave a row in the audit log', async () => {
    const given = { title: 'Boat', amount: 5 };
    const { deal } = result(await acme.callAsPerson<DealResult>('record_deal', given));
    await acme.callAsPerson('list_deals');
    const rows = await switchboard.ownerQuery(
      'select actor_kind, actor_id, action, subject from audit_log where organization_id = $1 and action like $2',
      [acme.id, '%deal%'],
    );
    assert.deepEqual(rows, [
      { actor_kind: 'user', actor_id: acme.userId, action: 'record_deal', subject: deal.id },
    ]);
  });
});

function result<Result>(
  outcome: { ok: true; result: Result } | { ok: false; error: object },
): Result {
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.result;
}

async function waitForEnd(
  organization: TestOrganization,
  run_id: string,
): Promise<{ status: string }> {
  for (;;) {
    const { run } = result(
      await organization.callAsAgent<{ run: { status: string } }>('get_run', { run_id }),
    );
    if (['succeeded', 'failed', 'canceled'].includes(run.status)) return run;
    await sleep(50);
  }
}
