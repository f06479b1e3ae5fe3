// Measures how long lists and calls take, by the number of tools.
import { generatedTools } from './boot.mjs';
import { stopAll } from './call-contestants.mjs';
import { load, prepare } from './calls.mjs';
import { start } from './processes.mjs';

const COUNTS = [undefined, 200, 1000];
const FEW = [undefined, 40];

/** Measures, alternately, one process for each number of tools. */
export async function measure(place, { rounds, seconds, smoke }) {
  const started = new Map();
  try {
    const entries = [];
    for (const count of smoke ? FEW : COUNTS) {
      const more = count === undefined ? 0 : count - place.tools.length;
      const process = await start('contestants/switchboard.mjs', [String(more)], place.env);
      started.set(more, process);
      const tools = [...place.tools, ...generatedTools(more)];
      for (const contest of ['list', 'call']) {
        const entry = await prepare('switchboard', '2025-11-25', contest, process, { tools });
        entries.push({
          ...entry,
          tools: tools.length,
          bytes: Buffer.byteLength(entry.expected[0]),
        });
      }
    }
    for (const entry of entries) await load(entry, smoke ? { amount: 32 } : { seconds: 2 });
    for (let round = 0; round < rounds && !smoke; round += 1) {
      for (const entry of entries) entry.rounds.push(await load(entry, { seconds }));
      console.log(`Round ${round + 1} of ${rounds} of many tools is done.`);
    }
    const rows = entries.map(({ contest, tools, bytes, rounds: measured }) => {
      return { contest, tools, bytes, rounds: measured };
    });
    return { 'growth-registry': { rows } };
  } finally {
    await stopAll(started);
  }
}
