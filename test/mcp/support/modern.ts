import type { TestOrganization } from '../../support/organization.js';
import { type Answer, answerOf } from './answer.js';

export const MODERN = '2026-07-28';
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

export const metaOf = (version: unknown = MODERN) => ({
  [VERSION_KEY]: version,
  [CAPABILITIES_KEY]: {},
});

/** A request of the modern revision with all that it must have. */
export function modernRequest(method: string, params: object = {}, id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: metaOf() } };
}

/** The headers that mirror a message; what `changed` sets to undefined is left out. */
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
