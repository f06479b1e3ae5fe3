// Measures searches with conditions among growing numbers of contacts. Compares Switchboard with hand-written SQL,
// which has indexes for exactly these conditions.
import { CONTESTANTS, startContestant, stopAll } from './call-contestants.mjs';
import { load, prepare } from './calls.mjs';
import { fillSwitchboard, makePeerDatabases } from './contact-tables.mjs';
import { ORGANIZATIONS } from './contacts.mjs';
import {
  FILTERS,
  groupedContact,
  membersOf,
  searchedGroups,
  segmentName,
} from './filtered-contacts.mjs';
import { makeDatabase, withClient } from './databases.mjs';

const SIZES = [10_000, 1_000_000];
const FEW = [400];
const WARM_UP = 32;
const CONNECTIONS = 8;
const PEER_FILTERS = [
  `create index on contacts (organization_id, (properties ->> 'account'), (properties ->> 'plan'))`,
  'create index on contacts using gin (tags)',
  'create table segment_members (segment text not null, contact_id text not null, primary key (segment, contact_id))',
];

/** Measures all sizes alternately, each with separate databases and processes. */
export async function measure(place, { rounds, seconds, smoke }) {
  const started = new Map();
  try {
    const entries = [];
    for (const size of smoke ? FEW : SIZES) {
      const contacts = size / ORGANIZATIONS;
      for (const [name, contestant] of Object.entries(await open(place, size, started))) {
        for (const search of Object.keys(FILTERS)) {
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
      console.log(`Round ${round + 1} of ${rounds} of searches with conditions is done.`);
    }
    const rows = entries.map(({ name, kind, title, contest: search, size, rounds: measured }) => {
      return { name, kind, title, search, size, rounds: measured };
    });
    return { 'growth-filters': { connections: CONNECTIONS, organizations: ORGANIZATIONS, rows } };
  } finally {
    await stopAll(started);
  }
}

/** Starts Switchboard and the contestant with hand-written SQL on databases with `size` contacts. */
async function open(place, size, started) {
  const url = await makeDatabase(place.databaseUrl, `filters_${size}`);
  const env = { ...place.env, DATABASE_URL: url, SIGN_UP: 'open' };
  const switchboard = await startContestant('switchboard', { ...place, env });
  started.set(`switchboard ${size}`, switchboard);
  const contacts = size / ORGANIZATIONS;
  await fillSwitchboard(url, switchboard.organizationId, contacts, groupedContact);
  await insertSegments(url, switchboard.organizationId, contacts);
  const template = `filters_${size}_peer`;
  const [peerUrl] = Object.values(
    await makePeerDatabases(place.databaseUrl, ['node-http'], contacts, template, groupedContact),
  );
  await insertPeerSegments(peerUrl, contacts);
  const limit = await startContestant('node-http', place, peerUrl);
  started.set(`node-http ${size}`, limit);
  return { switchboard, 'node-http': limit };
}

async function insertSegments(url, organizationId, contacts) {
  await withClient(url, async (client) => {
    const groups = searchedGroups(contacts);
    for (const [index, group] of [...groups, undefined].entries()) {
      const id = `seg_${String(index).padStart(22, '0')}`;
      const name = group === undefined ? 'Empty' : segmentName(group);
      await client.query(
        `insert into public.segments (organization_id, id, name, kind, baseline) values ($1, $2, $3, 'static', false)`,
        [organizationId, id, name],
      );
      if (group === undefined) continue;
      await client.query(
        `insert into public.segment_members (organization_id, segment_id, contact_id) select $1, $2, unnest($3::text[])`,
        [organizationId, id, membersOf(group).map((member) => member.id)],
      );
    }
    await client.query('analyze public.segments, public.segment_members');
  });
}

async function insertPeerSegments(url, contacts) {
  await withClient(url, async (client) => {
    for (const statement of PEER_FILTERS) await client.query(statement);
    for (const group of searchedGroups(contacts)) {
      await client.query('insert into segment_members select $1, unnest($2::text[])', [
        segmentName(group),
        membersOf(group).map(({ id }) => id),
      ]);
    }
    await client.query('vacuum analyze contacts, segment_members');
  });
}
