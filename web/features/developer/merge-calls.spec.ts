import { describe, expect, it } from 'vitest';
import type { Call } from './call.readers.ts';
import { isShown, mergeCalls } from './merge-calls.ts';

const call = (id: number, given: Partial<Call> = {}): Call => ({
  id: String(id),
  at: '2030-01-01T00:00:00.000Z',
  caller_kind: 'key',
  caller_id: 'key_1',
  tool: 'send_message',
  outcome: 'ok',
  error: null,
  duration_ms: 1,
  request_id: null,
  client: null,
  unlogged: 0,
  ...given,
});

describe(mergeCalls, () => {
  it('shows each call once, the newest first', () => {
    const later = call(3, { at: '2030-01-01T00:00:01.000Z' });
    const merged = mergeCalls([call(10), call(9)], [later, call(10)]);
    expect(merged.map(({ id }) => id)).toEqual(['3', '10', '9']);
  });

  it('returns the same array when it already contains every new call', () => {
    const calls = [call(2), call(1)];
    expect(mergeCalls(calls, [call(1)])).toBe(calls);
  });

  it('keeps at most 1,000 calls', () => {
    const calls = Array.from({ length: 1500 }, (_, index) => call(index));
    const merged = mergeCalls([], calls);
    expect(merged).toHaveLength(1000);
    expect(merged[0]?.id).toBe('1499');
  });
});

describe(isShown, () => {
  it('leaves out calls of people, unless the filter includes them', () => {
    expect(isShown(call(1, { caller_kind: 'user' }), false)).toBe(false);
    expect(isShown(call(1, { caller_kind: 'user' }), true)).toBe(true);
    expect(isShown(call(1), false)).toBe(true);
  });

  it('leaves out the successful calls with which the page reads the log', () => {
    const own = { caller_kind: 'user', tool: 'list_calls' };
    expect(isShown(call(1, own), true)).toBe(false);
    expect(isShown(call(1, { ...own, outcome: 'rate_limited' }), true)).toBe(true);
  });
});
