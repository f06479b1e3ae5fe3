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
  it('returns no effects when no rows were changed', () => {
    expect(parseEffects('', false)).toEqual({ effects: [] });
  });

  it.each<[string, Effect[], Effect[]]>([
    ['created and changed', [touch('create'), touch('update', 'email')], [touch('create')]],
    ['created and deleted', [touch('create'), touch('update', 'email'), touch('delete')], []],
    [
      'changed twice',
      [touch('update', 'email', 'updated_at'), touch('update', 'phone', 'updated_at')],
      [touch('update', 'email', 'updated_at', 'phone')],
    ],
    ['changed and deleted', [touch('update', 'email'), touch('delete')], [touch('delete')]],
    [
      'deleted and created again',
      [touch('delete'), touch('create'), touch('update', 'email')],
      [{ action: 'update', table: 'contacts', id: 'con_1' }],
    ],
  ])('returns the net effect on a row that was %s', (_, noted, net) => {
    expect(parseEffects(text(...noted), false).effects).toEqual(net);
  });

  it('distinguishes rows that share a table or an id, in the order of their first change', () => {
    const effects: Effect[] = [
      { action: 'create', table: 'workflow_versions', id: 'wf/1' },
      { action: 'create', table: 'workflow_versions wf', id: '1' },
      { action: 'create', table: 'workflows', id: 'wf\n1' },
    ];
    expect(parseEffects(text(...effects, effects[0]!), false).effects).toEqual(effects);
  });

  it('returns at most 1000 effects, and sets truncated when there were more', () => {
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

  it('returns at most one effect for each row', () => {
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
