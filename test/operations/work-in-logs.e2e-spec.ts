import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

describe('the log at level info', () => {
  let database: { url: string; drop: () => Promise<void> };
  let started: SwitchboardProcess;
  let url: string;
  let acme: TestOrganization;

  beforeAll(async () => {
    buildTree();
    database = await createTestDatabase();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    started = startProcess({
      DATABASE_URL: database.url,
      SIGN_UP: 'open',
      PORT: String(port),
      HOST: '127.0.0.1',
    });
    await started.untilSaid(/listens on/);
    acme = await createOrganization({ url });
  });
  afterAll(async () => {
    started.child.kill('SIGTERM');
    await started.exited;
    await database.drop();
  });

  interface Line {
    context: string;
    [field: string]: unknown;
  }
  const lines = (): Line[] =>
    started
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  const untilLogged = (context: string, fields: object): Promise<Line> =>
    waitFor(() =>
      lines().find(
        (line) =>
          line.context === context &&
          Object.entries(fields).every(([name, value]) => line[name] === value),
      ),
    );

  it('has one line for a request and one for its call, without the path and the arguments', async () => {
    const response = await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_contact', arguments: { email: 'private@example.com' } },
    });
    const requestId = response.headers.get('X-Request-Id');
    expect(requestId).not.toBeNull();
    const request = await untilLogged('Http', { request_id: requestId });
    expect(request).toMatchObject({ method: 'POST', route: '/api/mcp', status: 200 });
    expect(request.ms).toBeGreaterThan(0);
    const call = await untilLogged('Call', { request_id: requestId });
    expect(call).toMatchObject({ tool: 'create_contact', outcome: 'ok', organization: acme.id });
    expect(call.ms).toBeGreaterThan(0);
    expect(lines().filter((line) => line.request_id === requestId)).toHaveLength(2);
    expect(started.output()).not.toContain('private@example.com');
  });

  it('has the reason of a refused call', async () => {
    await acme.call('create_contact', { email: 'not an address' });
    await untilLogged('Call', { tool: 'create_contact', outcome: 'invalid_arguments' });
  });

  it('has one line for a run that ended, and none for its steps', async () => {
    const steps = [{ id: 'make', tool: 'create_contact', arguments: { email: 'run@example.com' } }];
    const workflow = await createWorkflow(acme, steps, { trigger: { type: 'manual' } });
    const { value } = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
    });
    const run = await untilLogged('Run', { run: value.run_id });
    expect(run).toMatchObject({
      status: 'succeeded',
      workflow: workflow.id,
      organization: acme.id,
    });
    expect(lines().filter((line) => line.run === value.run_id)).toHaveLength(1);
  });

  it('has no line for probes, and no ids of webhooks or tokens of resume URLs', async () => {
    await fetch(`${url}/health/live`);
    const token = `org_a.run_a.step.${'0'.repeat(64)}`;
    await fetch(`${url}/api/webhooks/resume/${token}`, { method: 'POST', body: '{}' });
    await untilLogged('Http', { route: '/api/webhooks/resume/:token', status: 404 });
    expect(started.output()).not.toContain(token);
    expect(lines().filter(({ route }) => String(route).startsWith('/health'))).toEqual([]);
  });
});
