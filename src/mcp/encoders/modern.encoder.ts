import type { InputRequests, InputRequired } from '../../tools/contract/input-request.js';
import { LATEST_LEGACY_VERSION, MODERN_VERSIONS } from '../era.js';
import type { JsonObject } from '../json-rpc.js';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from '../server-info.js';
import { TASKS_CAPABILITY } from '../request-meta.js';
import { EraEncoder, LIST_MAX_AGE_MS } from './era-encoder.js';

/** The members at the end of every result: the type of the result, and the server. */
export const COMPLETE = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
};

/** The JSON text of the result of `server/discover`. */
export const DISCOVERY = JSON.stringify({
  supportedVersions: MODERN_VERSIONS,
  capabilities: {
    ...CAPABILITIES,
    // These capabilities are the topics of subscriptions/listen. Policies change the lists of resources and prompts
    // too, but send no notifications: clients may cache those lists for five minutes.
    tools: { listChanged: true },
    resources: { subscribe: true },
    ...TASKS_CAPABILITY,
  },
  instructions: INSTRUCTIONS,
  ...cacheable(LIST_MAX_AGE_MS),
  ...COMPLETE,
});

export function emptyResult(meta: JsonObject): string {
  return `{${completion(meta)}`;
}

export class ModernEncoder extends EraEncoder {
  constructor() {
    super(LATEST_LEGACY_VERSION);
  }

  override inputRequired({ requests, state }: InputRequired): string {
    return JSON.stringify({
      inputRequests: inputRequestsOf(requests),
      requestState: state,
      ...COMPLETE,
      resultType: 'input_required',
    });
  }

  override result(members: object, maxAgeMs?: number): string {
    const caching = maxAgeMs !== undefined && cacheable(maxAgeMs);
    return JSON.stringify({ ...members, ...caching, ...COMPLETE });
  }

  protected override end(meta: JsonObject | undefined): string {
    return `,${completion(meta)}`;
  }
}

export function inputRequestsOf(requests: InputRequests): object {
  const shown = Object.entries(requests).map(([name, { method, params }]) => [
    name,
    { method, params },
  ]);
  return Object.fromEntries(shown) as object;
}

/** Returns the members with which a client may cache a result. The result is valid for the API key of the caller only. */
function cacheable(ttlMs: number): object {
  return { ttlMs, cacheScope: 'private' };
}

const COMPLETION = JSON.stringify(COMPLETE).slice(1);

/** Encodes the members at the end of a result, with its closing brace. */
function completion(meta: JsonObject | undefined): string {
  if (!meta) return COMPLETION;
  return JSON.stringify({ ...COMPLETE, _meta: { ...meta, ...COMPLETE._meta } }).slice(1);
}
