// Measures the contests about calls: lists, calls of a trivial tool, batches of such calls, and searches.
import { CONTESTANTS, contestantsAmong, startContestants, stopAll } from './call-contestants.mjs';
import { ORGANIZATIONS } from './contacts.mjs';
import { answersOf, assertValidates, CONTESTS, requestsOf } from './contests.mjs';
import { runToEnd, treeCpuSeconds } from './processes.mjs';
import { median } from './statistics.mjs';

const CONNECTIONS = 16;
const CONTACTS = 20_000;
const FEW_CONTACTS = 20;

/** Measures the selected contests, in interleaved rounds of `seconds` for each contestant and era. */
export async function measure(place, { contests, rounds, seconds, only, smoke }) {
  const contacts = smoke ? FEW_CONTACTS : CONTACTS;
  const given = { tools: place.tools, contacts };
  const names = contestantsAmong(only);
  const started = await startContestants(
    names,
    place,
    contests.includes('search') ? contacts : undefined,
  );
  try {
    const entries = [];
    for (const name of names) {
      for (const era of CONTESTANTS[name].eras) {
        await assertValidates(started.get(name).url, era, started.get(name).key);
        for (const contest of contests) {
          // MCP 2026-07-28 has no batches.
          if (contest === 'batch' && era === '2026-07-28') continue;
          const entry = await prepare(name, era, contest, started.get(name), given);
          entries.push({ ...entry, postgresPid: place.postgresPid });
        }
      }
    }
    for (const entry of entries) {
      // The responses of every era were checked above. So the smoke test runs the load generator with one era only.
      if (!smoke) await load(entry, { seconds: 2 });
      else if (entry.era === CONTESTANTS[entry.name].eras[0]) await load(entry, { amount: 64 });
    }
    for (let round = 0; round < rounds && !smoke; round += 1) {
      for (const entry of entries) entry.rounds.push(await load(entry, { seconds }));
      console.log(`Round ${round + 1} of ${rounds} of calls is done.`);
    }
    const about = {
      connections: CONNECTIONS,
      tools: place.tools.length,
      contacts: contacts * ORGANIZATIONS,
      organizations: ORGANIZATIONS,
    };
    return Object.fromEntries(
      contests.map((contest) => [contest, { ...about, rows: rowsOf(entries, contest) }]),
    );
  } finally {
    await stopAll(started);
  }
}

/** Sends the requests of one contest of the bench, checks the responses, and returns both. */
export async function prepare(name, era, contest, { url, key, cpuSeconds }, given) {
  const { kind, title } = CONTESTANTS[name];
  const requests = requestsOf(contest, era, key, given);
  const expected = await answersOf(contest, era, url, requests, given).catch((error) => {
    throw new Error(`${title}, ${era}, ${contest}: ${error.message}`);
  });
  return { name, kind, title, era, contest, url, cpuSeconds, requests, expected, rounds: [] };
}

/** Measures one round with prepared requests. */
export async function load(entry, extent) {
  const { title, era, contest, url, requests, expected } = entry;
  const cpu = () => [entry.cpuSeconds(), treeCpuSeconds(entry.postgresPid)];
  const before = cpu();
  const input = { url, requests, expected, connections: CONNECTIONS, ...extent };
  const { answered, wrong, seconds: took, p50, p99 } = await runToEnd('load.mjs', input);
  if (wrong > 0 || answered === 0) {
    throw new Error(
      `${title}, ${era}, ${contest}: ${wrong} wrong answers, ${answered} right ones.`,
    );
  }
  const calls = answered * CONTESTS[contest].calls;
  const [own, ofPostgres] = cpu().map((after, index) => ((after - before[index]) * 1e6) / calls);
  return {
    perSecond: calls / took,
    cpuMicroseconds: own,
    postgresMicroseconds: ofPostgres,
    p50,
    p99,
  };
}

function rowsOf(entries, contest) {
  return entries
    .filter((entry) => entry.contest === contest)
    .map(({ name, kind, title, era, rounds }) => {
      const perSecond = rounds.length > 0 ? median(rounds.map((round) => round.perSecond)) : 0;
      const row = { name, kind, title, era, perSecond, rounds };
      return contest === 'batch' ? { ...row, single: singleOf(row, entries) } : row;
    });
}

/**
 * Returns the results of single calls of the same contestant in the same rounds, or undefined when single calls were
 * not measured.
 */
function singleOf({ name, era }, entries) {
  const single = entries.find(
    (entry) => entry.contest === 'call' && entry.name === name && entry.era === era,
  );
  return single && { rounds: single.rounds.map(({ perSecond }) => ({ perSecond })) };
}
