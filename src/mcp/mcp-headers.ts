import type { IncomingHttpHeaders } from 'node:http';
import { isModernVersion } from './era.js';

/** The headers that say something about the MCP message of a request; undefined where they are absent. */
export interface McpHeaders {
  readonly version: string | undefined;
  /** Mirrors `method` of the body. */
  readonly method: string | undefined;
  /** Mirrors the name of what the request is about, of a tool for example. May be encoded. */
  readonly name: string | undefined;
}

/** A header that came twice has both values in it, and so never equals what it should mirror. */
export function mcpHeadersOf(headers: IncomingHttpHeaders): McpHeaders {
  const of = (name: string): string | undefined => headers[name]?.toString();
  return {
    version: of('mcp-protocol-version')?.trim(),
    method: of('mcp-method'),
    name: of('mcp-name'),
  };
}

/** The id of an error about a body that shows none: null in JSON-RPC, but left out since MCP 2026-07-28. */
export function unreadableId(version: string | undefined): null | undefined {
  return isModernVersion(version) ? undefined : null;
}

const ENCODED = /^=\?base64\?(.*)\?=$/;

/** The text that a header value stands for; undefined where it claims to be encoded but is not (MCP, transports). */
export function decodeHeaderValue(value: string): string | undefined {
  const [, base64] = ENCODED.exec(value) ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips what is no base64; comparing refuses it, so that no two spellings reach the same tool.
  if (bytes.toString('base64') !== base64) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
