import { setTimeout as sleep } from 'node:timers/promises';

const FILES = 5;
const ROWS = 2000;
/** Every 100th row repeats the row before it, and every 77th row has a wrong address. */
const REPEATED_EVERY = 100;
const WRONG_EVERY = 77;
const PAUSE_MS = 300;
const GIVE_UP_MS = 300_000;

/** Returns files with contacts, and the numbers of contacts and of rejected rows that each import must produce. */
export function planImports(name) {
  return Array.from({ length: FILES }, (_, file) => {
    const prefix = `${name}-${file}-`;
    const lines = ['external_id,email,last_name'];
    const wanted = { created: 0, duplicate: 0, failed: 0 };
    for (let row = 1; row <= ROWS; row += 1) {
      if (row % REPEATED_EVERY === 0) {
        wanted.duplicate += 1;
        lines.push(`${prefix}${row - 1},${prefix}${row - 1}@import.example,Repeated`);
      } else if (row % WRONG_EVERY === 0 && (row + 1) % REPEATED_EVERY !== 0) {
        wanted.failed += 1;
        lines.push(`${prefix}${row},wrong,Wrong`);
      } else {
        wanted.created += 1;
        lines.push(`${prefix}${row},${prefix}${row}@import.example,Row ${row}`);
      }
    }
    return { prefix, wanted, text: lines.join('\n') };
  });
}

/** Uploads and starts the imports, evenly over `seconds`, while faults happen. Sets the id of each import. */
export async function startImports(imports, { webs, cookie, seconds }) {
  for (const [index, job] of imports.entries()) {
    if (index > 0) await sleep((seconds * 1000) / imports.length);
    await startImport(job, webs, cookie, index);
  }
}

/** Uploads and starts one import. Repeats an upload that got no answer: only the import that is started counts. */
async function startImport(job, webs, cookie, first) {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (let attempt = 0; Date.now() < giveUpAt; attempt += 1) {
    const { url } = webs[(first + attempt) % webs.length];
    const headers = { Cookie: cookie, Origin: url };
    try {
      job.id ??= await upload(url, headers, job);
      if (await isStarted(url, headers, job.id)) return;
    } catch {
      // The process or PostgreSQL was killed.
    }
    await sleep(PAUSE_MS);
  }
}

async function upload(url, headers, { text }) {
  const response = await fetch(`${url}/api/imports`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body: text,
    signal: AbortSignal.timeout(60_000),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(body));
  return body.import.id;
}

/** Starts the import, and returns whether it is started. The answer 409 means that an earlier attempt started it. */
async function isStarted(url, headers, id) {
  const response = await fetch(`${url}/api/tools/start_import`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ import_id: id, match_by: 'external_id' }),
    signal: AbortSignal.timeout(10_000),
  });
  return response.ok || response.status === 409;
}

/** Returns the number of imports that have not ended. */
export async function countRunning(postgres, imports) {
  const [{ left }] = await postgres.query(
    `select count(*)::integer as left from imports where id = any($1) and status = 'running'`,
    [imports.flatMap(({ id }) => id ?? [])],
  );
  return left;
}

/** Returns a violation for each import whose counts, contacts or rejected rows differ from its file. */
export async function checkImports(postgres, imports) {
  const violations = [];
  for (const { id, prefix, wanted } of imports) {
    const [found] = await postgres.query(
      `select i.status, i.created, i.duplicate, i.failed, i.updated + i.unchanged + i.skipped as others,
         (select count(*)::integer from contacts c
          where c.organization_id = i.organization_id and starts_with(c.external_id, $2)) as contacts,
         (select count(*)::integer from import_faults f
          where f.organization_id = i.organization_id and f.import_id = i.id and f.generation = i.generation) as faults
       from imports i where i.id = $1`,
      [id ?? '', prefix],
    );
    const { created, duplicate, failed } = wanted;
    const isRight =
      found?.status === 'completed' &&
      found.created === created &&
      found.duplicate === duplicate &&
      found.failed === failed &&
      found.others === 0 &&
      found.contacts === created &&
      found.faults === duplicate + failed;
    if (isRight) continue;
    const details = [JSON.stringify({ id, prefix, wanted }), JSON.stringify(found)];
    violations.push({ what: 'doubled or lost: rows of an import', details });
  }
  return violations;
}
