// Measures the import of a CSV file with contacts, from the first byte until every row is stored.
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PEER_INDEXES, PEER_KEYS, PEER_TABLE } from './contact-tables.mjs';
import { connect, makeDatabase } from './databases.mjs';
import { csvPieces } from './import-file.mjs';
import { memoryOf, start, treeCpuSeconds } from './processes.mjs';

const ROWS = 100_000;
const MANY_ROWS = 1_000_000;
const FEW_ROWS = 600;
const WARM_UP_ROWS = 5000;
const LOOK_EVERY_MS = 50;
const CONTESTANTS = {
  switchboard: { kind: 'switchboard', title: 'Switchboard', script: 'contestants/switchboard.mjs' },
  'csv-parse': {
    kind: 'bare',
    title: 'csv-parse + COPY by hand',
    script: 'contestants/imports/by-hand.mjs',
  },
};

/** Measures `import`, in interleaved rounds, and `import-memory`, with one file ten times as large. */
export async function measure(place, { contests, rounds, only, smoke }) {
  const contestants = [];
  try {
    for (const name of Object.keys(CONTESTANTS)) {
      if (only && !only.includes(name)) continue;
      contestants.push(await open(name, place));
    }
    const results = {};
    for (const contestant of contestants) await take(contestant, smoke ? FEW_ROWS : WARM_UP_ROWS);
    if (contests.includes('import')) {
      results.import = { rows: await takeTurns(contestants, smoke ? 0 : rounds), size: ROWS };
    }
    if (contests.includes('import-memory')) {
      const sizes = smoke ? [FEW_ROWS] : [ROWS, MANY_ROWS];
      results['import-memory'] = { rounds: undefined, rows: await grow(contestants, sizes) };
    }
    return results;
  } finally {
    await Promise.all(contestants.map(({ stop }) => stop()));
  }
}

async function takeTurns(contestants, rounds) {
  const rows = contestants.map(({ name, kind, title }) => ({ name, kind, title, rounds: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) {
      rows[index].rounds.push(await take(contestant, ROWS));
    }
    console.log(`Round ${round + 1} of ${rounds} of imports is done.`);
  }
  return rows;
}

async function grow(contestants, sizes) {
  const rows = [];
  for (const size of sizes) {
    for (const contestant of contestants) {
      const { name, kind, title } = contestant;
      rows.push({ name, kind, title, size, ...(await take(contestant, size)) });
      console.log(`${title}: ${size} rows are imported.`);
    }
  }
  return rows;
}

async function open(name, place) {
  const given = CONTESTANTS[name];
  const url = await makeDatabase(place.databaseUrl, `imports_${name.replaceAll('-', '_')}`);
  const client = await connect(url);
  if (given.kind === 'bare') {
    for (const statement of [PEER_TABLE, ...PEER_KEYS, ...PEER_INDEXES])
      await client.query(statement);
  }
  const env = { ...place.env, DATABASE_URL: url, IMPORT_MB: '1000' };
  const contestant = {
    ...given,
    ...(await start(given.script, [], env)),
    name,
    client,
    place,
    next: 0,
  };
  if (given.kind === 'switchboard') contestant.headers = await signUp(contestant.url);
  const { stop } = contestant;
  return { ...contestant, stop: () => Promise.all([client.end(), stop()]) };
}

/** Imports a file of new contacts, and checks that all are stored. */
async function take(contestant, size) {
  const { title, client, place, kind } = contestant;
  const first = contestant.next;
  contestant.next += size;
  const cpu = () => [contestant.cpuSeconds(), treeCpuSeconds(place.postgresPid)];
  const before = cpu();
  const memory = watchMemory(contestant.pid);
  const began = performance.now();
  const body = Readable.toWeb(Readable.from(csvPieces(first, size)));
  const created = await (kind === 'bare' ? importByHand : importFile)(contestant, body);
  const seconds = (performance.now() - began) / 1000;
  const moreMiB = memory.stop();
  const [own, ofPostgres] = cpu().map((after, index) => ((after - before[index]) * 1e6) / size);
  const { rows } = await client.query('select count(*)::integer as count from contacts');
  if (created !== size || rows[0].count !== contestant.next) {
    throw new Error(
      `${title}: ${created} of ${size} contacts were created, ${rows[0].count} are stored.`,
    );
  }
  return {
    seconds,
    perSecond: size / seconds,
    cpuMicroseconds: own,
    postgresMicroseconds: ofPostgres,
    moreMiB,
  };
}

async function importByHand({ url }, body) {
  const response = await fetch(url, { method: 'POST', body, duplex: 'half' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()).created;
}

async function importFile({ url, headers }, body) {
  const uploaded = await fetch(new URL('/api/imports', url), {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body,
    duplex: 'half',
  });
  if (!uploaded.ok) throw new Error(await uploaded.text());
  const { id: import_id } = (await uploaded.json()).import;
  await call(url, headers, 'start_import', { import_id });
  for (;;) {
    const found = await call(url, headers, 'get_import', { import_id });
    const { status, error, counts } = found.import;
    if (status === 'completed') return counts.created;
    if (status !== 'running') throw new Error(`The import is ${status}: ${error}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function call(url, headers, tool, given) {
  const response = await fetch(new URL(`/api/tools/${tool}`, url), {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(given),
  });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

/** Signs up the person who imports the files. Returns the headers of the session. */
async function signUp(url) {
  const response = await fetch(new URL('/api/auth/sign-up', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email: `bench.${Date.now()}@example.com`,
      password: 'correct horse battery staple',
      organization_name: 'Imports',
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  return { Cookie: response.headers.getSetCookie()[0].split(';')[0], Origin: new URL(url).origin };
}

/** Watches the resident memory of a process. `stop()` returns the largest growth since the watch began, in MiB. */
function watchMemory(pid) {
  const before = memoryOf(pid).residentMiB;
  let most = before;
  const look = () => {
    try {
      most = Math.max(most, memoryOf(pid).residentMiB);
    } catch {
      // The process has ended, so the next request to the process fails and reports the error.
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return most - before;
    },
  };
}
