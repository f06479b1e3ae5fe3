// Measures how long the application takes to start, by the number of tools.
import { answersOf, requestsOf } from './contests.mjs';
import { start } from './processes.mjs';

const COUNTS = [undefined, 200, 1000];

/**
 * Measures interleaved starts on one prepared database, with the built-in tools and with additional tools. `starts`:
 * milliseconds from the spawn to the first response to `tools/list`. `boots`: milliseconds from the creation of the
 * application, after its code is loaded, until the application listens.
 */
export async function measure({ env, tools }, { rounds, smoke }) {
  // The smoke test starts with the built-in tools only: `growth-registry` already starts with additional tools.
  const counts = smoke ? COUNTS.slice(0, 1) : COUNTS;
  const rows = counts.map((count) => ({ tools: count ?? tools.length, starts: [], boots: [] }));
  for (let round = 0; round < (smoke ? 1 : rounds); round += 1) {
    for (const row of rows) {
      const more = row.tools - tools.length;
      const began = performance.now();
      const process = await start('contestants/switchboard.mjs', [String(more)], env);
      try {
        const given = { tools: [...tools, ...generatedTools(more)] };
        const requests = requestsOf('list', '2025-11-25', process.key, given);
        await answersOf('list', '2025-11-25', process.url, requests, given);
        row.starts.push(performance.now() - began);
        row.boots.push(process.bootMs);
      } finally {
        await process.stop();
      }
    }
  }
  return { boot: { seconds: undefined, rows } };
}

/** Returns the tools that `contestants/switchboard.mjs` adds for a given count. */
export function generatedTools(count) {
  return Array.from({ length: count }, (_, index) => ({
    name: `generated_${index}`,
    description: 'Stands for a tool that a team has added, with a description of a usual length.',
    inputSchema: { properties: { id: {}, kind: {}, limit: {}, note: {} } },
  }));
}
