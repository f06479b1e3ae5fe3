import { describe, expect, it } from 'vitest';
import { NO_LIMITS, toOptions } from './key-limits.ts';

describe(toOptions, () => {
  it('returns an empty object for a key without limits', () =>
    expect(toOptions(NO_LIMITS)).toEqual({}));

  it('reads names of tools between commas, spaces and new lines, and drops repeated names', () => {
    const tools = ' send_message,get_run\n get_run ';
    expect(toOptions({ days: '30', isReadOnly: true, tools })).toEqual({
      expires_in_days: 30,
      read_only: true,
      tools: ['send_message', 'get_run'],
    });
  });
});
