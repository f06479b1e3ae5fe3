import type { Fault } from '../../errors/app-error.js';
import { isJsonObject } from '../../text/is-json-object.js';

type Fields = Record<string, unknown>;

/**
 * Returns the fields of a contact without those that have a fault, and the faults of the fields that were left out. In
 * a list or an object such as `properties`, only the member with the fault is left out. Returns undefined when no fault
 * belongs to a field. Each call leaves out at least one member, so repeated calls come to an end.
 */
export function withoutFaults(
  given: Fields,
  faults: readonly Fault[],
): { fields: Fields; dropped: Fault[] } | undefined {
  // Copy the lists and objects once, and not for each fault: a response can have 50,000 members of `properties`.
  const fields = copyOf(given);
  // Leave out the fault of a list whose items have faults, because the fault of the list repeats those of the items.
  const exact = faults.filter(
    ({ path }) => !faults.some((other) => other.path.startsWith(`${path}[`)),
  );
  // Remove items from the end of a list first, so that the positions of the other items stay the same.
  const ordered = [...exact].sort((a, b) => positionOf(b.path) - positionOf(a.path));
  const removed = new Set(ordered.filter(({ path }) => remove(fields, path)));
  const dropped = exact.filter((fault) => removed.has(fault));
  return dropped.length > 0 ? { fields, dropped } : undefined;
}

/** Copies the fields, with their lists and objects. */
function copyOf(given: Fields): Fields {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (Array.isArray(value)) return [name, [...(value as unknown[])]];
      return [name, isJsonObject(value) ? { ...value } : value];
    }),
  );
}

/** Removes the member at a path from copied fields. Returns false when the fields have no such member. */
function remove(fields: Fields, path: string): boolean {
  const name = /^[^.[]+/.exec(path)?.[0] ?? '';
  if (!Object.hasOwn(fields, name)) return false;
  const value = fields[name];
  const member = path.slice(name.length + 1);
  if (Array.isArray(value) && positionOf(path) < value.length && positionOf(path) >= 0) {
    value.splice(positionOf(path), 1);
  } else if (isJsonObject(value) && Object.hasOwn(value, member)) {
    delete value[member];
  } else {
    delete fields[name];
  }
  return true;
}

/** Returns the position of the list item that a path names, or -1 when the path names none. */
function positionOf(path: string): number {
  const position = /^[^.[]+\[(\d+)\]/.exec(path)?.[1];
  return position === undefined ? -1 : Number(position);
}
