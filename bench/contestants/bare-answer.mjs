// JSON-RPC by hand, as somebody would write it who needs nothing but these two methods.
import { ECHO, echo, readTools } from './serve.mjs';

const tools = readTools();

/** The response to one request, as an object. */
export function answer({ jsonrpc, id, method, params }) {
  if (jsonrpc !== '2.0') return failure(id ?? null, -32600, 'Invalid Request');
  switch (method) {
    case 'tools/list':
      return { jsonrpc, id, result: { tools } };
    case 'tools/call': {
      if (params?.name !== ECHO) return failure(id, -32602, 'Unknown tool');
      const text = params.arguments?.text;
      if (typeof text !== 'string' || text.length > 1000) {
        return failure(id, -32602, 'text must be a string');
      }
      return { jsonrpc, id, result: echo(text) };
    }
    default:
      return failure(id, -32601, 'Method not found');
  }
}

/** The answer to a body: one response, or one per member of a batch. */
export function answerBody(body) {
  return Array.isArray(body) ? body.map(answer) : answer(body);
}

function failure(id, code, message) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
