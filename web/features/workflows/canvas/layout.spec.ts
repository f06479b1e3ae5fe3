import { describe, expect, it } from 'vitest';
import { NODE, layoutOf } from './layout.ts';

describe(layoutOf, () => {
  const { nodes, links } = layoutOf([
    { id: 'a', tool: 'x' },
    { id: 'b', if: 'c', then: [{ id: 'd', tool: 'x' }], else: [{ id: 'e', tool: 'x' }] },
    { id: 'f', tool: 'x' },
  ]);

  it('places every step once, without overlaps', () => {
    expect(nodes.map(({ step }) => step.id)).toEqual(['a', 'b', 'd', 'e', 'f']);
    for (const one of nodes) {
      for (const other of nodes) {
        const isApart =
          one === other ||
          Math.abs(one.x - other.x) >= NODE.width ||
          Math.abs(one.y - other.y) >= NODE.height;
        expect(isApart, `${one.path} ${other.path}`).toBe(true);
      }
    }
  });

  it('links a step with the next step, and with the lists inside the step', () => {
    expect(links).toContainEqual({ from: 'steps[0]', to: 'steps[1]' });
    expect(links).toContainEqual({ from: 'steps[1]', to: 'steps[1].then[0]', list: 'then' });
    expect(links).toContainEqual({ from: 'steps[1].else[0]', to: 'steps[2]' });
    expect(links).not.toContainEqual({ from: 'steps[1]', to: 'steps[2]' });
  });

  it('links a branch without `else` directly to the next step', () => {
    const branch = { id: 'b', if: 'c', then: [{ id: 'd', tool: 'x' }] };
    const passing = layoutOf([branch, { id: 'f', tool: 'x' }]).links;
    expect(passing).toContainEqual({ from: 'steps[0]', to: 'steps[1]' });
  });

  it('draws an empty list, so that a step can be dropped into it', () => {
    const branch = { id: 'b', if: 'c', then: [{ id: 'd', tool: 'x' }], else: [] };
    const { empty, links, slots } = layoutOf([branch, { id: 'f', tool: 'x' }]);
    expect(empty.map(({ path }) => path)).toEqual(['steps[0].else', 'on_failure']);
    expect(links).toContainEqual({ from: 'steps[0]', to: 'steps[0].else', list: 'else' });
    expect(links).toContainEqual({ from: 'steps[0].else', to: 'steps[1]' });
    expect(slots).toContainEqual(expect.objectContaining({ list: 'steps[0].else', index: 0 }));
  });

  it('places the steps of on_failure beside all other steps, below a box, and draws this box even when on_failure has no steps', () => {
    const later = layoutOf([{ id: 'a', tool: 'x' }], [{ id: 'f', tool: 'x' }]);
    const [step, failing] = later.nodes;
    expect(failing?.x).toBeGreaterThanOrEqual((step?.x ?? 0) + NODE.width);
    expect(later.empty.map(({ path }) => path)).toEqual(['on_failure']);
    expect(later.links).toEqual([{ from: 'on_failure', to: 'on_failure[0]' }]);
    const without = layoutOf([{ id: 'a', tool: 'x' }]);
    expect(without.empty.map(({ path }) => path)).toEqual(['on_failure']);
    expect(without.slots).toContainEqual(expect.objectContaining({ list: 'on_failure', index: 0 }));
  });

  it('has places before, between and after the steps of each list, without overlaps', () => {
    const inner = { id: 'e', for_each: 'x', steps: [{ id: 'i', tool: 'x' }] };
    const { slots } = layoutOf([{ id: 'o', for_each: 'x', steps: [inner] }]);
    expect(slots).toHaveLength(7);
    for (const one of slots) {
      for (const other of slots) {
        const distance = Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
        expect(one === other || distance >= 16, JSON.stringify([one, other])).toBe(true);
      }
    }
  });
});
