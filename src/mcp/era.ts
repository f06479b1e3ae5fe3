import { isJsonObject } from '../text/is-json-object.js';
import { type JsonObject, metaOf } from './json-rpc.js';

/** The MCP revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];

export const LATEST_LEGACY_VERSION: LegacyVersion = LEGACY_VERSIONS[0];

/** The MCP revisions in which each request names its version in `_meta`. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/**
 * The versions that an error about an unsupported version lists. Modern callers get {@link MODERN_VERSIONS}, because
 * they cannot send `initialize`.
 */
export const SERVED_VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

const FIRST_MODERN_VERSION = '2026-07-28';

/** The member of `_meta` that makes a request modern and names its version. */
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/**
 * The era of a request: plain JSON-RPC, MCP before 2026-07-28 with the version of the header, or MCP from 2026-07-28
 * on.
 */
export type Era =
  { name: 'plain' } | { name: 'legacy'; version: LegacyVersion } | { name: 'modern' };

export type EraDecision =
  Era | { name: 'modern-batch' } | { name: 'unsupported'; requested: string };

/** Decides the era by the body, then by the header `version`. So a modern request is never read as an older one. */
export function decideEra(message: object, version: string | undefined): EraDecision {
  const isModern = isModernVersion(version);
  if (Array.isArray(message)) {
    return isModern || message.some(namesVersion) ? { name: 'modern-batch' } : withHeader(version);
  }
  // The header alone makes a request modern: without the required _meta, it must get an error, and not be handled in an
  // older era.
  if (isModern || namesVersion(message)) return { name: 'modern' };
  // A client that reconnects may still send the version of its earlier session, so the body of initialize counts.
  if (version !== undefined && !isLegacyVersion(version) && isInitialize(message)) {
    return { name: 'legacy', version: LATEST_LEGACY_VERSION };
  }
  return withHeader(version);
}

export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(version);
}

/** Returns true for 2026-07-28 and every later date, supported or not. */
export function isModernVersion(version: string | undefined): boolean {
  return (
    version !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN_VERSION
  );
}

function withHeader(version: string | undefined): EraDecision {
  if (version === undefined) return { name: 'plain' };
  return isLegacyVersion(version)
    ? { name: 'legacy', version }
    : { name: 'unsupported', requested: version };
}

function isInitialize(message: object): boolean {
  return (message as JsonObject).method === 'initialize';
}

/** Returns true if the `_meta` of a member names any protocol version. */
function namesVersion(member: unknown): boolean {
  return isJsonObject(member) && Object.hasOwn(metaOf(member.params), VERSION_KEY);
}
