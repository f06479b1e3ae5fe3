import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { HeldTransactions } from './support/held-transactions.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  type RunShape,
  runUntil,
  trigger,
} from './support/workflow-client.js';

const NOT_FOUND = {
  status: 404,
  body: { ok: false, error: { code: 'not_found', message: 'No run waits here.' } },
};
const show = {
  id: 'show',
  tool: 'probe_echo',
  arguments: { value: { url: '{{ run.resume_urls.approval }}' } },
};
const approval = (more: object = {}) => ({
  id: 'approval',
  wait_for_event: { event: 'resume', timeout: { days: 3 } },
  ...more,
});

describe('a resume URL', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let held: HeldTransactions;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    held = await HeldTransactions.in(switchboard.databaseUrl);
  });
  afterAll(() => held.close());

  const start = async (steps: object[], organization = acme) =>
    await trigger(
      organization,
      (await createWorkflow(organization, steps, { trigger: { type: 'manual' } })).id,
    );
  const outputOf = (run: RunShape, id = 'approval') =>
    run.steps.find((step) => step.id === id)?.output;
  const urlOf = async (runId: string, organization = acme) =>
    await waitFor(async () => {
      const output = outputOf(await getRun(organization, runId), 'show');
      return (output as { value?: { url: string } } | null | undefined)?.value?.url;
    });
  const waiting = async (organization = acme) => {
    const runId = await start([show, approval()], organization);
    await runUntil(organization, runId, 'waiting');
    return { runId, url: await urlOf(runId, organization) };
  };
  const post = async (url: string, body: unknown = {}, headers: object = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as object };
  };
  const ended = (runId: string) => runUntil(acme, runId, 'succeeded', 'failed', 'canceled');

  it('answers a browser with a page in its language, without scripts', async () => {
    const { runId, url } = await waiting();
    const submit = async (language: string, to = url) => {
      const response = await fetch(to, {
        method: 'POST',
        headers: {
          Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
          'Accept-Language': language,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: 'decision=approve',
      });
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      return [response.status, await response.text()];
    };
    expect(await submit('en-GB,en')).toEqual([
      202,
      expect.stringContaining('<h1>Thank you. Your answer was recorded.</h1>'),
    ]);
    expect(await submit('de')).toEqual([200, expect.stringContaining('<html lang="de">')]);
    const run = await ended(runId);
    expect(outputOf(run)).toMatchObject({ event: { decision: 'approve' } });
    const canceled = await waiting();
    await acme.call('cancel_run', { run_id: canceled.runId });
    expect(await submit('fr', canceled.url)).toEqual([
      410,
      expect.stringContaining('Il est trop tard pour répondre.'),
    ]);
  });

  it('reads only the beginning of a long header Accept, because reading a long one takes long', async () => {
    const { url } = await waiting();
    const others = Array.from({ length: 100 }, (_, index) => `a/b${index}`).join();
    expect(await post(url, {}, { Accept: `text/html,${others}` }).catch(() => 'a page')).toBe(
      'a page',
    );
    expect(await post(url, {}, { Accept: `${others},text/html` })).toMatchObject({ status: 200 });
  });

  it('continues the run with the payload of the call, once', async () => {
    const { runId, url } = await waiting();
    expect(url.startsWith(`${switchboard.url}/api/webhooks/resume/`)).toBe(true);
    expect(await getRun(acme, runId)).toMatchObject({ status: 'waiting', reason: 'event' });
    expect(await post(url, { approved: true, by: 'Ada' })).toEqual({
      status: 202,
      body: { ok: true },
    });
    expect(await post(url, { approved: false })).toEqual({
      status: 200,
      body: { ok: true, duplicate: true },
    });
    const run = await ended(runId);
    expect(outputOf(run)).toEqual({ event: { approved: true, by: 'Ada' }, timed_out: false });
    // A call after the end of the run gets the same answer, because the caller may have missed the first answer.
    expect(await post(url, { approved: false })).toMatchObject({ status: 200 });
    expect(await getRun(acme, runId)).toEqual(run);
  });

  it('refuses many calls of one URL, and still takes calls of other URLs', async () => {
    const { url } = await waiting();
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(url, {})));
    expect(answers.map(({ status }) => status)).toContain(429);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(await post((await waiting()).url, {})).toMatchObject({ status: 202 });
  });

  it('can be called before the run reaches its step', async () => {
    ProbeTools.hold('early');
    const hold = { id: 'hold', tool: 'probe_outside', arguments: { name: 'early' } };
    const runId = await start([show, hold, approval()]);
    const url = await urlOf(runId);
    await waitFor(() => ProbeTools.count('early') === 1);
    expect(await post(url, { approved: true })).toMatchObject({ status: 202 });
    expect(await post(url, { approved: false })).toMatchObject({ status: 200 });
    ProbeTools.open('early');
    expect(outputOf(await ended(runId))).toEqual({ event: { approved: true }, timed_out: false });
  });

  it('does not wait for a step that is being executed', async () => {
    ProbeTools.hold('slow effect');
    const slow = { id: 'slow', tool: 'probe_effect', arguments: { name: 'slow effect' } };
    // The output of `show` is committed with the next change.
    const effect = { id: 'effect', tool: 'probe_effect', arguments: { name: 'effect' } };
    const runId = await start([show, effect, slow, approval()]);
    const url = await urlOf(runId);
    // The transaction of the step has locked the run and stays open.
    await waitFor(async () => (await getRun(acme, runId)).steps.at(-1)?.id === 'slow');
    expect(await post(url, { approved: true })).toMatchObject({ status: 202 });
    ProbeTools.open('slow effect');
    expect((await ended(runId)).status).toBe('succeeded');
  });

  itSlow.each([
    ['the call is stored', 'run_waits', `new.state = 'delivered'`],
    ['the step has begun', 'run_waits', `new.state = 'armed'`],
  ])(
    'loses no call when %s, but the transaction is not yet committed',
    async (_name, table, condition) => {
      const isCallFirst = condition.includes('delivered');
      const { url: other } = await waiting();
      ProbeTools.hold('race');
      const count = ProbeTools.count('race');
      const hold = { id: 'hold', tool: 'probe_outside', arguments: { name: 'race' } };
      const runId = await start([show, hold, approval()]);
      const url = await urlOf(runId);
      await waitFor(() => ProbeTools.count('race') > count);
      await held.hold('insert', table, condition);
      if (!isCallFirst) ProbeTools.open('race');
      const called = isCallFirst ? post(url, { approved: true }) : undefined;
      await held.blocked(1);
      if (isCallFirst) ProbeTools.open('race');
      const second = called ?? post(url, { approved: true });
      await held.blocked(2);
      await held.release();
      expect(await second).toMatchObject({ status: 202 });
      expect(outputOf(await ended(runId))).toEqual({ event: { approved: true }, timed_out: false });
      expect(await post(other)).toMatchObject({ status: 202 });
    },
  );

  itSlow('differs in each iteration of a loop', async () => {
    const runId = await start([
      {
        id: 'each',
        for_each: ['a', 'b', 'c'],
        concurrency: 3,
        steps: [show, approval()],
      },
    ]);
    await waitFor(async () => {
      const { steps } = await getRun(acme, runId);
      return steps.filter(({ status }) => status === 'waiting').length === 3;
    });
    const run = await getRun(acme, runId);
    const urls = [0, 1, 2].map(
      (turn) => (outputOf(run, `each[${turn}].show`) as { value: { url: string } }).value.url,
    );
    expect(new Set(urls).size).toBe(3);
    for (const [turn, url] of urls.entries()) {
      expect(await post(url, { turn })).toMatchObject({ status: 202 });
      expect(await post(url, { turn })).toMatchObject({ status: 200 });
    }
    const over = await ended(runId);
    for (const turn of [0, 1, 2]) {
      expect(outputOf(over, `each[${turn}].approval`)).toMatchObject({ event: { turn } });
    }
  });

  itSlow('is used by exactly one of twenty simultaneous calls', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { runId, url } = await waiting();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, by) => ({ by, ...(await post(url, { by })) })),
      );
      const winners = answers.filter(({ status }) => status === 202);
      expect(winners).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
      expect(outputOf(await ended(runId))).toMatchObject({ event: { by: winners[0]!.by } });
    }
  });

  it('gets the same answer for every invalid token', async () => {
    const { runId, url } = await waiting();
    const { url: otherRun } = await waiting();
    const rival = await createOrganization(switchboard);
    const { url: otherOrganization } = await waiting(rival);
    const base = url.slice(0, url.lastIndexOf('/') + 1);
    const parts = url.slice(base.length).split('.');
    const [organization, run, step, mac] = parts as [string, string, string, string];
    const macOf = (other: string) => other.slice(other.lastIndexOf('.') + 1);
    const token = (...given: string[]) => base + given.join('.');
    const flipped = Array.from({ length: 256 }, (_, bit) => {
      const bytes = Buffer.from(mac, 'hex');
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      return token(organization, run, step, bytes.toString('hex'));
    });
    const forged = [
      ...flipped,
      token(organization, run, step, macOf(otherRun)),
      token(organization, run, step, macOf(otherOrganization)),
      token(organization, run, 'show', mac),
      token(organization, run, `${step}%00`, mac),
      token(organization, otherRun.split('.').at(-3)!, step, mac),
      token(rival.id, run, step, mac),
      token(organization, run, step, mac.slice(0, 63)),
      token(organization, run, step, `${mac}0`),
      token(organization, run, step, mac.toUpperCase()),
      token(organization, run, step, ''),
      token(organization, run, step),
      token(run, organization, step, mac),
      `${base}x`,
      `${base}%ff`,
      `${base}${'a'.repeat(4000)}`,
      `${base}__proto__`,
    ];
    for (const one of forged) expect([one, await post(one)]).toEqual([one, NOT_FOUND]);
    expect((await getRun(acme, runId)).status).toBe('waiting');
    // A purged run gets the same answer as a run that never existed.
    await post(url, { ok: true });
    await ended(runId);
    await switchboard.ownerQuery('delete from workflow_runs where id = $1', [runId]);
    expect(await post(url)).toEqual(NOT_FOUND);
  });

  it('does not resume the run on GET', async () => {
    const { runId, url } = await waiting();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([
        method,
        405,
        'POST',
      ]);
    }
    expect((await getRun(acme, runId)).status).toBe('waiting');
  });

  it('refuses a body that is not a JSON object, and the run keeps waiting', async () => {
    const { runId, url } = await waiting();
    const cases: [string, Record<string, string>, number, string][] = [
      ['{', {}, 400, 'invalid_json'],
      ['[]', {}, 400, 'not_an_object'],
      ['"yes"', {}, 400, 'not_an_object'],
      [`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, {}, 400, 'too_complex'],
      ['{}', { 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
      ['{}', { 'Content-Encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ];
    for (const [body, headers, status, code] of cases) {
      expect(await post(url, body, headers)).toMatchObject({ status, body: { error: { code } } });
    }
    expect((await getRun(acme, runId)).status).toBe('waiting');
    const strange = '{"text":"\\u0000 \\ud800","large":1e400,"__proto__":{"a":1}}';
    expect((await post(url, strange)).status).toBe(202);
    expect((await ended(runId)).status).toBe('succeeded');
  });

  it('accepts a form that a page sends, with texts as values', async () => {
    const { runId, url } = await waiting();
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Origin: 'https://www.example.com',
    };
    const tooMany = { status: 400, body: { error: { code: 'too_complex' } } };
    expect(await post(url, 'a&'.repeat(1001), headers)).toMatchObject(tooMany);
    expect(await post(url, 'decision=approve&note=a+b&to=x&to=y', headers)).toMatchObject({
      status: 202,
    });
    const event = { decision: 'approve', note: 'a b', to: ['x', 'y'] };
    expect(outputOf(await ended(runId))).toEqual({ event, timed_out: false });
  });

  it('answers 413 before it has read a body that is too large', async () => {
    const { url } = await waiting();
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': 1024 * 1024 + 1 },
      });
      sent.on('response', (response) => {
        resolve(response.statusCode!);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('{');
    });
    expect(status).toBe(413);
  });

  itSlow('answers 410 when the time is over or the run has ended', async () => {
    const timedOut = await start([
      show,
      approval({ wait_for_event: { event: 'resume', timeout: { seconds: 1 } } }),
    ]);
    expect(outputOf(await ended(timedOut))).toEqual({ event: null, timed_out: true });
    const canceled = await waiting();
    await acme.call('cancel_run', { run_id: canceled.runId });
    const skipped = await start([show, approval({ if: 'false' })]);
    await ended(skipped);
    for (const url of [await urlOf(timedOut), canceled.url, await urlOf(skipped)]) {
      expect(await post(url, { approved: true })).toEqual({
        status: 410,
        body: {
          ok: false,
          error: { code: 'over', message: 'The run no longer waits for this call.' },
        },
      });
    }
    // A retried run waits again.
    await acme.call('retry_run', { run_id: canceled.runId });
    await runUntil(acme, canceled.runId, 'waiting');
    expect(await post(canceled.url, { approved: true })).toMatchObject({ status: 202 });
    expect((await ended(canceled.runId)).status).toBe('succeeded');
  });

  itSlow('works for a run whose worker has died', async () => {
    const { runId, url } = await waiting();
    await switchboard.ownerQuery(
      `update workflow_runs set status = 'running', epoch = epoch + 1, available_at = now() + interval '1 h' where id = $1`,
      [runId],
    );
    expect(await post(url, { approved: true })).toMatchObject({ status: 202 });
    expect((await getRun(acme, runId)).status).toBe('running');
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
    expect(outputOf(await ended(runId))).toMatchObject({ event: { approved: true } });
  });
});
