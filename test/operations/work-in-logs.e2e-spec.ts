import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

interface Line {
  context: string;
  [field: string]: unknown;
}

interface LoggingService {
  url: string;
  acme: TestOrganization;
  process: SwitchboardProcess;
  lines: () => Line[];
  /** Resolves with the first line that has these fields. */
  untilLogged: (context: string, fields: object) => Promise<Line>;
  stop: () => Promise<void>;
}

async function startLogging(level: string): Promise<LoggingService> {
  buildTree();
  const database = await createTestDatabase();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = startProcess({
    DATABASE_URL: database.url,
    SIGN_UP: 'open',
    LOG_LEVEL: level,
    PORT: String(port),
    HOST: '127.0.0.1',
  });
  await started.untilSaid(/listens on/);
  const lines = (): Line[] =>
    started
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line);
  return {
    url,
    acme: await createOrganization({ url }),
    process: started,
    lines,
    untilLogged: (context, fields) =>
      waitFor(() =>
        lines().find(
          (line) =>
            line.context === context &&
            Object.entries(fields).every(([name, value]) => line[name] === value),
        ),
      ),
    stop: async () => {
      started.child.kill('SIGTERM');
      await started.exited;
      await database.drop();
    },
  };
}

describe('the log at level info', () => {
  let service: LoggingService;
  beforeAll(async () => {
    service = await startLogging('info');
  });
  afterAll(() => service.stop());

  it('has one line for a request and one for its call, without the path and the arguments', async () => {
    const response = await service.acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_contact', arguments: { email: 'private@example.com' } },
    });
    const requestId = response.headers.get('X-Request-Id');
    expect(requestId).not.toBeNull();
    const request = await service.untilLogged('Http', { request_id: requestId });
    expect(request).toMatchObject({ method: 'POST', route: '/api/mcp', status: 200 });
    expect(request.ms).toBeGreaterThan(0);
    const call = await service.untilLogged('Call', { request_id: requestId });
    expect(call).toMatchObject({
      tool: 'create_contact',
      outcome: 'ok',
      organization: service.acme.id,
    });
    expect(call.ms).toBeGreaterThan(0);
    expect(service.lines().filter((line) => line.request_id === requestId)).toHaveLength(2);
    expect(service.process.output()).not.toContain('private@example.com');
  });

  it('has the reason of a refused call', async () => {
    await service.acme.call('create_contact', { email: 'not an address' });
    await service.untilLogged('Call', { tool: 'create_contact', outcome: 'invalid_arguments' });
  });

  it('has one line for a run that ended, and none for its steps', async () => {
    const steps = [{ id: 'make', tool: 'create_contact', arguments: { email: 'run@example.com' } }];
    const workflow = await createWorkflow(service.acme, steps, { trigger: { type: 'manual' } });
    const { value } = await service.acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
    });
    const run = await service.untilLogged('Run', { run: value.run_id });
    expect(run).toMatchObject({
      status: 'succeeded',
      workflow: workflow.id,
      organization: service.acme.id,
    });
    expect(service.lines().filter((line) => line.run === value.run_id)).toHaveLength(1);
  });

  it('has no line for probes, and no ids of webhooks or tokens of resume URLs', async () => {
    await fetch(`${service.url}/health/live`);
    const token = `org_a.run_a.step.${'0'.repeat(64)}`;
    await fetch(`${service.url}/api/webhooks/resume/${token}`, { method: 'POST', body: '{}' });
    await service.untilLogged('Http', { route: '/api/webhooks/resume/:token', status: 404 });
    expect(service.process.output()).not.toContain(token);
    expect(service.lines().filter(({ route }) => String(route).startsWith('/health'))).toEqual([]);
  });

  it('has no line for statements', () => {
    expect(service.lines().filter(({ context }) => context === 'Statement')).toEqual([]);
  });
});

describe('the log at level debug', () => {
  let service: LoggingService;
  beforeAll(async () => {
    service = await startLogging('debug');
  });
  afterAll(() => service.stop());

  it('has one line for each round trip to the database, without values', async () => {
    await service.acme.call('create_contact', { email: 'private@example.com' });
    const line = await waitFor(() =>
      service
        .lines()
        .find(
          ({ context, statements }) =>
            context === 'Statement' && /insert_contact/.test(String(statements)),
        ),
    );
    expect(line).toMatchObject({ organization: service.acme.id, outcome: 'ok' });
    expect(line.ms).toBeGreaterThan(0);
    expect(service.process.output()).not.toContain('private@example.com');
  });

  it('has one line for each step of a run', async () => {
    const steps = [{ id: 'make', tool: 'create_contact', arguments: { email: 'run@example.com' } }];
    const workflow = await createWorkflow(service.acme, steps, { trigger: { type: 'manual' } });
    const { value } = await service.acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
    });
    await service.untilLogged('Step', { run: value.run_id, step: 'make', status: 'succeeded' });
  });
});
