import { expect } from 'vitest';
import type { TestOrganization } from '../../support/organization.js';
import { answerOf } from './answer.js';
import { MODERN, modernHeaders, modernRequest } from './modern.js';

export interface RpcError {
  code: number;
  message: string;
  data?: Record<string, unknown>;
}

/** The revisions of MCP, and plain JSON-RPC. */
export const PROTOCOLS = [
  'plain',
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  MODERN,
] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Checks that the status is 200, and returns the JSON-RPC response. */
export async function ask<Result>(
  organization: TestOrganization,
  method: string,
  params: object = {},
  protocol: Protocol = MODERN,
): Promise<{ result?: Result; error?: RpcError }> {
  const message = { jsonrpc: '2.0', id: 1, method, params };
  const { status, body } = await answerOf(
    protocol === MODERN
      ? organization.rpc(
          modernRequest(method, params),
          encoded(modernHeaders(modernRequest(method, params))),
        )
      : organization.rpc(message, protocol === 'plain' ? {} : { 'MCP-Protocol-Version': protocol }),
  );
  expect(status).toBe(200);
  return body as { result?: Result; error?: RpcError };
}

/** Returns the result. Throws if the response is an error. */
export async function resultOf<Result>(
  organization: TestOrganization,
  method: string,
  params: object = {},
  protocol: Protocol = MODERN,
): Promise<Result> {
  const { result, error } = await ask<Result>(organization, method, params, protocol);
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result!;
}

/** Encodes names and URIs that HTTP headers cannot carry. */
function encoded(headers: Record<string, string>): Record<string, string> {
  const name = headers['Mcp-Name'];
  if (name === undefined || /^[!-~]*$/.test(name)) return headers;
  return { ...headers, 'Mcp-Name': `=?base64?${Buffer.from(name).toString('base64')}?=` };
}
