import type { IncomingHttpHeaders } from 'node:http';
import { isModernVersion } from './era.js';

export interface McpHeaders {
  readonly version: string | undefined;
  /** The header Mcp-Method. It must equal `method` of the body. */
  readonly method: string | undefined;
  /**
   * The header Mcp-Name. It must equal the name in the body, for example the name of a tool. The header may be encoded.
   */
  readonly name: string | undefined;
}

/** Reads the headers. The value of a repeated header contains both values, so it never equals a value of the body. */
export function mcpHeadersOf(headers: IncomingHttpHeaders): McpHeaders {
  const of = (name: string): string | undefined => headers[name]?.toString();
  return {
    version: of('mcp-protocol-version')?.trim(),
    method: of('mcp-method'),
    name: of('mcp-name'),
  };
}

/** Returns the id of an error for an unreadable body: null in JSON-RPC, and undefined since MCP 2026-07-28. */
export function unreadableId(version: string | undefined): null | undefined {
  return isModernVersion(version) ? undefined : null;
}

const ENCODED = /^=\?base64\?(.*)\?=$/;

/** Decodes a header value (MCP, transports). Returns undefined for an invalid encoding. */
export function decodeHeaderValue(value: string): string | undefined {
  const [, base64] = ENCODED.exec(value) ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips characters that are not base64. Without this check, several texts would name the same tool.
  if (bytes.toString('base64') !== base64) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
