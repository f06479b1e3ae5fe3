// Measures the time from the request to send an e-mail until the mail server has the e-mail.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, makeDatabase } from './databases.mjs';
import { mailOf, peerRequestOf, toolRequestOf } from './mails.mjs';
import { runToEnd, start, treeCpuSeconds } from './processes.mjs';
import { SmtpSink } from './smtp-sink.mjs';
import { percentiles } from './statistics.mjs';
import { warmUp } from './warm-up.mjs';
import { CONTACTS, contactOf } from './webhooks.mjs';

const CONNECTIONS = 16;
/**
 * The rate at which the time until an e-mail arrives is measured. Every contestant that stores e-mails can deliver them
 * at this rate.
 */
const PACED_PER_SECOND = 100;
const LOOK_EVERY_MS = 10;
const PATIENCE_MS = 60_000;
const STRANGER = { email: 'stranger@example.com', subject: 'Nothing', body: 'Nobody gets this.' };
const TABLES = `
  create table contacts (id text primary key, email text not null unique, first_name text not null);
  create table mails (
    id bigserial primary key,
    contact_id text not null references contacts (id),
    recipient text not null,
    subject text not null,
    body text not null,
    status text not null default 'queued',
    created_at timestamptz not null default now(),
    sent_at timestamptz
  )`;

const STORED = {
  sent: `select count(*) from messages where status = 'sent'`,
  clear: 'truncate messages, idempotency_keys, audit_log cascade',
};

/**
 * Lists the contestants. `form` selects the e-mails that `mailRequestOf` asks for. `sent` counts the e-mails that a
 * contestant has recorded as sent.
 */
const CONTESTANTS = {
  switchboard: {
    kind: 'switchboard',
    title: 'Switchboard, one process',
    script: 'contestants/switchboard.mjs',
    ...STORED,
  },
  'switchboard-html': {
    kind: 'switchboard',
    title: 'Switchboard, HTML template',
    script: 'contestants/switchboard.mjs',
    args: ['0', 'html-template'],
    form: 'html',
    ...STORED,
  },
  'switchboard-dkim': {
    kind: 'switchboard',
    title: 'Switchboard, signed with DKIM',
    script: 'contestants/switchboard.mjs',
    args: ['0', 'sender-domain'],
    // Marks the domain as verified, because it has no DNS records that could verify it.
    found: `update sender_domains set verified_at = now(); update sender_keys set state = 'current', is_found = true`,
    form: 'dkim',
    ...STORED,
  },
  nodemailer: {
    kind: 'bare',
    title: 'nodemailer 10.6.0 alone',
    script: 'contestants/mail/nodemailer.mjs',
  },
  'graphile-worker': {
    kind: 'peer',
    title: 'graphile-worker 0.17.3 + nodemailer',
    script: 'contestants/mail/graphile-worker.mjs',
    tables: TABLES,
    sent: `select count(*) from mails where status = 'sent'`,
    clear: 'truncate mails',
  },
};

/** Measures interleaved rounds of about `seconds`. */
export async function measure(place, { rounds, seconds, only, smoke }) {
  const sink = await SmtpSink.start();
  const contestants = [];
  try {
    for (const name of Object.keys(CONTESTANTS)) {
      if (only && !only.includes(name)) continue;
      contestants.push(await open(name, place, sink));
      await prepare(contestants.at(-1));
    }
    for (const contestant of contestants) {
      contestant.amount = await warmUp(contestant, { seconds, smoke });
    }
    for (let round = 0; round < rounds && !smoke; round += 1) {
      for (const contestant of contestants) {
        const rates = await contestant.measure(contestant.amount);
        contestant.rounds.push({ ...rates, ...(await delays(contestant, seconds)) });
      }
      console.log(`Round ${round + 1} of ${rounds} of e-mails is done.`);
    }
    const rows = contestants.map(({ name, kind, title, form, amount, rounds: measured }) => {
      return { name, kind, title, form, amount, rounds: measured };
    });
    return { mail: { rows } };
  } finally {
    await Promise.all(contestants.map(({ stop }) => stop()));
    sink.stop();
  }
}

async function open(name, place, sink) {
  const given = CONTESTANTS[name];
  const url = await makeDatabase(place.databaseUrl, `mail_${name.replaceAll('-', '_')}`);
  const client = await connect(url);
  if (given.tables) {
    await client.query(given.tables);
    for (let number = 0; number < CONTACTS; number += 1) {
      const { email, firstName } = contactOf(number);
      await client.query('insert into contacts values ($1, $2, $3)', [number, email, firstName]);
    }
  }
  const env = {
    ...place.env,
    DATABASE_URL: url,
    SIGN_UP: 'open',
    NEW_ORGANIZATION_MESSAGES: '100000000',
    NEW_ORGANIZATION_CONTACTS: '100000000',
    NEW_ORGANIZATION_RUNS: '100000000',
    NEW_ORGANIZATION_STORED_MB: '1000000',
    SMTP_URL: sink.url,
    MAIL_FROM: 'b@example.com',
  };
  const process = await start(given.script, given.args ?? [], env);
  if (given.found) await client.query(given.found);
  const contestant = { ...given, name, ...process, client, sink, place, order: 1, rounds: [] };
  contestant.measure = (amount) => deliver(contestant, amount);
  contestant.stop = () => Promise.all([client.end(), process.stop()]);
  return contestant;
}

async function prepare(contestant) {
  if (contestant.kind === 'switchboard') await makeContacts(contestant);
  if (contestant.kind !== 'bare') await assertRefuses(contestant);
}

async function makeContacts({ url, key }) {
  for (let number = 0; number < CONTACTS; number += 1) {
    const { email, firstName: first_name } = contactOf(number);
    const response = await post(url, toolRequestOf('create_contact', { email, first_name }, key));
    const { result } = await response.json();
    if (!result || result.isError)
      throw new Error(`Switchboard could not create the contact ${email}.`);
  }
}

/** Throws if the contestant accepts an unknown recipient. Without this check, a contestant would do less work. */
async function assertRefuses({ title, url, key }) {
  const response = await post(
    url,
    key ? toolRequestOf('send_message', STRANGER, key) : peerRequestOf(STRANGER),
  );
  const { result } = await response.json();
  if (key ? !result?.isError : response.status !== 404) {
    throw new Error(`${title} accepts an e-mail to an unknown recipient.`);
  }
}

/** Measures from the first request until the last e-mail arrives. Each must arrive once and be recorded as sent. */
async function deliver(contestant, amount) {
  const { url, key, form, client, sink, place, order: first } = contestant;
  contestant.order += amount;
  sink.mails = [];
  if (contestant.clear) await client.query(contestant.clear);
  const cpu = () => [contestant.cpuSeconds(), treeCpuSeconds(place.postgresPid)];
  const before = cpu();
  const input = { url, key, form, first, amount, connections: CONNECTIONS };
  const { began, wrong } = await runToEnd('load-mails.mjs', input);
  if (wrong > 0) throw new Error(`${contestant.title}: ${wrong} e-mails were not accepted.`);
  await waitFor(contestant, amount);
  const [own, ofPostgres] = cpu().map((after, index) => ((after - before[index]) * 1e6) / amount);
  assertRight(contestant, first, amount);
  return {
    perSecond: (amount * 1000) / (sink.mails.at(-1).at - began),
    cpuMicroseconds: own,
    postgresMicroseconds: ofPostgres,
  };
}

/**
 * Measures the times from the response until the e-mail arrives, at a fixed rate. Returns nothing for nodemailer alone,
 * which responds only after the delivery.
 */
async function delays(contestant, seconds) {
  const { kind, url, key, form, client, sink, order: first } = contestant;
  if (kind === 'bare') return {};
  const amount = Math.ceil(PACED_PER_SECOND * seconds);
  contestant.order += amount;
  sink.mails = [];
  await client.query(contestant.clear);
  const input = { url, key, form, first, amount, perSecond: PACED_PER_SECOND };
  const { acceptedAt } = await runToEnd('load-mails.mjs', input);
  await waitFor(contestant, amount);
  assertRight(contestant, first, amount);
  const arrivedAt = new Map(sink.mails.map(({ text, at }) => [text, at]));
  const milliseconds = acceptedAt.map((at, index) =>
    Math.max(0, arrivedAt.get(mailOf(first + index).body) - at),
  );
  return percentiles(milliseconds);
}

async function waitFor({ title, client, sink, sent }, amount) {
  const patience = Date.now() + PATIENCE_MS;
  for (;;) {
    const noted = sent ? Number((await client.query(sent)).rows[0].count) : amount;
    if (sink.mails.length >= amount && noted >= amount) return;
    if (Date.now() > patience) {
      throw new Error(
        `${title}: ${sink.mails.length} of ${amount} e-mails arrived, ${noted} are recorded as sent.`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function assertRight({ title, sink, form }, first, amount) {
  const isComplete = ({ html, isSigned }) =>
    form === 'html' ? html.includes('<h1 style=') : isSigned === (form === 'dkim');
  if (!sink.mails.every(isComplete)) {
    throw new Error(
      `${title}: an e-mail has no HTML with inlined CSS, or its signature is missing or not expected.`,
    );
  }
  const came = sink.mails.map(({ to, subject, text }) => `${to} ${subject} ${text}`);
  const wanted = Array.from({ length: amount }, (_, index) => {
    const { email, subject, body } = mailOf(first + index);
    return `${email} ${subject} ${body}`;
  });
  if (came.sort().join('\n') !== wanted.sort().join('\n')) {
    throw new Error(
      `${title}: of ${amount} e-mails ${came.length} arrived, and some are missing or wrong.`,
    );
  }
}

async function post(url, { headers, body }) {
  return await fetch(url, { method: 'POST', headers, body });
}
