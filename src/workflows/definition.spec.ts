import { describe, expect, it } from 'vitest';
import type { Fault } from '../errors/app-error.js';
import { parseSteps } from './definition.js';

function faultsOf(steps: unknown): string[] {
  const faults: Fault[] = [];
  parseSteps(steps, faults);
  return faults.map(({ path, message }) => `${path} ${message}`);
}

const nested = (depth: number): object[] =>
  depth === 0 ? [] : [{ id: `s${depth}`, if: 'x', then: nested(depth - 1) }];
const many = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ id: `s${index}`, tool: 't' }));

describe(parseSteps, () => {
  it('reads every kind of step and gives back what it read', () => {
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
      { id: 'e', wait: { until: '2030-01-01T00:00:00+02:00' }, if: 'y' },
      { id: 'f', tool: 't', on_error: [{ id: 'g', wait: { days: 1 }, on_error: 'fail' }] },
      { id: 'h', if: 'x', then: [], on_error: [] },
    ];
    const faults: Fault[] = [];
    expect(parseSteps(steps, faults)).toEqual(steps);
    expect(faults).toEqual([]);
  });

  it.each<[unknown, string]>([
    ['x', 'steps must be a list of steps'],
    [[1], 'steps[0] must be an object'],
    [[{ id: 'a' }], 'steps[0] needs "tool", "wait", or "if" with "then"'],
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
    [
      [{ id: 'a', tool: 't', timeout: 0 }],
      'steps[0].timeout must be a number of seconds from 1 to 300',
    ],
    [
      [{ id: 'a', tool: 't', timeout: '5' }],
      'steps[0].timeout must be a number of seconds from 1 to 300',
    ],
    [
      [{ id: 'a', tool: 't', retry: { backoff_seconds: 3601 } }],
      'steps[0].retry.backoff_seconds must be a number from 0 to 3600',
    ],
    [
      [{ id: 'a', tool: 't', retry: { backoff_factor: 0.5 } }],
      'steps[0].retry.backoff_factor must be a number from 1 to 10',
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
    [[{ id: 'a', for_each: 'x', then: [] }], 'steps[0].for_each is not supported'],
    [[{ id: 'a', tool: 't', arguments: [] }], 'steps[0].arguments must be an object'],
    [
      [{ id: 'a', tool: 't', on_error: 'stop' }],
      'steps[0].on_error must be "fail", "continue" or a list of steps',
    ],
    [
      [{ id: 'a', tool: 't', retry: { max_attempts: 0 } }],
      'steps[0].retry.max_attempts must be a whole number from 1 to 10',
    ],
    [[{ id: 'a', tool: 7 }], 'steps[0].tool must be text of 1 to 10000 characters'],
    [[{ id: 'a', then: [] }], 'steps[0].if is required'],
    [[{ id: 'a', if: 'x', then: {} }], 'steps[0].then must be a list of steps'],
    [
      [{ id: 'a', if: 'x', then: [{ id: 'b', wait: {} }] }],
      'steps[0].then[0].wait needs exactly one of seconds, minutes, hours, days, until',
    ],
    [
      [{ id: 'a', wait: { days: 1, hours: 1 } }],
      'steps[0].wait needs exactly one of seconds, minutes, hours, days, until',
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
      'steps[0].wait.until must be an RFC 3339 time or an expression',
    ],
    [many(101), 'steps must hold at most 100 steps, nested ones included'],
    [nested(11), `steps${'[0].then'.repeat(10)} is nested deeper than 10`],
  ])('refuses %j', (steps, fault) => {
    expect(faultsOf(steps)).toContain(fault);
  });

  it('takes 100 steps, and ten lists within each other', () => {
    expect(faultsOf(many(100))).toEqual([]);
    expect(faultsOf(nested(9))).toEqual([]);
  });
});
