import { describe, expect, it } from 'vitest';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { withUnreadable } from './unreadable.js';

describe(withUnreadable, () => {
  const liquid = new LiquidSandbox();
  const large = { count: 3, results: null, too_large: { results: 'The results are too large.' } };
  const evaluate = (text: string): Promise<unknown> =>
    liquid.evaluate('org_1', text, { each: withUnreadable(large) });

  it.each([
    '{{ each.results }}',
    '{{ each.results | size }}',
    '{{ each.results[0].value }}',
    '{% for one in each.results %}{{ one }}{% endfor %}',
    'a {{ each | json }}',
  ])('makes %s fail with the error message of the member', async (text) => {
    await expect(evaluate(text)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: 'The results are too large.',
    });
  });

  it('makes conditions that read the member fail', async () => {
    const tested = liquid.test('org_1', 'each.results == nil', { each: withUnreadable(large) });
    await expect(tested).rejects.toMatchObject({ message: 'The results are too large.' });
  });

  it('does not change the other members and other outputs', async () => {
    expect(await evaluate('{{ each.count }}')).toBe(3);
    expect(withUnreadable(null)).toBeNull();
    expect(withUnreadable({ results: null })).toEqual({ results: null });
  });
});
