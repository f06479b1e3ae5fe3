// How long the application takes to boot, by the number of tools.
import { answersOf, requestsOf } from './contests.mjs';
import { start } from './processes.mjs';

const COUNTS = [undefined, 200, 1000];

/**
 * Interleaved starts on one prepared database, with its own tools and with more. `starts`: milliseconds from the spawn
 * to the first answered `tools/list`; `boots`: from the making of the application, whose code is loaded, until it
 * listens.
 */
export async function measure({ env, tools }, { rounds, smoke }) {
  // That it starts with more is seen in `growth-registry`.
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

/** What `contestants/switchboard.mjs` adds. */
export function generatedTools(count) {
  return Array.from({ length: count }, (_, index) => ({
    name: `generated_${index}`,
    description: 'Stands for a tool that a team has added, with a description of a usual length.',
    inputSchema: { properties: { id: {}, kind: {}, limit: {}, note: {} } },
  }));
}
