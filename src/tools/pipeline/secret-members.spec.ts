import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './secret-members.js';

describe(withoutSecrets, () => {
  it('replaces texts at the paths in a copy, and leaves everything else', () => {
    const given = { secret: 'a', trigger: { secret: 'b', type: 'webhook' }, name: 'c' };
    const paths = ['secret', 'trigger.secret', 'steps.secret', 'name.secret'];
    expect(withoutSecrets(given, paths, null)).toEqual({
      secret: null,
      trigger: { secret: null, type: 'webhook' },
      name: 'c',
    });
    expect(given.trigger.secret).toBe('b');
  });

  it('keeps values that are not text, and returns the same value when there is nothing to replace', () => {
    const given = { secret: true, trigger: null };
    expect(withoutSecrets(given, ['secret', 'trigger.secret'], null)).toBe(given);
    expect(withoutSecrets(given, undefined, null)).toBe(given);
  });
});
