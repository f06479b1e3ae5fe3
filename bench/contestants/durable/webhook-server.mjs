// Provides the common parts of the peers: the HTTP server, which checks signatures as Switchboard does, and the tables.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { SECRET } from '../../webhooks.mjs';
import { listen } from '../serve.mjs';

const SIGNATURE = /^[0-9a-f]{64}$/;
/** The number of database connections in every contestant. */
export const POOL_SIZE = 10;

/** True for a peer that stores webhooks without executing runs. */
export const onlyAccepts = process.argv[2] === 'accept';

export function openPool() {
  return new pg.Pool({ connectionString: process.env.DATABASE_URL, max: POOL_SIZE });
}

/** Responds to each webhook when `accept(payload, bytes)` has stored it durably and resolved with the id of its run. */
export async function serveWebhooks(accept) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      answer(accept, request.headers['x-webhook-signature'], Buffer.concat(chunks)).then(
        ([status, value]) => send(response, status, value),
        (error) => send(response, 500, { ok: false, error: error.message }),
      );
    });
  });
  return `${await listen(server)}/webhook`;
}

/** Stores the webhook of a plain server, and returns the id of its run. */
export async function insertRun(pool, bytes) {
  const id = randomUUID();
  await pool.query({
    name: 'accept',
    text: 'insert into runs (id, payload) values ($1, $2)',
    values: [id, bytes],
  });
  return id;
}

/** Executes the first step of a run: looks up the contact by e-mail address. */
export async function lookUp(db, email) {
  const { rows } = await db.query({
    name: 'look_up',
    text: 'select id, email, first_name from contacts where email = $1',
    values: [email],
  });
  return rows[0];
}

/** Executes the second step of a run: stores the message. */
export async function store(db, runId, contact, { subject, body }) {
  await db.query({
    name: 'store',
    text: 'insert into messages (run_id, contact_id, recipient, subject, body) values ($1, $2, $3, $4, $5)',
    values: [runId, contact.id, contact.email, subject, body],
  });
}

/** Returns status and body of the response to a webhook. */
export async function answer(accept, signature, bytes) {
  if (!isSigned(signature, bytes)) return [401, { ok: false }];
  return [202, { ok: true, runId: await accept(JSON.parse(bytes.toString()), bytes) }];
}

function isSigned(signature, bytes) {
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return false;
  const right = createHmac('sha256', SECRET).update(bytes).digest();
  return timingSafeEqual(Buffer.from(signature, 'hex'), right);
}

function send(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
