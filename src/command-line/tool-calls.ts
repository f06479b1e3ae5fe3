import { CommandError } from './command-error.js';
import type { RowError } from './rows.js';
import { readAnswer } from './refused-answer.js';
import type { ServiceClient } from './service-client.js';
import { safeLine } from './terminal.js';

const ENDPOINT = '/api/mcp';

export interface ToolCall {
  /** The id of the call. Its answer has the same id. */
  readonly id: number;
  readonly tool: string;
  /** The JSON text of the arguments. */
  readonly json: string;
  /** The idempotency key. The service makes no second call of the tool with the same key and arguments. */
  readonly idempotencyKey: string;
  readonly isDryRun: boolean;
}

/** The JSON text of the result, or the error of the tool or of JSON-RPC. */
export type Outcome = { readonly json: string } | { readonly error: RowError };

interface Reply {
  id?: unknown;
  result?: { content?: [{ text?: unknown }]; isError?: boolean };
  error?: { code: number; message: string };
}

/**
 * Makes the calls in one request and returns their outcomes by id. Throws a `RefusedAnswer` when the service refused
 * the whole request, and a `ConnectionFault` when no answer came.
 */
export async function sendCalls(
  client: ServiceClient,
  calls: readonly ToolCall[],
): Promise<Map<number, Outcome>> {
  const body = `[${calls.map(encode).join(',')}]`;
  const answer = await client.send({ path: ENDPOINT, body });
  const replies = readAnswer(answer, client.address) as Reply[];
  if (!Array.isArray(replies))
    throw new CommandError('The service answered a batch with no list. Run switchboard doctor.');
  const outcomes = new Map(replies.map((reply) => [Number(reply.id), outcomeOf(reply)]));
  const missing = calls.find(({ id }) => !outcomes.has(id));
  if (missing)
    throw new CommandError(
      `The service did not answer the call ${missing.id}. Run switchboard doctor.`,
    );
  return outcomes;
}

function encode({ id, tool, json, idempotencyKey, isDryRun }: ToolCall): string {
  const meta = {
    'switchboard/idempotencyKey': idempotencyKey,
    ...(isDryRun && { 'switchboard/dryRun': true }),
  };
  // The arguments are inserted as text, because JSON.parse would round large numbers.
  const params = `{"name":${JSON.stringify(tool)},"arguments":${json},"_meta":${JSON.stringify(meta)}}`;
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;
}

function outcomeOf({ result, error }: Reply): Outcome {
  if (error) return { error: { code: error.code, message: safeLine(error.message) } };
  const { text } = result?.content?.[0] ?? {};
  const json = typeof text === 'string' ? text : JSON.stringify(result ?? {});
  if (!result?.isError) return { json };
  try {
    const failure = (JSON.parse(json) as { error: RowError }).error;
    return { error: { ...failure, message: safeLine(failure.message) } };
  } catch {
    return { error: { code: 'internal', message: safeLine(json) } };
  }
}

/** Sends one JSON-RPC request and returns its result. Uses a revision of MCP whose lists contain titles. */
export async function callMethod<Result>(
  client: ServiceClient,
  method: string,
  params: object = {},
): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'MCP-Protocol-Version': '2025-11-25' };
  const answer = await client.send({ path: ENDPOINT, body, headers });
  const reply = readAnswer(answer, client.address) as { result?: Result; error?: RowError };
  if (reply.result === undefined) {
    const text = 'The answer has no result. Run switchboard doctor.';
    throw new CommandError(safeLine(reply.error?.message ?? text));
  }
  return reply.result;
}
