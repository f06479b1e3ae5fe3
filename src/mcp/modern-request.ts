import { isJsonObject } from '../text/is-json-object.js';
import { MODERN_VERSIONS, VERSION_KEY } from './era.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type Member, own, parseMember } from './json-rpc.js';
import { decodeHeaderValue, type McpHeaders } from './mcp-headers.js';

export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** The parameter that the Mcp-Name header must equal, for each method with a name. */
const NAME_PARAMETERS = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  // The Tasks extension defines these methods.
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/**
 * A request, a notification or an invalid member. In this revision the server sends no requests, so no response can
 * arrive.
 */
export type ModernMember = Exclude<Member, { kind: 'response' }>;
type Request = ModernMember & { kind: 'request' };

/**
 * Parses a member by the rules of MCP 2026-07-28. A response is `invalid`, and so is a request whose id is neither a
 * string nor an integer.
 */
export function parseModernMember(message: unknown): ModernMember {
  const member = parseMember(message);
  switch (member.kind) {
    case 'response':
      return {
        kind: 'invalid',
        id: null,
        reason: 'a response is not allowed in this MCP version.',
      };
    case 'request':
      return isModernId(member.id)
        ? member
        : { kind: 'invalid', id: null, reason: 'id must be a string or an integer.' };
    case 'invalid':
      return isModernId(member.id) ? member : { ...member, id: null };
    case 'notification':
      return member;
  }
}

/** Throws the first fault of a request, in the order that clients rely on: `_meta`, version, other headers. */
export function assertModernRequest({ method, params }: Request, headers: McpHeaders): void {
  const claimed = claimedVersion(params);
  if (headers.version !== undefined && headers.version !== claimed) {
    throw JsonRpcError.headerMismatch('MCP-Protocol-Version and _meta name different versions.');
  }
  if (!MODERN_VERSIONS.includes(claimed)) {
    throw JsonRpcError.unsupportedVersion(claimed, MODERN_VERSIONS);
  }
  if (headers.version === undefined) {
    throw JsonRpcError.headerMismatch('MCP-Protocol-Version is missing.');
  }
  if (headers.method === undefined) throw JsonRpcError.headerMismatch('Mcp-Method is missing.');
  if (headers.method !== method) {
    throw JsonRpcError.headerMismatch('Mcp-Method is not the method of the body.');
  }
  const parameter = NAME_PARAMETERS.get(method);
  if (parameter) assertName(parameter, params, headers.name);
}

function claimedVersion(params: Request['params']): string {
  const meta = isJsonObject(params) ? params._meta : undefined;
  if (!isJsonObject(meta)) throw JsonRpcError.invalidParams('_meta must be an object.');
  const version = own(meta, VERSION_KEY);
  if (typeof version !== 'string') {
    throw JsonRpcError.invalidParams(`_meta["${VERSION_KEY}"] must be a string.`);
  }
  if (!isJsonObject(own(meta, CAPABILITIES_KEY))) {
    throw JsonRpcError.invalidParams(`_meta["${CAPABILITIES_KEY}"] must be an object.`);
  }
  return version;
}

function assertName(parameter: string, params: Request['params'], header: string | undefined) {
  const named = isJsonObject(params) ? own(params, parameter) : undefined;
  if (header === undefined) {
    // The handler reports a body without a name as a fault of the parameters.
    if (typeof named !== 'string') return;
    throw JsonRpcError.headerMismatch('Mcp-Name is missing.');
  }
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) throw JsonRpcError.headerMismatch('Mcp-Name is not valid base64.');
  if (decoded !== named) {
    throw JsonRpcError.headerMismatch(`Mcp-Name is not params.${parameter} of the body.`);
  }
}

function isModernId(id: string | number | null): boolean {
  return typeof id === 'string' || Number.isInteger(id);
}
