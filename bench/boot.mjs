// How long the application takes to boot with few and with many tools.
import { answerOf, requestOf } from './contests.mjs';
import { median } from './statistics.mjs';
import { start } from './processes.mjs';

const MORE = { few: 0, many: 480 };

/**
 * Interleaved starts on one prepared database. `starts`: milliseconds from the spawn to the first answered `tools/list`;
 * `boots`: from the making of the application, whose code is loaded, until it listens.
 */
export async function measureBoot(rounds, env, tools) {
  const starts = { few: [], many: [] };
  const boots = { few: [], many: [] };
  let counts = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, more] of Object.entries(MORE)) {
      const expected = [...tools, ...generatedTools(more)];
      const began = performance.now();
      const { url, key, bootMs, stop } = await start(
        'contestants/switchboard.mjs',
        [String(more)],
        env,
      );
      try {
        const request = requestOf('list', '2025-11-25', key);
        const text = await answerOf('list', '2025-11-25', url, request, expected);
        starts[kind].push(performance.now() - began);
        boots[kind].push(bootMs);
        counts = { ...counts, [kind]: JSON.parse(text).result.tools.length };
      } finally {
        await stop();
      }
    }
  }
  return { counts, starts: compared(starts), boots: compared(boots) };
}

function compared({ few, many }) {
  const differences = many.map((value, index) => value - few[index]);
  return { few, many, differences, medianDifference: median(differences) };
}

function generatedTools(count) {
  return Array.from({ length: count }, (_, index) => ({
    name: `generated_${index}`,
    description: 'Stands for a tool that a team has added, with a description of a usual length.',
    inputSchema: { properties: { id: {}, kind: {}, limit: {}, note: {} } },
  }));
}
