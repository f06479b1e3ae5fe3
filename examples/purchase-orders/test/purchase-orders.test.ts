import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  startTestSwitchboard,
  type TestOrganization,
  type TestSwitchboard,
} from 'switchboard/testing';
import type { PurchaseOrderPage } from '../src/purchase-order-page.js';
import type { PurchaseOrderResult } from '../src/purchase-order-result.js';
import { PURCHASE_ORDERS } from '../src/purchase-orders.extension.js';

interface Run {
  status: string;
  steps: { error: { code: string } | null }[];
}

describe('purchase orders', () => {
  let switchboard: TestSwitchboard;
  let acme: TestOrganization;

  before(async () => {
    switchboard = await startTestSwitchboard(PURCHASE_ORDERS);
  });
  after(() => switchboard.close());
  beforeEach(async () => {
    acme = await switchboard.createOrganization('Acme');
  });

  it('have one tool that writes and one that reads', async () => {
    const tools = new Map((await acme.listTools()).map((tool) => [tool.name, tool]));
    assert.equal(tools.get('record_purchase_order')!.annotations.readOnlyHint, false);
    assert.equal(tools.get('list_purchase_orders')!.annotations.readOnlyHint, true);
  });

  it('are recorded and listed by agents, page by page', async () => {
    for (const title of ['First', 'Second', 'Third']) {
      const given = { title, amount: 10 };
      const { purchase_order } = result(
        await acme.callAsAgent<PurchaseOrderResult>('record_purchase_order', given),
      );
      assert.match(purchase_order.id, /^purchase_order_\w{22}$/);
    }
    const first = await list(acme, { limit: 2 });
    const second = await list(acme, { limit: 2, cursor: first.next_cursor });
    const rows = [...first.purchase_orders, ...second.purchase_orders];
    const titles = rows.map(({ title }) => title);
    assert.deepEqual(titles.toSorted(), ['First', 'Second', 'Third']);
    assert.equal(second.next_cursor, null);
  });

  it('are recorded by people, once for each key', async () => {
    const given = { title: 'Piano', amount: 900, idempotency_key: 'piano' };
    const tool = 'record_purchase_order';
    const { purchase_order } = result(await acme.callAsPerson<PurchaseOrderResult>(tool, given));
    const again = result(await acme.callAsPerson<PurchaseOrderResult>(tool, given));
    assert.deepEqual(again.purchase_order, purchase_order);
    assert.deepEqual((await list(acme)).purchase_orders, [purchase_order]);
  });

  it('are reported and not kept by a dry run', async () => {
    const given = { title: 'Piano', amount: 900, dry_run: true };
    const { effects } = result(
      await acme.callAsPerson<{ effects: { action: string; table: string }[] }>(
        'record_purchase_order',
        given,
      ),
    );
    assert.deepEqual(
      effects.map(({ action, table }) => `${action} ${table}`),
      ['create purchase_orders'],
    );
    assert.deepEqual((await list(acme)).purchase_orders, []);
  });

  it('are recorded by the step of a workflow', async () => {
    const contact_id = await createContact(acme);
    const run = await runStep(acme, { title: 'From the form', amount: 250, contact_id });
    assert.equal(run.status, 'succeeded', JSON.stringify(run));
    const { purchase_orders } = await list(acme, { contact_id });
    assert.deepEqual(
      purchase_orders.map(({ title, amount }) => ({ title, amount })),
      [{ title: 'From the form', amount: 250 }],
    );
  });

  it('for a blocked contact can be recorded by people, and not by agents', async () => {
    const contact_id = await createContact(acme, { tags: ['blocked'] });
    const given = { title: 'Piano', amount: 900, contact_id };
    assert.deepEqual(await acme.callAsAgent('record_purchase_order', given), {
      ok: false,
      error: {
        code: 'forbidden',
        message: 'This contact is blocked, so a person must make this call.',
      },
    });
    const run = await runStep(acme, given);
    assert.equal(run.steps[0]!.error?.code, 'forbidden');
    assert.deepEqual((await list(acme)).purchase_orders, []);
    assert.equal((await acme.callAsPerson('record_purchase_order', given)).ok, true);
  });

  it('are rejected with an error that lists every fault of their arguments', async () => {
    const given = { title: '', amount: 1.5, ammount: 1 };
    const outcome = await acme.callAsAgent('record_purchase_order', given);
    assert.ok(!outcome.ok);
    assert.equal(outcome.error.code, 'invalid_arguments');
    const faults = outcome.error.details ?? [];
    assert.deepEqual(faults.map((fault) => fault.path).toSorted(), ['ammount', 'amount', 'title']);
    const unknown = faults.find((fault) => fault.path === 'ammount');
    assert.equal(unknown?.message, 'is not known. Did you mean amount?');
  });

  it('stay in their organization', async () => {
    const globex = await switchboard.createOrganization('Globex');
    const given = { title: 'Ours', amount: 1, contact_id: await createContact(acme) };
    assert.equal((await acme.callAsAgent('record_purchase_order', given)).ok, true);
    assert.equal((await list(acme)).purchase_orders.length, 1);
    assert.deepEqual((await list(globex)).purchase_orders, []);
    const other = await globex.callAsAgent('record_purchase_order', given);
    assert.ok(!other.ok);
    assert.equal(other.error.code, 'not_found');
  });

  it('leave a row in the audit log', async () => {
    const given = { title: 'Boat', amount: 5 };
    const tool = 'record_purchase_order';
    const { purchase_order } = result(await acme.callAsPerson<PurchaseOrderResult>(tool, given));
    const rows = await switchboard.ownerQuery(
      'select actor_kind, actor_id, subject from audit_log where organization_id = $1 and action = $2',
      [acme.id, tool],
    );
    assert.deepEqual(rows, [
      { actor_kind: 'user', actor_id: acme.userId, subject: purchase_order.id },
    ]);
  });
});

function result<Result>(
  outcome: { ok: true; result: Result } | { ok: false; error: object },
): Result {
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.result;
}

async function list(organization: TestOrganization, given = {}): Promise<PurchaseOrderPage> {
  return result(await organization.callAsAgent<PurchaseOrderPage>('list_purchase_orders', given));
}

async function createContact(organization: TestOrganization, given = {}): Promise<string> {
  const { contact } = result(
    await organization.callAsAgent<{ contact: { id: string } }>('create_contact', {
      email: 'ada@example.com',
      ...given,
    }),
  );
  return contact.id;
}

/** Runs a workflow with one step, which records a purchase order, and returns the run at its end. */
async function runStep(organization: TestOrganization, given: object): Promise<Run> {
  const { workflow } = result(
    await organization.callAsPerson<{ workflow: { id: string } }>('create_workflow', {
      name: 'Order form',
      active: true,
      trigger: { type: 'manual' },
      steps: [{ id: 'record', tool: 'record_purchase_order', arguments: given }],
    }),
  );
  const { run_id } = result(
    await organization.callAsAgent<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
    }),
  );
  for (;;) {
    const { run } = result(await organization.callAsAgent<{ run: Run }>('get_run', { run_id }));
    if (['succeeded', 'failed', 'canceled'].includes(run.status)) return run;
    await sleep(50);
  }
}
