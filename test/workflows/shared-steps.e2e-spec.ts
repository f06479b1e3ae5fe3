import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IsIn, IsString } from 'class-validator';
import { ContactsService } from '../../src/contacts/contacts.service.js';
import { AppError } from '../../src/errors/app-error.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeEffectTools, ProbeTools } from './support/probe.tools.js';
import { createWorkflow, runToEnd, runUntil, trigger } from './support/workflow-client.js';

class MakeInput {
  @IsString()
  name: string;

  @IsIn(['fail', 'wait for the signal'])
  then: string;
}

class MadeResult {}

/** Creates a contact and then fails. */
@Injectable()
class DoomedTools {
  static late?: Promise<unknown>;

  constructor(private readonly contacts: ContactsService) {}

  @Tool({ name: 'make', title: 'Make', description: 'Makes a contact.', output: MadeResult })
  async make({ name, then }: MakeInput, call: ToolCall): Promise<MadeResult> {
    await this.create(call, name);
    if (then === 'fail') throw new AppError('conflict', 'Told to fail.');
    await new Promise<void>((resolve) => {
      call.signal.addEventListener('abort', () => {
        DoomedTools.late = this.create(call, `${name} late`).then(
          () => 'written',
          () => 'refused',
        );
        resolve();
      });
    });
    await DoomedTools.late;
    await this.create(call, `${name} later`);
    return {};
  }

  private async create({ organizationId }: ToolCall, name: string): Promise<void> {
    const fields = { firstName: name, externalId: name };
    await this.contacts.create(organizationId, fields, 'error', 'workflow');
  }
}

const echo = (id: string) => ({ id, tool: 'probe_echo', arguments: { value: { of: id } } });

describe('steps that share a transaction', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    const providers = [ProbeTools, ProbeEffectTools, DoomedTools];
    switchboard = await startSwitchboard({ providers });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const contacts = async (name: string): Promise<number> => {
    const rows = await switchboard.ownerQuery(
      `select 1 from contacts where organization_id = $1 and first_name like $2 || '%'`,
      [acme.id, name],
    );
    return rows.length;
  };
  const written = async (runId: string): Promise<string[]> => {
    const rows = await switchboard.ownerQuery<{ step_id: string }>(
      'select step_id from run_steps where run_id = $1 order by position',
      [runId],
    );
    return rows.map(({ step_id: id }) => id);
  };

  it('commit together, up to and including the first change', async () => {
    const effect = (id: string) => ({
      id,
      tool: 'probe_effect',
      arguments: { name: `shared ${id}` },
    });
    for (const id of ['c', 'd']) ProbeTools.hold(`shared ${id}`);
    const steps = [echo('a'), { ...echo('b'), if: 'a.value.of' }, effect('c'), effect('d')];
    const workflow = await createWorkflow(acme, steps);
    const runId = await trigger(acme, workflow.id);
    await waitFor(() => ProbeTools.count('shared c') === 1);
    expect(await written(runId)).toEqual([]);
    ProbeTools.open('shared c');
    await waitFor(() => ProbeTools.count('shared d') === 1);
    expect(await written(runId)).toEqual(['a', 'b', 'c']);
    ProbeTools.open('shared d');
    const run = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(run.steps.map(({ id, status }) => `${id} ${status}`)).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => `${id} succeeded`),
    );
  });

  it('keep the results of reads when the change fails, and roll the change back', async () => {
    const make = { id: 'b', tool: 'make', arguments: { name: 'half', then: 'fail' } };
    const steps = [echo('a'), { ...make, on_error: 'continue' }, echo('c')];
    const run = await runToEnd(acme, (await createWorkflow(acme, steps)).id, {});
    expect(run.steps.map(({ id, status, attempts }) => [id, status, attempts])).toEqual([
      ['a', 'succeeded', 1],
      ['b', 'failed', 1],
      ['c', 'succeeded', 1],
    ]);
    expect(run.status).toBe('succeeded');
    expect(await contacts('half')).toBe(0);
  });

  itSlow(
    'keep the results of reads when the change times out, and roll the change back',
    async () => {
      const given = { name: 'slow', then: 'wait for the signal' };
      const make = {
        id: 'b',
        tool: 'make',
        arguments: given,
        timeout: 1,
        retry: { max_attempts: 1 },
        on_error: 'continue',
      };
      const run = await runToEnd(
        acme,
        (await createWorkflow(acme, [echo('a'), make, echo('c')])).id,
        {},
      );
      expect(run.steps.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
      expect(await DoomedTools.late).toBeDefined();
      expect(await contacts('slow')).toBe(0);
    },
  );

  it('run in separate transactions after a failed commit, so that only the faulty step fails', async () => {
    await switchboard.ownerQuery(
      `create function refuse_doomed() returns trigger language plpgsql
       as $$ begin raise exception 'No commit.'; end $$`,
    );
    await switchboard.ownerQuery(
      `create constraint trigger refuse_doomed after insert on contacts deferrable initially deferred
       for each row when (new.first_name = 'doomed') execute function refuse_doomed()`,
    );
    const effect = {
      id: 'b',
      tool: 'probe_effect',
      arguments: { name: 'doomed' },
      retry: { max_attempts: 1 },
    };
    const workflow = await createWorkflow(acme, [echo('a'), effect]);
    const run = await runToEnd(acme, workflow.id, {});
    await switchboard.ownerQuery('drop function refuse_doomed cascade');
    expect(run).toMatchObject({ status: 'failed', reason: 'step_failed:b' });
    expect(run.steps.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'succeeded'],
      ['b', 'failed'],
    ]);
    expect(await contacts('doomed')).toBe(0);
  });
});
