import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { describeOnEachDriver } from '../support/drivers.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow, itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { countRuns } from './support/backlog.js';
import { ProbeTools } from './support/probe.tools.js';
import { createWorkflow, runToEnd, trigger } from './support/workflow-client.js';

describeOnEachDriver('slots of a worker', describeSlow, () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let other: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard({
      env: { WORKER_CONCURRENCY: '4' },
      providers: [ProbeTools],
    });
    acme = await createOrganization(switchboard);
    other = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const call = (name: string) => [{ id: 'call', tool: 'probe_outside', arguments: { name } }];

  it('are not all occupied by endless calls of one organization while another organization has runs', async () => {
    ProbeTools.hold('hung');
    const hanging = await createWorkflow(acme, call('hung'));
    for (let run = 0; run < 12; run += 1) await trigger(acme, hanging.id);
    await waitFor(() => ProbeTools.count('hung') === 4);

    const quick = await createWorkflow(other, call('quick'));
    for (let run = 0; run < 5; run += 1) {
      expect((await runToEnd(other, quick.id)).status).toBe('succeeded');
    }
    expect(ProbeTools.count('hung')).toBe(4);
    expect(await countRuns(switchboard, acme, 'queued')).toBe(8);

    ProbeTools.open('hung');
    await waitFor(async () => (await countRuns(switchboard, acme, 'succeeded')) === 12);
  });

  itSlow(
    'are not given to an organization that has used its slots, even by a wake-up',
    async () => {
      const web = await startSwitchboard({ env: { ROLE: 'web' } });
      try {
        const organization = await createOrganization(web);
        const { id } = await createWorkflow(organization, []);
        const runId = await trigger(organization, id);
        const worker = web.app.get(RunWorker, { strict: false });
        const share = (room: number) => ({
          after: '',
          room: 4,
          rooms: { [organization.id]: room },
        });
        expect(await worker.claim(1, runId, share(0))).toEqual([]);
        expect(await worker.claim(4, undefined, share(0))).toEqual([]);
        expect(await worker.claim(1, runId, share(1))).toHaveLength(1);
      } finally {
        await web.close();
      }
    },
  );

  it('are not all used by the calls of two organizations, so a third organization gets a slot', async () => {
    for (const name of ['the first of three', 'the second of three']) ProbeTools.hold(name);
    const first = await createWorkflow(acme, call('the first of three'));
    const second = await createWorkflow(other, call('the second of three'));
    for (let run = 0; run < 6; run += 1) await trigger(acme, first.id);
    await waitFor(() => ProbeTools.count('the first of three') === 4);
    for (let run = 0; run < 6; run += 1) await trigger(other, second.id);
    await waitFor(() => ProbeTools.count('the second of three') > 0);

    const third = await createOrganization(switchboard);
    const quick = await createWorkflow(third, call('the third of three'));
    expect((await runToEnd(third, quick.id)).status).toBe('succeeded');
    for (const name of ['the first of three', 'the second of three']) ProbeTools.open(name);
    await waitFor(async () => (await countRuns(switchboard, other, 'succeeded')) >= 11);
  });
});
