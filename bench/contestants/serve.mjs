// What every contestant shares: the list of tools it must offer, and how it tells where it listens.
import { readFileSync } from 'node:fs';

/** The tools that Switchboard gives out for 2025-11-25; the peers offer exactly these. */
export function readTools() {
  return JSON.parse(readFileSync(process.argv[2], 'utf8'));
}

/** The tools that the contests call. */
export const ECHO = 'echo';
export const SEARCH = 'search_contacts';

/** What `echo` answers, in every contestant. */
export function echo(text) {
  return resultOf({ text });
}

/** What a tool has found, as MCP has it. */
export function resultOf(found) {
  return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
}

/** The first line on standard output; `run.mjs` waits for it. */
export function announce(facts) {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

/** Listens on a free port of loopback. */
export async function listen(server) {
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${server.address().port}`;
}
