import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSink } from '../outbound/support/shared-sink.js';
import type { Sink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runToEnd, runUntil, trigger } from './support/workflow-client.js';

describe('idempotency keys of http_request', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let shop: Sink;
  /** The status that the shop answers with, by path. */
  const statuses = new Map<string, number>();

  beforeAll(async () => {
    shop = await sharedSink(({ path }, response) => {
      response.writeHead(statuses.get(path) ?? 200).end();
    });
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const call = (path: string, given: object = {}, more: object = {}) => ({
    id: 'call',
    tool: 'http_request',
    arguments: { url: `http://127.0.0.1:${shop.port}${path}`, method: 'POST', ...given },
    ...more,
  });
  const keys = (path: string) =>
    shop.requests
      .filter((request) => request.path === path)
      .map(({ headers }) => headers['idempotency-key']);
  const retryLatest = async (runId: string, workflowId: string, step: object) => {
    await acme.call('update_workflow', { workflow_id: workflowId, steps: [step] });
    const { error } = await acme.call('retry_run', { run_id: runId, version: 'latest' });
    expect(error).toBeUndefined();
    return await runUntil(acme, runId, 'succeeded', 'failed');
  };

  it('differ between a request and the corrected request, and are equal for two equal requests', async () => {
    statuses.set('/mended', 422);
    const wrong = call('/mended', { json: { amount: 'twelve' } });
    const workflow = await createWorkflow(acme, [wrong]);
    const { id } = await runToEnd(acme, workflow.id);
    await retryLatest(id, workflow.id, call('/mended', { json: { amount: 12 } }));
    statuses.delete('/mended');
    expect((await retryLatest(id, workflow.id, wrong)).status).toBe('succeeded');
    const [first, mended, again] = keys('/mended');
    expect(mended).not.toBe(first);
    expect(again).toBe(first);
  });

  it('stay the same when a run is retried with the same request and a new token', async () => {
    statuses.set('/same', 401);
    const workflow = await createWorkflow(acme, [
      call('/same', { body: 'a', headers: { Authorization: 'Bearer old' } }),
    ]);
    const { id } = await runToEnd(acme, workflow.id);
    await acme.call('retry_run', { run_id: id });
    await waitFor(() => keys('/same').length === 2);
    await runUntil(acme, id, 'failed');
    statuses.delete('/same');
    const mended = call('/same', { body: 'a', headers: { Authorization: 'Bearer new' } });
    expect((await retryLatest(id, workflow.id, mended)).status).toBe('succeeded');
    expect(keys('/same')).toHaveLength(3);
    expect(new Set(keys('/same')).size).toBe(1);
  });

  it('change when a run is canceled between attempts, and its call is corrected before the retry', async () => {
    statuses.set('/canceled', 503);
    const slow = { retry: { max_attempts: 3, backoff_seconds: 600 } };
    const workflow = await createWorkflow(acme, [call('/canceled', { body: 'old' }, slow)]);
    const id = await trigger(acme, workflow.id);
    await runUntil(acme, id, 'waiting');
    await acme.call('cancel_run', { run_id: id });
    statuses.delete('/canceled');
    const mended = call('/canceled', { body: 'new' }, slow);
    expect((await retryLatest(id, workflow.id, mended)).status).toBe('succeeded');
    const sent = shop.requests.filter(({ path }) => path === '/canceled');
    expect(sent.map(({ body }) => body)).toEqual(['old', 'new']);
    expect(new Set(keys('/canceled')).size).toBe(2);
  });
});
