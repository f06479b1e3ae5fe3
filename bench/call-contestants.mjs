// Lists the programs that the benchmarks of calls compare: script, arguments and supported eras.
import { makePeerDatabases, fillSwitchboard } from './contact-tables.mjs';
import { start } from './processes.mjs';

const MCP = ['2025-11-25', '2026-07-28'];

export const CONTESTANTS = {
  switchboard: { kind: 'switchboard', title: 'Switchboard', eras: ['plain', ...MCP] },
  'sdk-v1': { kind: 'peer', title: 'SDK v1 1.32.2, McpServer', eras: ['2025-11-25'] },
  'sdk-v1-low-level': {
    kind: 'peer',
    title: 'SDK v1 1.32.2, Server',
    script: 'sdk-v1',
    args: ['--low-level'],
    eras: ['2025-11-25'],
  },
  'sdk-v2': { kind: 'peer', title: 'SDK v2 2.4.0, McpServer', eras: MCP },
  'mcp-nest': { kind: 'peer', title: 'MCP-Nest 2.0.5', eras: MCP },
  'nest-express': { kind: 'bare', title: 'Bare Nest + Express', eras: ['plain'] },
  'node-http': { kind: 'bare', title: 'Bare node:http', eras: ['plain'] },
};

/** Returns the names of all contestants, or of the selected ones. */
export function contestantsAmong(only) {
  return Object.keys(CONTESTANTS).filter((name) => !only || only.includes(name));
}

/** Starts one contestant. Peers need a database only for the search contest. */
export async function startContestant(name, place, databaseUrl) {
  const { kind, script = name, args = [] } = CONTESTANTS[name];
  return kind === 'switchboard'
    ? await start('contestants/switchboard.mjs', [], place.env)
    : await start(`contestants/${script}.mjs`, [place.toolsFile, ...args], {
        ...(databaseUrl && {
          DATABASE_URL: databaseUrl,
          SIGN_UP: 'open',
          NEW_ORGANIZATION_MESSAGES: '100000000',
          NEW_ORGANIZATION_CONTACTS: '100000000',
          NEW_ORGANIZATION_RUNS: '100000000',
          NEW_ORGANIZATION_STORED_MB: '1000000',
        }),
      });
}

/** Starts all contestants. With `contacts`, each has a database with that many contacts per organization. */
export async function startContestants(names, place, contacts) {
  const peers = names.filter((name) => CONTESTANTS[name].kind !== 'switchboard');
  const urls = contacts ? await makePeerDatabases(place.databaseUrl, peers, contacts) : {};
  const started = new Map();
  try {
    for (const name of names) {
      const contestant = await startContestant(name, place, urls[name]);
      started.set(name, contestant);
      if (contacts && contestant.organizationId) {
        await fillSwitchboard(place.databaseUrl, contestant.organizationId, contacts);
      }
    }
  } catch (error) {
    await stopAll(started);
    throw error;
  }
  return started;
}

export async function stopAll(started) {
  await Promise.all([...started.values()].map(({ stop }) => stop()));
}
