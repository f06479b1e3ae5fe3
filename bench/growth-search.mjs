// Measures searches among growing numbers of contacts, by Switchboard and by bare node:http with pg.
import { CONTESTANTS, startContestant, stopAll } from './call-contestants.mjs';
import { load, prepare } from './calls.mjs';
import { fillSwitchboard, makePeerDatabases } from './contact-tables.mjs';
import { ORGANIZATIONS } from './contacts.mjs';
import { makeDatabase } from './databases.mjs';

const SIZES = [10_000, 100_000, 1_000_000];
const FEW = [400];
const WARM_UP = 32;
// There are fewer connections than in the contests, so that slow searches end within a round too.
const CONNECTIONS = 4;
const SEARCHES = ['search-one', 'search-page', 'search-none'];

/** Measures all sizes alternately, each with separate databases and processes. */
export async function measure(place, { rounds, seconds, smoke }) {
  const started = new Map();
  try {
    const entries = [];
    for (const size of smoke ? FEW : SIZES) {
      const contacts = size / ORGANIZATIONS;
      for (const [name, contestant] of Object.entries(await open(place, size, started))) {
        for (const search of SEARCHES) {
          const era = name === 'switchboard' ? '2025-11-25' : CONTESTANTS[name].eras[0];
          const entry = await prepare(name, era, search, contestant, { contacts });
          entries.push({ ...entry, size, postgresPid: place.postgresPid });
        }
      }
      if (!smoke) console.log(`${size} contacts are inserted.`);
    }
    for (const entry of entries) await load(entry, { amount: WARM_UP, connections: CONNECTIONS });
    for (let round = 0; round < rounds && !smoke; round += 1) {
      for (const entry of entries)
        entry.rounds.push(await load(entry, { seconds, connections: CONNECTIONS }));
      console.log(`Round ${round + 1} of ${rounds} of searches is done.`);
    }
    const rows = entries.map(({ name, kind, title, contest: search, size, rounds: measured }) => {
      return { name, kind, title, search, size, rounds: measured };
    });
    return { 'growth-search': { connections: CONNECTIONS, organizations: ORGANIZATIONS, rows } };
  } finally {
    await stopAll(started);
  }
}

/** Starts Switchboard and bare node:http on databases with `size` contacts. */
async function open(place, size, started) {
  const url = await makeDatabase(place.databaseUrl, `growth_${size}`);
  const env = {
    ...place.env,
    DATABASE_URL: url,
    SIGN_UP: 'open',
    NEW_ORGANIZATION_MESSAGES: '100000000',
    NEW_ORGANIZATION_CONTACTS: '100000000',
    NEW_ORGANIZATION_RUNS: '100000000',
    NEW_ORGANIZATION_STORED_MB: '1000000',
  };
  const switchboard = await startContestant('switchboard', { ...place, env });
  started.set(`switchboard ${size}`, switchboard);
  const contacts = size / ORGANIZATIONS;
  await fillSwitchboard(url, switchboard.organizationId, contacts);
  const template = `growth_${size}_peer`;
  const [limitUrl] = Object.values(
    await makePeerDatabases(place.databaseUrl, ['node-http'], contacts, template),
  );
  const limit = await startContestant('node-http', place, limitUrl);
  started.set(`node-http ${size}`, limit);
  return { switchboard, 'node-http': limit };
}
