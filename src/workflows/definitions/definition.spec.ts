import { parseSteps } from './steps/step-kinds.js';
import { describe, expect, it } from 'vitest';
import { FaultList } from '../../errors/fault-list.js';

function faultsOf(steps: unknown): string[] {
  const faults = new FaultList();
  parseSteps(steps, faults);
  return faults.first.map(({ path, message }) => `${path} ${message}`);
}

const nested = (depth: number): object[] =>
  depth === 0 ? [] : [{ id: `s${depth}`, if: 'x', then: nested(depth - 1) }];
const many = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ id: `s${index}`, tool: 't' }));

describe(parseSteps, () => {
  it('parses every kind of step without changing it', () => {
    const steps = [
      {
        id: 'a',
        tool: 't',
        arguments: { x: 1 },
        if: 'y',
        on_error: 'continue',
        retry: { max_attempts: 2, backoff_seconds: 0.5, backoff_factor: 1 },
        timeout: 300,
      },
      { id: 'b', if: 'x', then: [{ id: 'c', wait: { days: 366 } }], else: [] },
      { id: 'd', wait: { until: '{{ trigger.payload.at }}' } },
      { id: 'd3', wait: { months: 12, timezone: 'Europe/Vienna' } },
      { id: 'd4', wait: { weeks: '{{ trigger.payload.weeks }}' } },
      { id: 'd1', wait: { until: '09:00', timezone: '{{ x }}', weekdays: ['mon', 'sun'] } },
      { id: 'd2', wait: { until: '2030-01-31T09:00', timezone: 'Europe/Vienna' } },
      { id: 'e', wait: { until: '2030-01-01T00:00:00+02:00' }, if: 'y' },
      { id: 'f', tool: 't', on_error: [{ id: 'g', wait: { days: 1 }, on_error: 'fail' }] },
      { id: 'h', if: 'x', then: [], on_error: [] },
      { id: 'i', for_each: '{{ x }}', if: 'y', as: 'one', concurrency: 10, steps: many(1) },
      { id: 'j', for_each: [1, { a: '{{ x }}' }], steps: [{ id: 'k', stop: 'succeeded' }] },
      { id: 'l', parallel: [[{ id: 'm', tool: 't' }], [{ id: 'n', tool: 't' }]], on_error: [] },
      { id: 'o', stop: 'failed', reason: '{{ x }}', if: 'y' },
    ];
    const faults = new FaultList();
    expect(parseSteps(steps, faults).steps).toEqual(steps);
    expect(faults.first).toEqual([]);
  });

  it.each<[unknown, string]>([
    ['x', 'steps must be a list of steps'],
    [[1], 'steps[0] must be an object'],
    [
      [{ id: 'a' }],
      'steps[0] needs "tool", "code", "wait_for_event", "run_workflow", "wait", "for_each", "parallel", "race", "stop", "respond", "set", "return", or "if" with "then"',
    ],
    [[{ tool: 't' }], 'steps[0].id is required'],
    [[{ id: 'A', tool: 't' }], 'steps[0].id must match ^[a-z][a-z0-9_]{0,63}$'],
    [[{ id: 'run', tool: 't' }], 'steps[0].id must not be "run": expressions use that name'],
    [
      [
        { id: 'a', tool: 't' },
        { id: 'b', if: 'x', then: [{ id: 'a', tool: 't' }] },
      ],
      'steps[1].then[0].id "a" is the id of another step',
    ],
    [
      [{ id: 'a', tool: 't', argument: {} }],
      'steps[0].argument is not known. Did you mean arguments?',
    ],
    [[{ id: 'a', wait: { days: 1 }, timeout: 1 }], 'steps[0].timeout is not supported'],
    [[{ id: 'a', tool: 't', timeout: 0 }], 'steps[0].timeout must be at least 1'],
    [[{ id: 'a', tool: 't', timeout: '5' }], 'steps[0].timeout must be of type number'],
    [
      [{ id: 'a', tool: 't', retry: { backoff_seconds: 3601 } }],
      'steps[0].retry.backoff_seconds must be at most 3600',
    ],
    [
      [{ id: 'a', tool: 't', retry: { backoff_factor: 0.5 } }],
      'steps[0].retry.backoff_factor must be at least 1',
    ],
    [
      [{ id: 'a', tool: 't', retry: { attempts: 2 } }],
      'steps[0].retry.attempts is not known. Did you mean max_attempts?',
    ],
    [
      [{ id: 'a', tool: 't', on_error: [{ id: 'a', tool: 't' }] }],
      'steps[0].on_error[0].id "a" is the id of another step',
    ],
    [
      [{ id: 'a', wait: { days: 1 }, on_error: 7 }],
      'steps[0].on_error must be "fail", "continue" or a list of steps',
    ],
    [[{ id: 'a', wait: { days: 1 }, if: '' }], 'steps[0].if must be text of 1 to 10000 characters'],
    [[{ id: 'a', foreach: [] }], 'steps[0].foreach is not known. Did you mean for_each?'],
    [[{ id: 'a', for_each: [], then: [] }], 'steps[0].then is not known.'],
    [[{ id: 'a', for_each: [] }], 'steps[0].steps must be a list of steps'],
    [[{ id: 'a', for_each: [], steps: [] }], 'steps[0].steps must have at least one step'],
    [
      [{ id: 'a', for_each: 'trigger.payload.items', steps: [] }],
      'steps[0].for_each must be a list, or an expression that returns one',
    ],
    [
      [{ id: 'a', for_each: Array.from({ length: 1001 }), steps: [] }],
      'steps[0].for_each must have at most 1000 items',
    ],
    [
      [{ id: 'a', for_each: [], as: 'index', steps: [] }],
      'steps[0].as must match ^[a-z][a-z0-9_]{0,63}$, and not be "index"',
    ],
    [
      [{ id: 'a', for_each: [], as: 'An item', steps: [] }],
      'steps[0].as must match ^[a-z][a-z0-9_]{0,63}$, and not be "index"',
    ],
    [
      [{ id: 'a', for_each: [], concurrency: 11, steps: [] }],
      'steps[0].concurrency must be a whole number from 1 to 10',
    ],
    [
      [{ id: 'a', for_each: [], concurrency: 1.5, steps: [] }],
      'steps[0].concurrency must be a whole number from 1 to 10',
    ],
    [[{ id: 'a', for_each: [], steps: [{ id: 'b' }] }], 'steps[0].steps[0] needs'],
    [[{ id: 'a', parallel: [[]] }], 'steps[0].parallel must be a list of 2 to 10 lists of steps'],
    [
      [{ id: 'a', parallel: Array.from({ length: 11 }, () => []) }],
      'steps[0].parallel must be a list of 2 to 10 lists of steps',
    ],
    [[{ id: 'a', race: [[]] }], 'steps[0].race must be a list of 2 to 10 lists of steps'],
    [[{ id: 'a', race: [[], 7] }], 'steps[0].race[0] must have at least one step'],
    [[{ id: 'a', parallel: [[], 7] }], 'steps[0].parallel[0] must have at least one step'],
    [[{ id: 'a', parallel: [[], 7] }], 'steps[0].parallel[1] must be a list of steps'],
    [[{ id: 'a', parallel: [[], []], concurrency: 2 }], 'steps[0].concurrency is not known'],
    [
      [
        {
          id: 'a',
          parallel: [[{ id: 'b', tool: 't' }], [{ id: 'b', tool: 't' }]],
        },
      ],
      'steps[0].parallel[1][0].id "b" is the id of another step',
    ],
    [[{ id: 'a', stop: 'canceled' }], 'steps[0].stop must be succeeded or failed'],
    [[{ id: 'a', stop: 'failed', reason: 7 }], 'steps[0].reason must be text of 1 to'],
    [
      [{ id: 'a', stop: 'failed', on_error: 'continue' }],
      'steps[0].on_error must be absent in a step that ends the run',
    ],
    [[{ id: 'a', tool: 't', arguments: [] }], 'steps[0].arguments must be an object'],
    [
      [{ id: 'a', tool: 't', on_error: 'stop' }],
      'steps[0].on_error must be "fail", "continue" or a list of steps',
    ],
    [
      [{ id: 'a', tool: 't', retry: { max_attempts: 0 } }],
      'steps[0].retry.max_attempts must be at least 1',
    ],
    [[{ id: 'a', tool: 7 }], 'steps[0].tool must be text of 1 to 10000 characters'],
    [[{ id: 'a', then: [] }], 'steps[0].if is required'],
    [[{ id: 'a', if: 'x', then: {} }], 'steps[0].then must be a list of steps'],
    [
      [{ id: 'a', if: 'x', then: [{ id: 'b', wait: {} }] }],
      'steps[0].then[0].wait needs exactly one of seconds, minutes, hours, days, weeks, months, until',
    ],
    [
      [{ id: 'a', wait: { days: 1, hours: 1 } }],
      'steps[0].wait needs exactly one of seconds, minutes, hours, days, weeks, months, until',
    ],
    [
      [{ id: 'a', wait: { days: 367 } }],
      'steps[0].wait.days must be a number above 0 and at most 366',
    ],
    [
      [{ id: 'a', wait: { seconds: 0 } }],
      'steps[0].wait.seconds must be a number above 0 and at most 31622400',
    ],
    [
      [{ id: 'a', wait: { until: 'soon' } }],
      'steps[0].wait.until must be an RFC 3339 time, a time of day such as 09:00, a local time such as 2030-01-31T09:00, or an expression',
    ],
    [[{ id: 'a', wait: { until: '25:00' } }], 'steps[0].wait.until must be an RFC 3339 time'],
    [
      [{ id: 'a', wait: { until: '2030-02-30T09:00' } }],
      'steps[0].wait.until must be an RFC 3339 time',
    ],
    [
      [{ id: 'a', wait: { until: '09:00', timezone: 'Vienna' } }],
      'steps[0].wait.timezone must be a time zone such as Europe/Berlin, or an expression',
    ],
    [
      [{ id: 'a', wait: { until: '2030-01-01T00:00:00Z', timezone: 'UTC' } }],
      'steps[0].wait.timezone needs a local time; this time already has a time zone',
    ],
    [[{ id: 'a', wait: { days: 1, timezone: 'UTC' } }], 'steps[0].wait.timezone is not known.'],
    [
      [{ id: 'a', wait: { until: '2030-01-31T09:00', weekdays: ['mon'] } }],
      'steps[0].wait.weekdays needs a time of day in until',
    ],
    ...[[], ['mon', 'mon'], ['monday'], 'mon'].map((weekdays): [unknown, string] => [
      [{ id: 'a', wait: { until: '09:00', weekdays } }],
      'steps[0].wait.weekdays must be a list of some of sun, mon, tue, wed, thu, fri, sat, each once',
    ]),
    [many(501), 'steps must have at most 500 steps, including nested steps'],
    [nested(11), `steps${'[0].then'.repeat(10)} is nested deeper than 10 levels`],
  ])('refuses %j', (steps, fault) => {
    expect(faultsOf(steps)).toContainEqual(expect.stringContaining(fault));
  });

  it('accepts 500 steps, and ten nested lists', () => {
    expect(faultsOf(many(500))).toEqual([]);
    expect(faultsOf(nested(9))).toEqual([]);
  });
});
