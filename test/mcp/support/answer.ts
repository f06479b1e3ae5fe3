import { expect } from 'vitest';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body. It is undefined if the body is empty. */
  body: unknown;
}

/** Returns the response of the endpoint after the checks that every response must pass. */
export async function answerOf(pending: Promise<Response>): Promise<Answer> {
  const response = await pending;
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('etag')).toBeNull();
  expect(response.headers.get('mcp-session-id')).toBeNull();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, body };
}

/** Matches a body with this error and any message. */
export function errorOf(code: number, id: string | number | null): object {
  return { jsonrpc: '2.0', id, error: { code, message: expect.any(String) as string } };
}

/** Parses the text of a tools/call result. */
export function textOf(body: unknown): unknown {
  const { result } = body as { result: { content: [{ type: string; text: string }] } };
  expect(result.content).toEqual([{ type: 'text', text: expect.any(String) as string }]);
  return JSON.parse(result.content[0].text);
}
