import type { TestOrganization } from '../../support/organization.js';
import { type Answer, answerOf } from './answer.js';

export const MODERN = '2026-07-28';
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

export const metaOf = (version: unknown = MODERN) => ({
  [VERSION_KEY]: version,
  [CAPABILITIES_KEY]: {},
});

/** Makes a valid request of the modern revision. */
export function modernRequest(method: string, params: object = {}, id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: metaOf() } };
}

/** Returns the headers for a message. Headers that `changed` sets to undefined are left out. */
export function modernHeaders(
  message: unknown,
  changed: Record<string, string | undefined> = {},
): Record<string, string> {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; uri?: unknown; taskId?: unknown };
  };
  const name = params?.name ?? params?.uri ?? params?.taskId;
  const all = {
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': typeof method === 'string' ? method : undefined,
    'Mcp-Name': typeof name === 'string' ? name : undefined,
    ...changed,
  };
  const present = Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]);
  return Object.fromEntries(present);
}

export function postModern(
  organization: TestOrganization,
  message: unknown,
  changed: Record<string, string | undefined> = {},
): Promise<Answer> {
  return answerOf(organization.rpc(message, modernHeaders(message, changed)));
}
