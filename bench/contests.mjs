// Defines the requests to the contestants, and the checks of their responses.
import { isDeepStrictEqual } from 'node:util';
import { GROWTH, searchesAmong } from './contacts.mjs';
import { FILTERS } from './filtered-contacts.mjs';

const TEXT = 'Hello, world';
const BATCH = 20;

/** The headers and parameters of requests in each era. */
const ERAS = {
  plain: { headers: () => ({}), meta: undefined },
  '2025-11-25': { headers: () => ({ 'MCP-Protocol-Version': '2025-11-25' }), meta: undefined },
  '2026-07-28': {
    headers: ({ method, params }) => ({
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(params.name && { 'Mcp-Name': params.name }),
    }),
    meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    },
  },
};

const call = (text) => ({ method: 'tools/call', params: { name: 'echo', arguments: { text } } });
const search = (query) => searchWith({ query });
const searchWith = (given) => ({
  method: 'tools/call',
  params: { name: 'search_contacts', arguments: given },
});

/**
 * Lists the contests. `calls` is the number of calls in one request. `requests` are the messages of each request;
 * several requests take turns. `wrong` returns the fault of a parsed response, or undefined. `given` contains `tools`
 * and `contacts`, which depend on the size of the bench.
 */
export const CONTESTS = {
  list: {
    title: '`tools/list`',
    calls: 1,
    requests: () => [[{ method: 'tools/list', params: {} }]],
    wrong: ([response], { tools, era }) => {
      const given = response.result?.tools;
      if (!Array.isArray(given)) return 'there is no list of tools';
      const byName = new Map(given.map((tool) => [tool.name, tool]));
      if (byName.size !== tools.length)
        return `the response lists ${byName.size} tools, not ${tools.length}`;
      const differs = tools.find((tool) => !isSame(tool, byName.get(tool.name), era));
      return differs && `the tool ${differs.name} differs from that of Switchboard`;
    },
  },
  call: {
    title: '`tools/call` of a trivial tool',
    calls: 1,
    requests: () => [[call(TEXT)]],
    wrong: ([response]) => wrongEcho(response),
  },
  batch: {
    title: `a batch of ${BATCH} trivial calls`,
    calls: BATCH,
    requests: () => [Array.from({ length: BATCH }, () => call(TEXT))],
    wrong: (responses) =>
      responses.length === BATCH
        ? responses.map(wrongEcho).find(Boolean)
        : `the batch has ${responses.length} responses, not ${BATCH}`,
  },
  search: {
    title: '`tools/call` of `search_contacts`',
    calls: 1,
    requests: ({ contacts }) => searchesAmong(contacts).map(({ text }) => [search(text)]),
    wrong: ([response], { contacts, era, index }) => {
      const { text, page } = searchesAmong(contacts)[index];
      const told = response.result?.content?.[0]?.text;
      const isRight =
        isDeepStrictEqual(JSON.parse(told ?? 'null'), page) &&
        // Results of plain JSON-RPC have no structuredContent.
        (era === 'plain' || isDeepStrictEqual(response.result.structuredContent, page));
      return isRight
        ? undefined
        : `the response is not the page of ${page.contacts.length} contacts that contain ${text}`;
    },
  },
  ...Object.fromEntries(
    Object.entries({ ...GROWTH, ...FILTERS }).map(([name, searches]) => [name, growth(searches)]),
  ),
};

function growth(searches) {
  return {
    calls: 1,
    requests: ({ contacts }) =>
      searches(contacts).map(({ text, filters }) => [
        filters ? searchWith({ filters }) : search(text),
      ]),
    wrong: ([response], { contacts, index }) => {
      const { text, filters, contacts: wanted, isAll } = searches(contacts)[index];
      const found = JSON.parse(response.result?.content?.[0]?.text ?? '{}');
      const isRight =
        isDeepStrictEqual(found.contacts, wanted) && (found.next_cursor === null) === isAll;
      return isRight
        ? undefined
        : `the response is not the contacts that match ${text ?? JSON.stringify(filters)}`;
    },
  };
}

/** Returns the HTTP requests of a contest. */
export function requestsOf(contest, era, key, given) {
  const requests = CONTESTS[contest].requests(given);
  return requests.map((messages, index) => encode(messages, era, key, index));
}

/** Sends each request once and returns the response bodies. Throws when a response is wrong. */
export async function answersOf(contest, era, url, requests, given) {
  const texts = [];
  for (const [index, request] of requests.entries()) {
    const { status, text } = await send(url, request);
    if (status !== 200) throw new Error(`status ${status}: ${text.slice(0, 200)}`);
    const fault = wrongAnswer(contest, JSON.parse(text), request, { ...given, era, index });
    if (fault) throw new Error(`${fault}: ${text.slice(0, 200)}`);
    texts.push(text);
  }
  return texts;
}

function wrongAnswer(contest, parsed, request, given) {
  const listOf = (value) => (Array.isArray(value) ? value : [value]);
  const responses = listOf(parsed);
  const ids = (members) => members.map(({ id }) => id);
  if (!isDeepStrictEqual(ids(responses), ids(listOf(JSON.parse(request.body)))))
    return 'the ids of the responses are wrong';
  if (responses.some((response) => response.jsonrpc !== '2.0'))
    return 'a response is not JSON-RPC 2.0';
  return CONTESTS[contest].wrong(responses, given);
}

/** Throws unless the contestant validates arguments. A contestant without validation would do less work. */
export async function assertValidates(url, era, key) {
  const { text } = await send(url, encode([call(5)], era, key, 0));
  const response = JSON.parse(text);
  if (!response.error && !response.result?.isError) {
    throw new Error(
      `the tool must refuse the number 5 for its argument text, but accepts it: ${text.slice(0, 200)}`,
    );
  }
}

function encode(messages, era, key, first) {
  const { headers, meta } = ERAS[era];
  const members = messages.map(({ method, params }, index) => ({
    jsonrpc: '2.0',
    // Requests that take turns have different ids, so their responses differ too.
    id: first + index + 1,
    method,
    params: { ...params, ...(meta && { _meta: meta }) },
  }));
  return {
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(key && { Authorization: `Bearer ${key}` }),
      ...headers(messages[0]),
    },
    body: JSON.stringify(members.length === 1 ? members[0] : members),
  };
}

async function send(url, { headers, body }) {
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

function wrongEcho({ result }) {
  const told = result?.content?.[0]?.text;
  if (result?.isError || told !== JSON.stringify({ text: TEXT }))
    return 'the response does not return the sent text';
  return undefined;
}

/** Compares only the parts of JSON Schema that all libraries write in the same way. */
function isSame(wanted, given, era) {
  const fields = (tool) => Object.keys(tool.inputSchema.properties ?? {}).sort();
  return (
    given !== undefined &&
    given.description === wanted.description &&
    isDeepStrictEqual(fields(given), fields(wanted)) &&
    // The list of plain JSON-RPC has no outputSchema.
    (era === 'plain' || given.outputSchema !== undefined)
  );
}
