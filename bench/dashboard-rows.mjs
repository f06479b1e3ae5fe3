// Fills the tables of runs as the owner of the database, because calls would take hours.

const MEGABYTES = 5;
const STATUSES = ['succeeded', 'failed', 'canceled', 'waiting'];
const TRIGGERS = ['webhook', 'manual', 'schedule', 'event'];

/** Returns each combination of the filters of the page Runs, with frequent and with rare values. */
export function FILTERS({ workflowIds: [common, rare], contactId }) {
  const day = (back) => new Date(Date.now() - back * 86_400_000).toISOString();
  const statuses = [{}, { status: 'succeeded' }, { status: 'canceled' }, { status: 'unfinished' }];
  const workflows = [{}, { workflow_id: common }, { workflow_id: rare }];
  const triggers = [{}, { trigger_type: 'webhook' }, { trigger_type: 'tool' }];
  const others = [
    {},
    { contact_id: contactId },
    { reason: 'step_failed' },
    { reason: 'step_failed:send' },
    { created_after: day(30), created_before: day(20) },
    { finished_after: day(3), finished_before: day(2) },
  ];
  return statuses.flatMap((status) =>
    workflows.flatMap((workflow) =>
      triggers.flatMap((trigger) =>
        others.map((other) => ({ ...status, ...workflow, ...trigger, ...other })),
      ),
    ),
  );
}

/** Inserts runs of 90 days: 95 % belong to one workflow, 90 % succeeded, and one in a thousand has the contact. */
export async function fillRuns(owner, service, count) {
  const workflowIds = [];
  for (const name of ['Common', 'Rare']) {
    const given = { name, trigger: { type: 'manual' }, steps: [], active: false };
    const { workflow } = await service.call('create_workflow', given);
    workflowIds.push(workflow.id);
  }
  const email = 'runs@example.com';
  const { contact } = await service.call('create_contact', { email });
  const { rows } = await owner.query('select organization_id from contacts where id = $1', [
    contact.id,
  ]);
  const values = [rows[0].organization_id, workflowIds, contact.id, STATUSES, TRIGGERS, count];
  await owner.query(
    `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, status, reason, trigger_type,
       payload, contact_id, available_at, created_at, started_at, finished_at)
     select $1, 'run_bench' || lpad(n::text, 12, '0'), ($2::text[])[case when n % 20 = 0 then 2 else 1 end], 1, s.status,
       case s.status when 'failed' then 'step_failed:' || case when n % 3 = 0 then 'send' else 'save' end
                     when 'canceled' then 'requested' when 'waiting' then 'wait' end,
       ($5::text[])[1 + n % 4], '{}'::bytea, case when n % 1000 = 0 then $3 end, now() + interval '400 days', c.at, c.at,
       case when s.status <> 'waiting' then c.at + interval '2 seconds' end
     from generate_series(1, $6::integer) n
     cross join lateral (select case when n % 100 < 90 then 1 when n % 100 < 98 then 2 when n % 100 < 99 then 3 else 4 end
       as place) p
     cross join lateral (select ($4::text[])[p.place] as status) s
     cross join lateral (select now() - interval '90 days' * n / $6 as at) c`,
    values,
  );
  await owner.query('vacuum analyze workflow_runs');
  return { workflowIds, contactId: contact.id };
}

/** Replaces the output of the only step of a run with an output of 5 MB: a long line, many lines, and many members. */
export async function storeLargeOutput(owner, runId) {
  const text = 'A line of an output that is as long as many others.\n';
  const output = JSON.stringify({
    line: 'x'.repeat(1_000_000),
    lines: text.repeat((MEGABYTES * 1_000_000 - 2_000_000) / text.length),
    members: Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `Member ${index}` })),
  });
  await owner.query(
    `update run_steps set output = $2, status = 'succeeded', cut = $3 where run_id = $1`,
    [runId, output, JSON.stringify({ output: cutValue(output) })],
  );
}

/** Returns the preview that the journal stores for a large value. */
function cutValue(json) {
  return { bytes: Buffer.byteLength(json), preview: json.slice(0, 1000) };
}
