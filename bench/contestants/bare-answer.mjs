// Implements only the two JSON-RPC methods that the contests need.
import { filterContacts, searchContacts } from './search.mjs';
import { ECHO, echo, readTools, resultOf, SEARCH } from './serve.mjs';

const tools = readTools();

/** Returns the response to one request, or a promise of the response. */
export function answer({ jsonrpc, id, method, params }) {
  if (jsonrpc !== '2.0') return failure(id ?? null, -32600, 'Invalid Request');
  switch (method) {
    case 'tools/list':
      return { jsonrpc, id, result: { tools } };
    case 'tools/call':
      if (params?.name === ECHO) return callEcho(id, params.arguments);
      if (params?.name === SEARCH) return callSearch(id, params.arguments);
      return failure(id, -32602, 'Unknown tool');
    default:
      return failure(id, -32601, 'Method not found');
  }
}

/** Returns the response to a body, or a promise of the response. A batch has a list of responses. */
export function answerBody(body) {
  return Array.isArray(body)
    ? Promise.all(body.map(async (member) => answer(member)))
    : answer(body);
}

function callEcho(id, given) {
  const text = given?.text;
  if (typeof text !== 'string' || text.length > 1000) {
    return failure(id, -32602, 'text must be a string');
  }
  return { jsonrpc: '2.0', id, result: echo(text) };
}

async function callSearch(id, given) {
  if (Array.isArray(given?.filters)) {
    return { jsonrpc: '2.0', id, result: resultOf(await filterContacts(given.filters)) };
  }
  const query = given?.query;
  if (typeof query !== 'string' || query.length > 255) {
    return failure(id, -32602, 'query must be a string');
  }
  return { jsonrpc: '2.0', id, result: resultOf(await searchContacts({ query })) };
}

function failure(id, code, message) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
