import { JsonRpcError } from '../json-rpc-error.js';
import { isJsonObject } from '../json-rpc.js';

const MOST_NAMES = 100;
const LONGEST_NAME = 2000;

/** What a client asks to be told of (MCP, schema: `SubscriptionFilter`), as far as there is such a thing here. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: true;
  readonly resourceSubscriptions: readonly string[];
  /** Of the Tasks extension. */
  readonly taskIds: readonly string[];
}

/** Reads `params.notifications`; throws `JsonRpcError` for what is none. Members that nobody knows are passed over. */
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

/** The different texts of a list, in order. */
function namesOf(given: Record<string, unknown>, member: string): string[] {
  const names = given[member] ?? [];
  if (!Array.isArray(names) || !names.every(isName)) {
    const rule = `a list of texts of at most ${LONGEST_NAME} characters`;
    throw JsonRpcError.invalidParams(`${member} must be ${rule}.`);
  }
  const different = [...new Set(names)];
  if (different.length > MOST_NAMES) {
    throw JsonRpcError.invalidParams(`${member} holds at most ${MOST_NAMES} names.`);
  }
  return different;
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= LONGEST_NAME;
}
