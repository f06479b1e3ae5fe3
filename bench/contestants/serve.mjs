// Provides the common parts of all contestants: the tool list, the tool results and the listening server.
import { readFileSync } from 'node:fs';

/**
 * Lists the tools that Switchboard lists for MCP 2025-11-25. The other servers in the bench have exactly the same
 * tools.
 */
export function readTools() {
  return JSON.parse(readFileSync(process.argv[2], 'utf8'));
}

/** Lists the tools that the contests call. */
export const ECHO = 'echo';
export const SEARCH = 'search_contacts';

/** Returns the result of `echo` in every contestant. */
export function echo(text) {
  return resultOf({ text });
}

/** Converts the result of a tool to an MCP result. */
export function resultOf(found) {
  return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
}

/** Prints the first line of output, for which `run.mjs` waits. */
export function announce(facts) {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

/** Listens on a free port of loopback. */
export async function listen(server) {
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${server.address().port}`;
}
