import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { waitForClosedTransactions } from '../support/open-transactions.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runUntil, trigger } from './support/workflow-client.js';

/**
 * The time until the answer, in milliseconds. It is longer than a lease, and longer than the limit of a request without
 * a timeout.
 */
const ANSWER_MS = 18_000;

describe('a step with a long timeout', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let slow: Sink;
  const open: ServerResponse[] = [];

  beforeAll(async () => {
    slow = await startSink('127.0.0.1', (_request, response) => void open.push(response));
    switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW: `127.0.0.1:${slow.port}` } });
    acme = await createOrganization(switchboard);
  });
  afterAll(async () => {
    await switchboard.close();
    await slow.close();
  });

  it('waits for one answer for longer than a lease, without a transaction, in the same worker', async () => {
    const call = {
      id: 'call',
      tool: 'http_request',
      arguments: { url: `http://127.0.0.1:${slow.port}/` },
      timeout: 300,
    };
    const runId = await trigger(acme, (await createWorkflow(acme, [call])).id);
    await waitFor(() => open.length === 1);
    await waitForClosedTransactions(switchboard);
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    open[0]!.end('late');
    const run = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(run.steps[0]).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(slow.requests).toHaveLength(1);
    const [row] = await switchboard.ownerQuery<{ epoch: number }>(
      'select epoch from workflow_runs where id = $1',
      [runId],
    );
    expect(row!.epoch).toBe(1);
  });
});
