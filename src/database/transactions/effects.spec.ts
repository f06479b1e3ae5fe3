import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Effect, parseEffects } from './effects.js';

const text = (...effects: Effect[]): string =>
  effects.map((effect) => `${JSON.stringify(effect)}\n`).join('');
const touch = (action: Effect['action'], ...changed: string[]): Effect => ({
  action,
  table: 'contacts',
  id: 'con_1',
  ...(action === 'update' && { changed }),
});

describe(parseEffects, () => {
  it('tells of nothing where nothing was noted', () => {
    expect(parseEffects('', false)).toEqual({ effects: [] });
  });

  it.each<[string, Effect[], Effect[]]>([
    ['made and changed', [touch('create'), touch('update', 'email')], [touch('create')]],
    ['made and gone', [touch('create'), touch('update', 'email'), touch('delete')], []],
    [
      'changed twice',
      [touch('update', 'email', 'updated_at'), touch('update', 'phone', 'updated_at')],
      [touch('update', 'email', 'updated_at', 'phone')],
    ],
    ['changed and gone', [touch('update', 'email'), touch('delete')], [touch('delete')]],
    [
      'gone and made again',
      [touch('delete'), touch('create'), touch('update', 'email')],
      [{ action: 'update', table: 'contacts', id: 'con_1' }],
    ],
  ])('tells of a row that was %s what it comes to', (_, noted, net) => {
    expect(parseEffects(text(...noted), false).effects).toEqual(net);
  });

  it('keeps rows apart that share a table or an id, in the order in which they were first touched', () => {
    const effects: Effect[] = [
      { action: 'create', table: 'workflow_versions', id: 'wf/1' },
      { action: 'create', table: 'workflow_versions wf', id: '1' },
      { action: 'create', table: 'workflows', id: 'wf\n1' },
    ];
    expect(parseEffects(text(...effects, effects[0]!), false).effects).toEqual(effects);
  });

  it('lists a thousand, and says when there were more', () => {
    const rows = (count: number) =>
      text(
        ...Array.from({ length: count }, (_, index): Effect => {
          return { action: 'create', table: 'contacts', id: `con_${index}` };
        }),
      );
    expect(parseEffects(rows(1000), false)).not.toHaveProperty('truncated');
    expect(parseEffects(rows(1001), false)).toMatchObject({ truncated: true });
    expect(parseEffects(rows(1001), false).effects).toHaveLength(1000);
    expect(parseEffects(rows(3), true)).toMatchObject({ truncated: true });
  });

  it('never tells of a row more than once', () => {
    const effect = fc.record({
      action: fc.constantFrom('create', 'update', 'delete'),
      table: fc.constantFrom('a', 'b'),
      id: fc.constantFrom('1', '2'),
    });
    const property = fc.property(fc.array(effect), (noted) => {
      const rows = parseEffects(text(...noted), false).effects.map(({ table, id }) => table + id);
      expect(new Set(rows).size).toBe(rows.length);
    });
    fc.assert(property);
  });
});
