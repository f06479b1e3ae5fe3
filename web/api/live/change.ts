import { type Read, list, optional, record, text } from '../reader.ts';

/**
 * The kind and the id of a changed resource, for example of a run or a message (docs/endpoints.md). Lists such as the
 * list of tools have no id.
 */
const change = record({ kind: text, id: optional(text) });
export type Change = Read<typeof change>;

/** Reads the data of an event `changes` of the service. */
export const readChanges = record({ changes: list(change) });

/** The tab with the connection sends these messages to the other tabs of the browser. */
export type LiveEvent =
  | { type: 'changes'; changes: readonly Change[] }
  /** The connection is open. Earlier changes may be lost, so a tab reads all its data again. */
  | { type: 'gap' }
  /** The connection is down, and the first attempt to renew it failed. */
  | { type: 'lost' }
  /** The service no longer knows the session. */
  | { type: 'ended' }
  /** A person has signed in again in one of the tabs. */
  | { type: 'renewed' };

const readEvent = record({ type: text, changes: optional(list(change)) });

/** Reads a message of another tab. Returns undefined for an event that this build does not know. */
export function readLiveEvent(value: unknown): LiveEvent | undefined {
  try {
    const { type, changes = [] } = readEvent(value, '');
    switch (type) {
      case 'changes':
        return { type, changes };
      case 'gap':
      case 'lost':
      case 'ended':
      case 'renewed':
        return { type };
      default:
        return undefined;
    }
  } catch {
    // A tab with another build of the page may be open.
    return undefined;
  }
}
