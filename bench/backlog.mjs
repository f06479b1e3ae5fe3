// Creates organizations and runs for the backlogs of `growth-claims.mjs` and `growth-neighbours.mjs`.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** A payload of typical length, so that rows are as large as in production. */
const PAYLOAD = JSON.stringify({ email: 'someone@example.com', note: 'x'.repeat(150) });

/** Signs up an organization. Returns its id, and a function that calls a tool as the owner of the organization. */
export async function signUp(url) {
  const signedUp = await fetch(`${url}/api/auth/sign-up`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email: `${randomUUID()}@example.com`,
      password: 'correct horse battery staple',
      organization_name: 'Bench',
    }),
  });
  if (signedUp.status !== 201) throw new Error(`Signing up failed: ${await signedUp.text()}`);
  const cookie = signedUp.headers.getSetCookie()[0].split(';')[0];
  const { organization } = await signedUp.json();
  const call = async (tool, given) => {
    const response = await fetch(`${url}/api/tools/${tool}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: cookie, Origin: url },
      body: JSON.stringify(given),
    });
    if (!response.ok) throw new Error(`${tool}: ${await response.text()}`);
    return await response.json();
  };
  return { organizationId: organization.id, call };
}

/** Sends a webhook. Resolves with the id of its run when the response has arrived. */
export async function postWebhook(url, workflowId, payload) {
  const response = await fetch(`${url}/api/webhooks/workflow/${workflowId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(payload),
  });
  if (response.status !== 202) throw new Error(`The webhook failed: ${await response.text()}`);
  return (await response.json()).runId;
}

/** Inserts organizations with one workflow each, without signing them up. */
export async function insertOrganizations(client, count) {
  const { rows } = await client.query(
    `with made as (
       insert into organizations (id, name)
       select 'org_' || substr(md5(random()::text || n), 1, 22), 'Backlog ' || n from generate_series(1, $1::int) n
       returning id
     ), workflows as (
       insert into workflows (organization_id, id, name, active, version, trigger_type)
       select id, md5(id), 'Backlog', true, 1, 'manual' from made returning organization_id, id
     ), versions as (
       insert into workflow_versions (organization_id, workflow_id, version, steps)
       select organization_id, id, 1, '[]' from workflows
     )
     select organization_id as "organizationId", id as "workflowId" from workflows`,
    [count],
  );
  return rows;
}

/**
 * Inserts runs directly, spread over the workflows. Queued runs are already due; waiting runs become due later. Foreign
 * keys are not checked, because the checks would take most of the time.
 */
export async function insertRuns(client, workflows, status, count) {
  await client.query(`set session_replication_role = replica`);
  for (let done = 0; done < count; done += 50_000) {
    await client.query(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, status, trigger_type, payload,
         created_at, available_at)
       select ($1::text[])[w], 'run_' || substr(md5(random()::text || n), 1, 22), ($2::text[])[w], 1, $3, 'manual', $4,
         now() - interval '1 day', now() + $5::int * (interval '1 hour' + random() * interval '1 day')
       from (select n, 1 + n % cardinality($1::text[]) as w from generate_series($6::int, $7::int) n) numbered`,
      [
        workflows.map(({ organizationId }) => organizationId),
        workflows.map(({ workflowId }) => workflowId),
        status,
        Buffer.from(PAYLOAD),
        status === 'queued' ? -1 : 1,
        done + 1,
        Math.min(done + 50_000, count),
      ],
    );
  }
  await client.query(`set session_replication_role = origin`);
}

export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/**
 * Sends webhooks at a rate, and returns the milliseconds from each response until its run has succeeded. All times are
 * from the clock of this machine.
 */
export async function timeRuns(client, web, { organizationId, workflowId, perSecond, seconds }) {
  const answers = new Map();
  const pending = [];
  for (let number = 0; number < seconds * perSecond; number += 1) {
    pending.push(
      postWebhook(web, workflowId, { number }).then((runId) => answers.set(runId, Date.now())),
    );
    await sleep(1000 / perSecond);
  }
  await Promise.all(pending);
  for (;;) {
    const { rows } = await client.query(
      `select id, finished_at, status from workflow_runs where organization_id = $1 and id = any($2)`,
      [organizationId, [...answers.keys()]],
    );
    if (rows.some(({ status }) => status === 'failed')) throw new Error('A run failed.');
    if (rows.every(({ finished_at: finishedAt }) => finishedAt !== null)) {
      return rows.map((row) => Math.max(0, row.finished_at.getTime() - answers.get(row.id)));
    }
    await sleep(200);
  }
}
