// Runs graphile-worker with nodemailer. One statement stores the e-mail and its job. The job sends the e-mail and then
// marks it as sent.
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { announce } from '../serve.mjs';
import { deliver, serveMails } from './mail-server.mjs';

/** The number of workers, the same as in Switchboard. */
const POOL_SIZE = 10;
const connectionString = process.env.DATABASE_URL;
const pool = new pg.Pool({ connectionString, max: POOL_SIZE });
await run({
  connectionString,
  maxPoolSize: POOL_SIZE,
  concurrency: POOL_SIZE,
  noHandleSignals: true,
  logger: new Logger(() => () => undefined),
  taskList: { deliver: deliverOne },
});
const url = await serveMails(async ({ email, subject, body }) => {
  const { rows } = await pool.query({
    name: 'accept',
    text: `with stored as (
        insert into mails (contact_id, recipient, subject, body)
        select id, email, $2, $3 from contacts where email = $1 returning id
      )
      select graphile_worker.add_job('deliver', json_build_object('id', id)) from stored`,
    values: [email, subject, body],
  });
  return rows.length === 1;
});
announce({ url });

async function deliverOne({ id }, { withPgClient }) {
  const { rows } = await withPgClient((db) =>
    db.query({
      name: 'mail',
      text: 'select recipient, subject, body from mails where id = $1',
      values: [id],
    }),
  );
  await deliver(rows[0]);
  await withPgClient((db) =>
    db.query({
      name: 'sent',
      text: `update mails set status = 'sent', sent_at = now() where id = $1`,
      values: [id],
    }),
  );
}
