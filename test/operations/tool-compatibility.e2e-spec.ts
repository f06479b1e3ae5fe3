import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { Injectable, Module, type Provider, type Type } from '@nestjs/common';
import { IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkWorkflows } from '../../src/bootstrap/check-workflows.js';
import { Doc } from '../../src/tools/schema/doc.decorator.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import {
  type BrokenStep,
  CompatibilityReportService,
} from '../../src/workflows/authoring/versions/compatibility-report.service.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  runUntil,
  trigger,
  type WorkflowShape,
} from '../workflows/support/workflow-client.js';

class OrderInput {
  @IsString()
  item: string;

  @IsOptional()
  @IsString()
  note?: string;
}

class OrderResult {
  @IsString()
  number: string;

  @IsOptional()
  @IsInt()
  total?: number;
}

@Injectable()
class TeamTools {
  @Tool({ name: 'team_order', title: 'Order', description: 'Orders.', output: OrderResult })
  async order(_input: OrderInput): Promise<OrderResult> {
    return { number: 'N1', total: 3 };
  }

  @Tool({ name: 'team_note', title: 'Note', description: 'Notes.', output: OrderResult })
  async note(_input: OrderInput): Promise<OrderResult> {
    return { number: 'N1' };
  }
}

class RewordedInput {
  @Doc('What to order.')
  @IsString()
  item: string;

  @IsOptional()
  @IsString()
  note?: string;

  @Doc('New, and optional.')
  @IsOptional()
  @IsString()
  color?: string;
}

/** Tools with a compatible change: they accept and return more, and have other descriptions. */
@Injectable()
class GrownTools {
  @Tool({ name: 'team_order', title: 'Order', description: 'Other words.', output: OrderResult })
  async order(_input: RewordedInput): Promise<OrderResult> {
    return { number: 'N1' };
  }

  @Tool({ name: 'team_note', title: 'Note', description: 'Notes.', output: OrderResult })
  async note(_input: OrderInput): Promise<OrderResult> {
    return { number: 'N1' };
  }
}

class NarrowInput {
  @IsIn(['a', 'b'])
  item: string;

  @IsString()
  currency: string;
}

class SmallResult {
  @IsString()
  number: string;
}

/** Tools with an incompatible change: they accept and return less, and `team_note` is missing. */
@Injectable()
class BrokenTools {
  @Tool({ name: 'team_order', title: 'Order', description: 'Orders.', output: SmallResult })
  async order(_input: NarrowInput): Promise<SmallResult> {
    return { number: 'N1' };
  }
}

class ChangedInput {
  @IsString()
  item: string;

  @IsOptional()
  @IsString()
  note?: string;

  @IsString()
  currency: string;
}

@Injectable()
class ChangedTools {
  @Tool({ name: 'team_order', title: 'Order', description: 'Orders.', output: SmallResult })
  async order(_input: ChangedInput): Promise<SmallResult> {
    return { number: 'N1' };
  }
}

/** A module with a tool that requires a new argument, like the build of `changed-build.mjs`. */
@Module({ providers: [ChangedTools] })
class ChangedModule {}

@Module({ providers: [GrownTools] })
class GrownModule {}

const order = (given: object): object => ({ id: 'order', tool: 'team_order', arguments: given });
const STEPS = [
  order({ item: 'x' }),
  { id: 'note', tool: 'team_note', arguments: { item: '{{ order.total }}' } },
  { id: 'find', tool: 'search_contacts', arguments: { query: '{{ order.total }}' } },
];

let switchboard: Switchboard;
let acme: TestOrganization;
const started: Switchboard[] = [];
beforeAll(async () => {
  // The build comes first, because it blocks this process.
  buildTree();
  switchboard = await startSwitchboard({ providers: [TeamTools] });
}, 300_000);
afterEach(async () => {
  for (const one of started.splice(0)) await one.close();
  // Removes the broken workflows of each test.
  if (acme) await switchboard.ownerQuery('delete from organizations where id = $1', [acme.id]);
});
afterAll(() => switchboard.close());

const begin = async (): Promise<void> => {
  acme = await createOrganization(switchboard);
};
/**
 * Starts a second build on the same database, and returns its service for compatibility reports. The build has no
 * workers, so it checks workflows only when a test calls this service.
 */
const deploy = async (...providers: Provider[]): Promise<CompatibilityReportService> => {
  const { databaseUrl } = switchboard;
  const one = await startSwitchboard({ databaseUrl, providers, env: { ROLE: 'web' } });
  started.push(one);
  return one.app.get(CompatibilityReportService, { strict: false });
};
const told = (broken: readonly BrokenStep[]): string[] =>
  broken.map(({ version, step, path, message }) => `v${version} ${step} ${path} ${message}`).sort();
const pins = async (id: string, version = 1) =>
  (
    await switchboard.ownerQuery<{ tools: string[]; fitting: object | null }>(
      `select array(select jsonb_object_keys(tool_schemas) order by 1) as tools, fitting_schemas as fitting
       from workflow_versions where workflow_id = $1 and version = $2`,
      [id, version],
    )
  )[0]!;
const update = async (id: string, changes: object): Promise<WorkflowShape> =>
  (
    await acme.call<{ workflow: WorkflowShape }>('update_workflow', {
      workflow_id: id,
      ...changes,
    })
  ).value.workflow;

describe('the tool schemas of a version', () => {
  it('are hashes of the schemas of each tool, including the tools of nested steps', async () => {
    await begin();
    const nested = { id: 'deep', if: 'trigger.payload.a', then: [], else: STEPS };
    const { id } = await createWorkflow(acme, [nested]);
    expect((await pins(id)).tools).toEqual(['search_contacts', 'team_note', 'team_order']);
    const [row] = await switchboard.ownerQuery<{ tool_schemas: Record<string, object> }>(
      'select tool_schemas from workflow_versions where workflow_id = $1',
      [id],
    );
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;
    expect(row!.tool_schemas.team_order).toEqual({ input: hash, output: hash });
  });
});

describe('the compatibility report of a deployment', () => {
  it('names each broken step with its workflow and the fault', async () => {
    await begin();
    const { id } = await createWorkflow(acme, STEPS, { name: 'Orders' });
    await createWorkflow(acme, [{ id: 'a', tool: 'search_contacts' }]);
    const report = await deploy(BrokenTools);
    const broken = await report.find();
    expect(told(broken)).toEqual([
      'v1 find arguments.query uses order.total, which team_order no longer returns',
      'v1 note arguments.item uses order.total, which team_order no longer returns',
      'v1 note tool "team_note" is not a tool for steps.',
      'v1 order arguments.currency is required',
      'v1 order arguments.item must be one of a, b',
    ]);
    for (const step of broken) {
      expect(step).toMatchObject({
        organizationId: acme.id,
        workflowId: id,
        workflowName: 'Orders',
      });
    }
    // The fault is reported as long as it exists.
    expect(await report.find()).toEqual(broken);
    expect((await pins(id)).fitting).toBeNull();
  });

  it('does not report compatible steps, and checks each step only once', async () => {
    await begin();
    const { id } = await createWorkflow(acme, STEPS);
    const report = await deploy(GrownTools);
    expect(await report.find()).toEqual([]);
    const { fitting } = await pins(id);
    expect(Object.keys(fitting!).sort()).toEqual(['search_contacts', 'team_note', 'team_order']);
    // Breaks the row by hand, to see whether it is read again.
    await switchboard.ownerQuery(
      `update workflow_versions set steps = '[{"id":"a","tool":"never_was"}]' where workflow_id = $1`,
      [id],
    );
    expect(await report.find()).toEqual([]);
    // A return to the old build is a new deployment.
    expect(await (await deploy(TeamTools)).find()).toHaveLength(1);
  });

  it('checks the newest version of active workflows and the versions of unfinished runs', async () => {
    await begin();
    const broken = [order({ item: 'x' })];
    const pause = { id: 'pause', wait: { hours: 1 } };
    const fixed = [{ id: 'a', tool: 'search_contacts' }];
    const inactive = await createWorkflow(acme, broken, { active: false });
    const edited = await createWorkflow(acme, broken);
    await update(edited.id, { steps: fixed });
    const waiting = await createWorkflow(acme, [pause, ...broken], { name: 'Waiting' });
    const runId = await trigger(acme, waiting.id);
    await runUntil(acme, runId, 'waiting');
    await update(waiting.id, { steps: fixed });
    const stopped = await createWorkflow(acme, [pause, ...broken], { name: 'Stopped' });
    await runUntil(acme, await trigger(acme, stopped.id), 'waiting');
    await acme.call('deactivate_workflow', { workflow_id: stopped.id });
    const report = await deploy(BrokenTools);
    const names = async (): Promise<string[]> => [
      ...new Set((await report.find()).map((step) => `${step.workflowName} ${step.version}`)),
    ];
    expect((await names()).sort()).toEqual(['Stopped 1', 'Waiting 1']);
    await acme.call('cancel_run', { run_id: runId });
    expect(await names()).toEqual(['Stopped 1']);
    await acme.call('activate_workflow', { workflow_id: inactive.id });
    expect((await names()).sort()).toEqual(['Stopped 1', 'Test 1']);
  });

  it('still reports a fault after an edit that does not check the steps', async () => {
    await begin();
    const { id } = await createWorkflow(acme, [order({ item: 'x' })], { name: 'Old' });
    await deploy(BrokenTools);
    const [changed] = started;
    const response = await fetch(`${changed!.url}/api/tools/update_workflow`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: acme.cookie, Origin: changed!.url },
      body: JSON.stringify({ workflow_id: id, name: 'New' }),
    });
    expect(response.status).toBe(200);
    const report = changed!.app.get(CompatibilityReportService, { strict: false });
    expect(told(await report.find())).toEqual([
      'v2 order arguments.currency is required',
      'v2 order arguments.item must be one of a, b',
    ]);
  });

  it('checks only the arguments if a version comes from a release without tool schemas', async () => {
    await begin();
    const { id } = await createWorkflow(acme, STEPS);
    await switchboard.ownerQuery(
      `update workflow_versions set tool_schemas = null, loose_references = null where workflow_id = $1`,
      [id],
    );
    expect(await (await deploy(TeamTools)).find()).toEqual([]);
    expect(told(await (await deploy(BrokenTools)).find())).toHaveLength(5);
  });

  it('checks all workflows in pages', async () => {
    await begin();
    const { id } = await createWorkflow(acme, [order({ item: 'x' })]);
    await switchboard.ownerQuery(
      `update private.quota_defaults set amount = 2000 where name = 'workflows'`,
    );
    await switchboard.ownerQuery(
      `insert into workflows (organization_id, id, name, active, version, trigger_type)
       select organization_id, 'copy' || n, name, true, 1, trigger_type
       from workflows, generate_series(1, 1100) n where id = $1`,
      [id],
    );
    await switchboard.ownerQuery(
      `insert into workflow_versions (organization_id, workflow_id, version, steps, tool_schemas)
       select organization_id, 'copy' || n, 1, steps, tool_schemas
       from workflow_versions, generate_series(1, 1100) n where workflow_id = $1`,
      [id],
    );
    const report = await deploy(BrokenTools);
    const broken = await report.find();
    expect(new Set(broken.map(({ workflowId }) => workflowId)).size).toBe(1101);
    await switchboard.ownerQuery(`update workflows set active = false where organization_id = $1`, [
      acme.id,
    ]);
    await switchboard.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, status, trigger_type, payload, available_at)
       select organization_id, 'run' || workflow_id, workflow_id, 1, 'waiting', 'manual', '{}', now() + interval '1 day'
       from workflow_versions where organization_id = $1`,
      [acme.id],
    );
    const ofRuns = await report.find();
    expect(new Set(ofRuns.map(({ workflowId }) => workflowId)).size).toBe(1101);
    expect(ofRuns).toHaveLength(broken.length);
  });
});

describe('npm run check:workflows, and the log at start', () => {
  const ROOT = resolve(import.meta.dirname, '../..');
  const FIXTURE = join(ROOT, 'test/operations/support/changed-build.mjs');

  interface Ended {
    code: number | null;
    stdout: string;
    stderr: string;
  }

  const run = async (
    given: string[],
    env: Record<string, string>,
    until?: (output: string) => boolean,
  ): Promise<Ended> => {
    const child = spawn(process.execPath, given, {
      cwd: ROOT,
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
    });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (data: Buffer) => (ended.stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => (ended.stderr += data.toString()));
    const exited = new Promise<number | null>((done) => child.once('close', done));
    try {
      if (until) await waitFor(() => until(ended.stdout));
    } finally {
      if (until) child.kill('SIGTERM');
      ended.code = await exited;
    }
    return ended;
  };
  const database = (): { DATABASE_URL: string } => ({ DATABASE_URL: switchboard.databaseUrl });
  /** Runs the check in this process: another process takes 2 s to load. */
  const check = async (
    modules: Type[],
    given: string[] = [],
    env: Record<string, string | undefined> = database(),
  ): Promise<Ended> => {
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    const { argv, exitCode } = process;
    const streams = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        ended[name] += String(text);
        return true;
      }),
    );
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    process.argv = ['node', 'check-workflows', ...given];
    try {
      await checkWorkflows({ modules });
      ended.code = Number(process.exitCode);
    } finally {
      Object.assign(process, { argv, exitCode });
      vi.unstubAllEnvs();
      for (const stream of streams) stream.mockRestore();
    }
    return ended;
  };

  it('names the steps that this build breaks, and exits with 1', async () => {
    await begin();
    const { id } = await createWorkflow(acme, [order({ item: 'x', note: 'y' })], {
      name: 'Orders\u001b[31m',
    });
    const { code, stdout } = await run([FIXTURE, 'check'], database());
    expect(code).toBe(1);
    expect(stdout).toContain(`(${acme.id}), workflow "Orders\\u001b[31m" (${id}), version 1, step`);
    expect(stdout).toContain('step order: arguments.currency is required');
    const asked = await check([ChangedModule], ['--json']);
    expect(asked.code).toBe(1);
    expect(JSON.parse(asked.stdout)).toEqual({
      breaks: [
        {
          organization_id: acme.id,
          organization: expect.any(String) as unknown,
          workflow_id: id,
          workflow: 'Orders\u001b[31m',
          version: 1,
          step: 'order',
          tool: 'team_order',
          path: 'arguments.currency',
          message: 'is required',
        },
      ],
      changed: [],
    });
  });

  it('reports compatible changes of tools, and exits with 0', async () => {
    await begin();
    await createWorkflow(acme, [order({ item: 'x' })]);
    const { code, stdout } = await check([GrownModule], ['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      breaks: [],
      changed: [{ step: 'order', path: 'tool' }],
    });
  });

  it('reports the steps of tools from an extension that is not loaded', async () => {
    await begin();
    const fine = await createWorkflow(acme, [{ id: 'a', tool: 'search_contacts' }]);
    expect(await check([])).toMatchObject({ code: 0, stdout: 'Nothing would break.\n' });
    await update(fine.id, { steps: [order({ item: 'x' })] });
    const { code, stdout } = await run(['scripts/check-workflows.mjs'], database());
    expect(code).toBe(1);
    expect(stdout).toContain('"team_order" is not a tool for steps');
  });

  it('changes nothing, and reads the database of a release without tool schemas', async () => {
    const dropped = `alter table workflow_versions
      drop column tool_schemas, drop column fitting_schemas, drop column loose_references`;
    const old = await createTestDatabase();
    const one = await startSwitchboard({ databaseUrl: old.url, providers: [TeamTools] });
    const before = await createOrganization(one);
    await createWorkflow(before, [order({ item: 'x' })]);
    await one.ownerQuery(dropped);
    await one.close();
    const { code, stdout } = await check([ChangedModule], [], { DATABASE_URL: old.url });
    await old.drop();
    expect(code).toBe(1);
    expect(stdout).toContain('step order: arguments.currency is required');
  });

  it('exits with 2 if the check cannot run', async () => {
    const port = await freePort();
    const away = { DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing` };
    for (const ended of [
      await check([ChangedModule], [], away),
      await check([ChangedModule], ['--jsn']),
    ]) {
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain('Workflows could not be checked: ');
    }
  });

  it('reports nothing for an installation that was never started', async () => {
    const DATA_DIR = join(switchboard.dataDir, 'nothing');
    const ended = await check([ChangedModule], [], { DATABASE_URL: undefined, DATA_DIR });
    expect(ended).toMatchObject({ code: 0, stdout: 'Nothing would break.\n' });
  });

  it('logs the same findings as warnings when a worker starts', async () => {
    await begin();
    const { id } = await createWorkflow(acme, [order({ item: 'x' })], { name: 'Orders' });
    const env = { ...database(), PORT: String(await freePort()), HOST: '127.0.0.1' };
    const { stdout } = await run([FIXTURE, 'start'], env, (output) => output.includes(id));
    expect(stdout).toContain('A step does not fit the current tools');
    expect(stdout).toMatch(/version 1, step order: arguments\.currency is required/);
  });
});
