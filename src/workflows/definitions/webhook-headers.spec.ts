import { describe, expect, it } from 'vitest';
import { FaultList } from '../../errors/fault-list.js';
import { HIDDEN_HEADERS, parseHeaderNames } from './webhook-headers.js';

const parse = (given: unknown) => {
  const faults = new FaultList();
  const names = parseHeaderNames(given, faults);
  return { names, paths: faults.first.map(({ path }) => path) };
};

describe('the headers of a trigger', () => {
  it('are lowercase names, each once', () => {
    const { names, paths } = parse(['X-GitHub-Event', 'x-github-event', 'link']);
    expect(names).toEqual(['x-github-event', 'link']);
    expect(paths).toEqual([]);
  });

  it('are removed by null, and kept when they are absent', () => {
    expect(parse(null).names).toBeNull();
    expect(parse(undefined).names).toBeUndefined();
  });

  it.each(HIDDEN_HEADERS)('cannot contain %s', (name) => {
    expect(parse(['x-a', name.toUpperCase()]).paths).toEqual(['trigger.headers[1]']);
  });

  it.each([['text'], [['']], [['a b']], [['a\r\nb']], [[7]], [['x'.repeat(65)]]])(
    'are refused when they are %j',
    (given) => {
      expect(parse(given).paths).toHaveLength(1);
    },
  );

  it('are at most twenty', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}`);
    expect(parse(names(20)).paths).toEqual([]);
    expect(parse(names(21)).paths).toEqual(['trigger.headers']);
  });
});
