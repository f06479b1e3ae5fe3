import { describe, expect, it } from 'vitest';
import { FaultList } from '../../errors/fault-list.js';
import { getLimitKeys, parseRunLimits } from './run-limits.js';

describe(parseRunLimits.name, () => {
  const parse = (given: unknown) => {
    const faults = new FaultList();
    const limits = parseRunLimits(given, 'limits', faults);
    return { limits, faults: faults.first };
  };

  it.each<[string, object]>([
    ['no limits', {}],
    ['runs of the workflow', { concurrency: { runs: 5 } }],
    ['runs of a key', { concurrency: { key: '{{ contact.id }}', runs_per_key: 1 } }],
    [
      'both concurrency limits',
      { concurrency: { runs: 1000, key: 'a{{ contact.id }}', runs_per_key: 1 } },
    ],
    ['a rate', { rate: { runs: 10, per_seconds: 60 } }],
    ['a debounce', { debounce: { seconds: 30, max_seconds: 30 } }],
    [
      'a debounce per key',
      { debounce: { seconds: 1, max_seconds: 9, key: '{{ trigger.payload.id }}' } },
    ],
  ])('accepts %s', (_, limits) => {
    expect(parse(limits)).toEqual({ limits, faults: [] });
  });

  it.each([
    [30, 300],
    [86_400, 604_800],
  ])('sets max_seconds to ten times %d s, at most a week', (seconds, most) => {
    expect(parse({ debounce: { seconds } }).limits.debounce).toEqual({
      seconds,
      max_seconds: most,
    });
  });

  it.each<[unknown, string[]]>([
    ['5', ['limits']],
    [[], ['limits']],
    [null, ['limits']],
    [{ concurency: {} }, ['limits.concurency']],
    [{ concurrency: 5 }, ['limits.concurrency']],
    [{ concurrency: {} }, ['limits.concurrency']],
    [{ concurrency: { runs: 0 } }, ['limits.concurrency.runs']],
    [{ concurrency: { runs: 1001 } }, ['limits.concurrency.runs']],
    [{ concurrency: { runs: 1.5 } }, ['limits.concurrency.runs']],
    [{ concurrency: { runs: '5' } }, ['limits.concurrency.runs']],
    [{ concurrency: { runs: 5, key: '{{ contact.id }}' } }, ['limits.concurrency']],
    [{ concurrency: { runs_per_key: 1 } }, ['limits.concurrency']],
    [{ concurrency: { runs_per_key: 1, key: 'contact.id' } }, ['limits.concurrency.key']],
    [{ concurrency: { runs_per_key: 1, key: 7 } }, ['limits.concurrency.key']],
    [{ rate: { runs: 10 } }, ['limits.rate.per_seconds']],
    [{ rate: {} }, ['limits.rate.runs', 'limits.rate.per_seconds']],
    [{ rate: { runs: 10, per_seconds: 86_401 } }, ['limits.rate.per_seconds']],
    [{ rate: { runs: 10, per: 60 } }, ['limits.rate.per', 'limits.rate.per_seconds']],
    [{ debounce: {} }, ['limits.debounce.seconds']],
    [{ debounce: { seconds: 30, max_seconds: 29 } }, ['limits.debounce.max_seconds']],
    [{ debounce: { seconds: 30, key: '' } }, ['limits.debounce.key']],
  ])('reports the path of every fault of %j', (given, paths) => {
    expect(parse(given).faults.map(({ path }) => path)).toEqual(paths);
  });

  it('returns the key expressions with their paths', () => {
    const { limits } = parse({
      concurrency: { runs_per_key: 1, key: '{{ contact.id }}' },
      debounce: { seconds: 1, key: '{{ trigger.payload.id }}' },
    });
    expect(getLimitKeys(limits, 'limits')).toEqual([
      ['limits.concurrency.key', '{{ contact.id }}'],
      ['limits.debounce.key', '{{ trigger.payload.id }}'],
    ]);
  });
});
