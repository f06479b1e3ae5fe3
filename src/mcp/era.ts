import { isJsonObject, type JsonObject, metaOf } from './json-rpc.js';

/** MCP revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];

export const LATEST_LEGACY_VERSION: LegacyVersion = LEGACY_VERSIONS[0];

/** MCP revisions whose every request says in its `_meta` what it speaks. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/**
 * What a caller with another version is told to use. A modern caller is told of modern versions only: it cannot begin
 * with `initialize`, which is how the older ones are reached.
 */
export const SERVED_VERSIONS = {
  legacy: [...MODERN_VERSIONS, ...LEGACY_VERSIONS],
  modern: MODERN_VERSIONS,
} as const satisfies Record<string, readonly string[]>;

const FIRST_MODERN_VERSION = '2026-07-28';

/** Member of `_meta` that makes a request a modern one, and names its version. */
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** An era that requests are served in: plain JSON-RPC, or MCP, before 2026-07-28 with the version of the header. */
export type Era =
  { name: 'plain' } | { name: 'legacy'; version: LegacyVersion } | { name: 'modern' };

export type EraDecision =
  Era | { name: 'modern-batch' } | { name: 'unsupported'; requested: string };

/**
 * Which of the three protocols a message speaks. `version` is the MCP-Protocol-Version header. The body decides first:
 * a request that claims a modern version in its `_meta` must never be served with the meaning it has in an older one.
 */
export function decideEra(message: object, version: string | undefined): EraDecision {
  const isModern = isModernVersion(version);
  if (Array.isArray(message)) {
    return isModern || message.some(hasClaim) ? { name: 'modern-batch' } : withHeader(version);
  }
  // The header alone is enough: what lacks its _meta must be told so, and not be served as something else.
  if (isModern || hasClaim(message)) return { name: 'modern' };
  // A client that starts anew may still send the version of an earlier connection; the body of initialize counts.
  if (version !== undefined && !isLegacyVersion(version) && isInitialize(message)) {
    return { name: 'legacy', version: LATEST_LEGACY_VERSION };
  }
  return withHeader(version);
}

export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(version);
}

/** True of 2026-07-28 and of every date after it, served or not: later revisions keep its ways. */
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

/** True if the `_meta` of a member names a protocol version, whichever. */
function hasClaim(member: unknown): boolean {
  return isJsonObject(member) && Object.hasOwn(metaOf(member.params), VERSION_KEY);
}
