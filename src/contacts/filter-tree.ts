import type { FilterNode, FilterValue } from './filter-fields.js';

/**
 * The keys by which the index finds contacts. If `matchAll` is true, a contact must have all keys. Otherwise it must
 * have at least one key.
 */
export interface IndexKeys {
  tags: string[];
  /** Each entry is the key of contacts whose property has this value. */
  values: [name: string, value: FilterValue][];
  /** Each name is the key of contacts whose property has any value. */
  names: string[];
  matchAll: boolean;
}

type Key = { tag: string } | { name: string; value?: FilterValue };

/**
 * Returns keys of the index that every matching contact has, or undefined when the conditions require no key. A key is
 * a tag, a property with its value, or only the name of a property. Keys with a value are preferred, because fewer
 * contacts have them.
 */
export function indexKeys(nodes: readonly FilterNode[]): IndexKeys | undefined {
  const required = nodes.flatMap(requiredBy);
  const single = required.flatMap((keys) => (keys.length === 1 ? keys : []));
  const exact = single.filter((key) => 'tag' in key || key.value !== undefined);
  const several = required.find((keys) => keys.length > 1);
  if (exact.length > 0) return toIndexKeys(exact, true);
  if (several) return toIndexKeys(several, false);
  return single.length > 0 ? toIndexKeys(single, true) : undefined;
}

/** Returns lists of keys. A matching contact has at least one key of each list. */
function requiredBy(node: FilterNode): Key[][] {
  if ('and' in node) return node.and.flatMap(requiredBy);
  if ('not' in node) return [];
  if ('or' in node) {
    const lists = node.or.map((child) => requiredBy(child)[0]);
    return lists.every((list) => list !== undefined) ? [lists.flat()] : [];
  }
  const { kind, name, operator, values } = node;
  if (operator === 'not_equals' || operator === 'not_contains' || operator === 'is_not_set')
    return [];
  if (kind === 'tags') {
    return operator === 'is_set' ? [] : [values.map((value) => ({ tag: String(value) }))];
  }
  if (kind !== 'property') return [];
  const isExact = operator === 'equals' || operator === 'in';
  return [isExact ? values.map((value) => ({ name, value })) : [{ name }]];
}

/** Returns a static segment that every matching contact is in, or undefined when the conditions require none. */
export function requiredSegment(nodes: readonly FilterNode[]): string | undefined {
  for (const node of nodes) {
    const found =
      'and' in node
        ? requiredSegment(node.and)
        : 'kind' in node && node.kind === 'segment' && node.operator === 'is'
          ? String(node.values[0])
          : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function toIndexKeys(keys: readonly Key[], matchAll: boolean): IndexKeys {
  const found: IndexKeys = { tags: [], values: [], names: [], matchAll };
  for (const key of keys) {
    if ('tag' in key) found.tags.push(key.tag);
    else if (key.value === undefined) found.names.push(key.name);
    else found.values.push([key.name, key.value]);
  }
  return found;
}
