import type { JsonRpcId, JsonText } from './json-rpc.js';

/** The codes from here on are defined in JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/**
 * The code for a required header that is missing or malformed, or differs from the body (MCP 2026-07-28, transports).
 */
const HEADER_MISMATCH = -32_020;

/**
 * The error code when the response needs a capability that the client has not declared (MCP 2026-07-28, basic/index).
 */
export const MISSING_CLIENT_CAPABILITY = -32_021;

/** The code for a request with a version that this server does not support (MCP 2026-07-28, basic/index). */
const UNSUPPORTED_PROTOCOL_VERSION = -32_022;

/** The codes from here on are our own. They are outside of -32768 to -32000, the range of JSON-RPC and MCP. */
export const UNAUTHENTICATED = 1401;
export const FORBIDDEN = 1403;
export const METHOD_NOT_ALLOWED = 1405;
export const CONFLICT = 1409;
export const RATE_LIMITED = 1429;
export const UNAVAILABLE = 1503;

export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }

  static invalidRequest(reason: string): JsonRpcError {
    return new JsonRpcError(INVALID_REQUEST, `Invalid Request: ${reason}`);
  }

  static invalidParams(reason: string): JsonRpcError {
    return new JsonRpcError(INVALID_PARAMS, `Invalid params: ${reason}`);
  }

  static headerMismatch(reason: string): JsonRpcError {
    return new JsonRpcError(HEADER_MISMATCH, `Header mismatch: ${reason}`);
  }

  static unsupportedVersion(requested: string, supported: readonly string[]): JsonRpcError {
    return new JsonRpcError(UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', {
      supported,
      requested,
    });
  }

  static missingCapability(required: Readonly<Record<string, object>>): JsonRpcError {
    const { extensions = {}, ...others } = required;
    const names = [...Object.keys(others), ...Object.keys(extensions)].join(', ');
    return new JsonRpcError(
      MISSING_CLIENT_CAPABILITY,
      `This request needs a client that declares: ${names}`,
      { requiredCapabilities: required },
    );
  }

  /** Returns the error for a bug. The log has the details under `errorId`. */
  static internal(errorId: string, message = 'Internal error'): JsonRpcError {
    return new JsonRpcError(INTERNAL_ERROR, message, { error_id: errorId });
  }
}

/**
 * Encodes an error response. If `id` is undefined, the response has no member `id`, as MCP requires for an unreadable
 * id.
 */
export function encodeError(id: JsonRpcId | null | undefined, error: JsonRpcError): string {
  const { code, message, data } = error;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

export function encodeResult(id: JsonRpcId, result: JsonText): JsonText {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  return typeof result === 'string'
    ? `${head}${result}}`
    : Buffer.concat([Buffer.from(head), result, CLOSING_BRACE]);
}

const CLOSING_BRACE = Buffer.from('}');
