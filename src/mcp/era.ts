import { isJsonObject, type JsonObject } from './json-rpc.js';

/** MCP revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];

export const LATEST_LEGACY_VERSION: LegacyVersion = LEGACY_VERSIONS[0];

/** What a caller with another version is told to use. */
export const SERVED_VERSIONS: readonly string[] = LEGACY_VERSIONS;

const FIRST_MODERN_VERSION = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** An era that requests are served in: plain JSON-RPC, or MCP with the version that the header names. */
export type Era = { name: 'plain' } | { name: 'legacy'; version: LegacyVersion };

export type EraDecision =
  | Era
  /** MCP 2026-07-28 or later: recognized, so that it is never taken for plain JSON-RPC. */
  | { name: 'modern'; requested: string }
  | { name: 'modern-batch' }
  | { name: 'unsupported'; requested: string };

/**
 * Which of the three protocols a message speaks. `version` is the MCP-Protocol-Version header. The body decides first:
 * a request that claims a modern version in its `_meta` must never be served with the meaning it has in an older one.
 */
export function decideEra(message: object, version: string | undefined): EraDecision {
  const isModern = version !== undefined && isModernVersion(version);
  if (Array.isArray(message)) {
    return isModern || message.some(hasClaim) ? { name: 'modern-batch' } : withHeader(version);
  }
  if (isModern || hasClaim(message)) {
    return { name: 'modern', requested: claimedVersion(message) ?? version ?? '' };
  }
  // A client that starts anew may still send the version of an earlier connection; the body of initialize counts.
  if (version !== undefined && !isLegacyVersion(version) && isInitialize(message)) {
    return { name: 'legacy', version: LATEST_LEGACY_VERSION };
  }
  return withHeader(version);
}

export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(version);
}

function withHeader(version: string | undefined): EraDecision {
  if (version === undefined) return { name: 'plain' };
  return isLegacyVersion(version)
    ? { name: 'legacy', version }
    : { name: 'unsupported', requested: version };
}

function isModernVersion(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN_VERSION;
}

function isInitialize(message: object): boolean {
  return (message as JsonObject).method === 'initialize';
}

function hasClaim(member: unknown): boolean {
  return metaOf(member) !== undefined;
}

function claimedVersion(member: unknown): string | undefined {
  const claim = metaOf(member)?.[VERSION_KEY];
  return typeof claim === 'string' ? claim : undefined;
}

/** The `_meta` of a member, if it claims a protocol version. */
function metaOf(member: unknown): JsonObject | undefined {
  const params = isJsonObject(member) ? member.params : undefined;
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && Object.hasOwn(meta, VERSION_KEY) ? meta : undefined;
}
