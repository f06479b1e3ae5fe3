import { JsonRpcError } from '../json-rpc-error.js';
import { isJsonObject } from '../json-rpc.js';

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 2000;

/** The topics that a client subscribes to (MCP, schema: `SubscriptionFilter`), as far as this server has them. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: true;
  readonly resourceSubscriptions: readonly string[];
  /** Part of the Tasks extension. */
  readonly taskIds: readonly string[];
}

/** Parses `params.notifications` and ignores unknown members. Throws `JsonRpcError` for an invalid filter. */
export function parseSubscriptionFilter(given: unknown): SubscriptionFilter {
  if (!isJsonObject(given)) throw JsonRpcError.invalidParams('notifications must be an object.');
  const { toolsListChanged = false } = given;
  if (typeof toolsListChanged !== 'boolean') {
    throw JsonRpcError.invalidParams('toolsListChanged must be a boolean.');
  }
  return {
    ...(toolsListChanged && { toolsListChanged }),
    resourceSubscriptions: namesOf(given, 'resourceSubscriptions'),
    taskIds: namesOf(given, 'taskIds'),
  };
}

/** Returns the texts of a list without duplicates, in order. */
function namesOf(given: Record<string, unknown>, member: string): string[] {
  const names = given[member] ?? [];
  if (!Array.isArray(names) || !names.every(isName)) {
    const rule = `a list of texts of at most ${MAX_NAME_LENGTH} characters`;
    throw JsonRpcError.invalidParams(`${member} must be ${rule}.`);
  }
  const different = [...new Set(names)];
  if (different.length > MAX_NAMES) {
    throw JsonRpcError.invalidParams(`${member} holds at most ${MAX_NAMES} names.`);
  }
  return different;
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_NAME_LENGTH;
}
