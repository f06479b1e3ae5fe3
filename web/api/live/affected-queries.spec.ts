import { describe, expect, it } from 'vitest';
import { isAffected } from './affected-queries.ts';

describe(isAffected, () => {
  it.each([
    [['tool', 'list_runs', {}], { kind: 'runs', id: 'a' }, true],
    [['tool', 'list_runs', {}, 'any'], { kind: 'runs', id: 'a' }, true],
    [['tool', 'get_run', { run_id: 'a' }], { kind: 'runs', id: 'a' }, true],
    [['tool', 'get_run', { run_id: 'b' }], { kind: 'runs', id: 'a' }, false],
    [['tool', 'list_messages', { contact_id: 'c' }], { kind: 'messages', id: 'm' }, true],
    [['tool', 'list_messages', {}], { kind: 'runs', id: 'a' }, false],
    [
      ['tool', 'list_webhook_deliveries', { workflow_id: 'w' }],
      { kind: 'deliveries', id: 'w' },
      true,
    ],
    [
      ['tool', 'list_webhook_deliveries', { workflow_id: 'x' }],
      { kind: 'deliveries', id: 'w' },
      false,
    ],
    [['tool', 'list_tool_policies', {}], { kind: 'tools' }, true],
    [['tools'], { kind: 'tools' }, true],
    [['tools'], { kind: 'contacts', id: 'c' }, false],
    [['key'], { kind: 'keys' }, true],
    [['session'], { kind: 'contacts', id: 'c' }, false],
    [['tool', 'list_runs', {}], { kind: 'a kind of a later version' }, false],
  ])('returns whether %j is affected by a change of %j: %s', (queryKey, change, expected) => {
    expect(isAffected(queryKey, [{ id: undefined, ...change }])).toBe(expected);
  });
});
