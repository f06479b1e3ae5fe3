import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, endWaits, type RunShape, runUntil } from './support/workflow-client.js';

/** Returns the local time of a timezone, such as `2030-01-31 09:00`. */
function shown(instant: unknown, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return format.format(new Date(String(instant)));
}

describe('a wait until a local time', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let count = 0;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const run = async (wait: object, timezone?: string, payload: object = {}): Promise<RunShape> => {
    const workflow = await createWorkflow(acme, [{ id: 'pause', wait }]);
    count += 1;
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: `waits${count}@example.com`,
      ...(timezone !== undefined && { timezone }),
    });
    const started = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
      contact_id: value.contact.id,
      payload,
    });
    return await runUntil(acme, started.value.run_id, 'waiting', 'succeeded', 'failed');
  };

  it.each(['Pacific/Kiritimati', 'Asia/Kolkata', 'America/Los_Angeles'])(
    'wait for the next time of day in the timezone of the contact: %s',
    async (timezone) => {
      const waiting = await run({ until: '09:00' }, timezone);
      expect(waiting).toMatchObject({ status: 'waiting', reason: 'wait' });
      const { output, started_at: begun } = waiting.steps[0]!;
      expect(output).toMatchObject({ timezone });
      expect(shown(output!.until, timezone)).toMatch(/ 09:00$/);
      const hours = (Date.parse(String(output!.until)) - Date.parse(begun!)) / 3_600_000;
      expect(hours).toBeGreaterThan(0);
      expect(hours).toBeLessThanOrEqual(25);
      const [row] = await switchboard.ownerQuery<{ at: Date }>(
        `select available_at as at from workflow_runs where id = $1`,
        [waiting.id],
      );
      expect(row!.at.toISOString()).toBe(output!.until);
      await endWaits(switchboard, waiting.id);
      expect((await runUntil(acme, waiting.id, 'succeeded', 'failed')).status).toBe('succeeded');
    },
  );

  it('use the timezone of the step, which may be an expression, and UTC when neither the step nor the contact has a timezone', async () => {
    const zoneOf = async (wait: object, timezone?: string, payload?: object) =>
      (await run({ until: '09:00', ...wait }, timezone, payload)).steps[0]!.output!.timezone;
    expect(await zoneOf({})).toBe('UTC');
    expect(await zoneOf({ timezone: 'Asia/Tokyo' }, 'Europe/Vienna')).toBe('Asia/Tokyo');
    const fallback = { timezone: "{{ contact.timezone | default: 'Europe/Vienna' }}" };
    expect(await zoneOf(fallback)).toBe('Europe/Vienna');
    expect(await zoneOf(fallback, 'Asia/Tokyo')).toBe('Asia/Tokyo');
    const payload = { zone: 'Africa/Lagos' };
    expect(await zoneOf({ timezone: '{{ trigger.payload.zone }}' }, 'UTC', payload)).toBe(
      'Africa/Lagos',
    );
  });

  it('can wait for a weekday, and for a date and time', async () => {
    const zone = 'Australia/Sydney';
    const monday = await run({ until: '08:30', weekdays: ['mon'] }, zone);
    const { until } = monday.steps[0]!.output!;
    expect(shown(until, zone)).toMatch(/ 08:30$/);
    const weekday = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'short' });
    expect(weekday.format(new Date(String(until)))).toBe('Mon');
    const day = shown(new Date(Date.now() + 30 * 86_400_000), zone).slice(0, 10);
    const dated = await run({ until: `${day}T08:30` }, zone);
    expect(shown(dated.steps[0]!.output!.until, zone)).toBe(`${day} 08:30`);
    const given = await run({ until: '{{ trigger.payload.at }}' }, zone, { at: `${day}T08:31` });
    expect(shown(given.steps[0]!.output!.until, zone)).toBe(`${day} 08:31`);
    expect((await run({ until: '2020-01-31T09:00' }, zone)).status).toBe('succeeded');
  });

  it.each<[string, object, object, string]>([
    ['no time', { until: '{{ trigger.payload.at }}' }, { at: 'tomorrow' }, 'until must be'],
    [
      'an unknown timezone',
      { until: '09:00', timezone: '{{ trigger.payload.at }}' },
      { at: 'Moon' },
      'timezone must be a time zone',
    ],
    [
      'a weekday at a date',
      { until: '{{ trigger.payload.at }}', weekdays: ['mon'] },
      { at: '2030-01-31T09:00' },
      'weekdays needs a time of day',
    ],
    [
      'more than a year',
      { until: '{{ trigger.payload.at }}' },
      { at: '2999-01-31T09:00' },
      'until must be at most 366 days away.',
    ],
    [
      'a length that is not a number',
      { days: '{{ trigger.payload.at }}' },
      { at: 'soon' },
      'The days of a wait must be a number of at least 0 and at most 366.',
    ],
    [
      'a negative length',
      { hours: '{{ trigger.payload.at }}' },
      { at: -1 },
      'The hours of a wait must be a number of at least 0 and at most 8784.',
    ],
    [
      'a length of more than a year',
      { weeks: '{{ trigger.payload.at }}' },
      { at: '53' },
      'The weeks of a wait must be a number of at least 0 and at most 52.',
    ],
    [
      'a part of a month',
      { months: '{{ trigger.payload.at }}' },
      { at: 0.5 },
      'The months of a wait must be a whole number of at least 0 and at most 12.',
    ],
  ])('fail at %s', async (_what, wait, payload, message) => {
    const failed = await run(wait, undefined, payload);
    expect(failed).toMatchObject({ status: 'failed', reason: 'step_failed:pause' });
    expect(failed.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(message) as string,
    });
  });

  it.each<[object, object, number]>([
    [{ weeks: 1 }, {}, 7 * 24],
    [{ days: '{{ trigger.payload.n }}' }, { n: '1.5' }, 36],
    [{ hours: '{{ trigger.payload.n | plus: 1 }}' }, { n: 2 }, 3],
  ])('wait for the length %j', async (wait, payload, hours) => {
    const { output, started_at: begun } = (await run(wait, undefined, payload)).steps[0]!;
    const passed = (Date.parse(String(output!.until)) - Date.parse(begun!)) / 3_600_000;
    expect(passed).toBeCloseTo(hours, 1);
  });

  it('do not wait for a computed length of 0', async () => {
    const { id } = await run({ days: '{{ trigger.payload.n }}' }, undefined, { n: 0 });
    expect((await runUntil(acme, id, 'succeeded', 'failed')).status).toBe('succeeded');
  });

  it.each([
    [{ months: 2 }, 'Europe/Vienna', 'Europe/Vienna'],
    [{ months: '{{ 2 }}', timezone: 'Asia/Tokyo' }, 'Europe/Vienna', 'Asia/Tokyo'],
    [{ months: 2 }, undefined, 'UTC'],
  ])('keep the local time of day over months: %j of a contact in %s', async (wait, zone, used) => {
    const { output, started_at: begun } = (await run(wait, zone)).steps[0]!;
    expect(output).toMatchObject({ timezone: used });
    const [day, time] = shown(begun, used).split(' ') as [string, string];
    const [untilDay, untilTime] = shown(output!.until, used).split(' ') as [string, string];
    expect(untilTime).toBe(time);
    const months = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
    expect(months(untilDay) - months(day)).toBe(2);
  });
});
