import { mailOf } from './sender.mjs';

const MOST_EXAMPLES = 3;

/**
 * Compares the responses to senders, the rows in PostgreSQL and the calls that the sink recorded. Returns every broken
 * promise in `violations`, and counts of accepted webhooks, runs and repeated effects in `figures`.
 */
export async function check({ orders, workflowId, postgres, ledger }) {
  const runs = await postgres.query(
    `select id, status, reason, dedupe_key, convert_from(payload, 'UTF8')::json ->> 'order' as subject
     from workflow_runs where workflow_id = $1`,
    [workflowId],
  );
  const effects = countBy(
    await postgres.query(
      `select c.first_name as subject from contacts c where c.first_name is not null
       and organization_id = (select organization_id from workflows where id = $1)`,
      [workflowId],
    ),
    ({ subject }) => subject,
  );
  const messages = countBy(
    await postgres.query(
      `select m.run_id from messages m join workflow_runs r
       on r.organization_id = m.organization_id and r.id = m.run_id where r.workflow_id = $1`,
      [workflowId],
    ),
    ({ run_id: runId }) => runId,
  );
  const unsent = await postgres.query(
    `select m.id, m.run_id, m.status, m.status_reason, m.on_uncertain from messages m join workflow_runs r
     on r.organization_id = m.organization_id and r.id = m.run_id
     where r.workflow_id = $1 and m.status <> 'sent'`,
    [workflowId],
  );
  const isHeld = ({ status, on_uncertain: policy }) => policy === 'hold' && status === 'uncertain';
  const held = new Set(unsent.filter(isHeld).map(({ run_id: runId }) => runId));
  const runsOf = groupBy(runs, ({ subject }) => subject);
  const byId = new Map(runs.map((run) => [run.id, run]));
  const calls = groupBy(
    ledger.filter(({ kind }) => kind === 'call'),
    ({ subject }) => subject,
  );
  const mails = groupBy(
    ledger.filter(({ kind }) => kind === 'mail'),
    ({ subject }) => subject,
  );

  const violations = [];
  const expect = (holds, what, ...details) => {
    if (!holds) violations.push({ what, details: details.map((detail) => JSON.stringify(detail)) });
  };
  const figures = {
    accepted: 0,
    runs: runs.length,
    repeatedCalls: 0,
    repeatedMails: 0,
    heldMails: held.size,
  };
  for (const order of orders) {
    const { subject, runIds } = order;
    const mine = runsOf.get(subject) ?? [];
    if (runIds.length > 0) figures.accepted += 1;
    for (const id of runIds) {
      const run = byId.get(id);
      expect(
        run?.status === 'succeeded',
        'lost: answered ok, but the run did not succeed',
        subject,
        run ?? id,
      );
    }
    expect(
      new Set(runIds).size <= 1,
      'doubled: one key was answered with two runs',
      subject,
      runIds,
    );
    expect(mine.length <= 1, 'doubled: one key has two runs', subject, mine);
    expect(
      !order.keyed || runIds.length > 0,
      'lost: a sender that retries was never answered ok',
      subject,
    );
    const done = mine.filter(({ status }) => status === 'succeeded').length;
    expect((effects.get(subject) ?? 0) === done, 'doubled or lost: internal effect', subject, mine);
    for (const { id } of mine) {
      const due = order.mail ? 1 : 0;
      expect((messages.get(id) ?? 0) === due, 'doubled or lost: message of a run', subject, id);
    }
    const myCalls = calls.get(subject) ?? [];
    expect(myCalls.length >= done, 'lost: external call', subject, mine);
    const keys = new Set(myCalls.map(({ key }) => key));
    const wanted = new Set(mine.map(({ id }) => `${id}:call`));
    expect(
      [...keys].every((key) => wanted.has(key?.slice(0, key.lastIndexOf(':')))),
      'an external call with another key',
      [...keys],
    );
    figures.repeatedCalls += Math.max(0, myCalls.length - keys.size);
    const myMails = mails.get(mailOf(subject)) ?? [];
    const isUncertain = mine.some(({ id }) => held.has(id));
    expect(!order.mail || isUncertain || myMails.length >= done, 'lost: e-mail', subject, mine);
    expect(
      order.onUncertain === 'resend' || myMails.length <= 1,
      'doubled: an e-mail that is not sent again when its outcome is not known',
      subject,
    );
    const mailKeys = new Set(myMails.map(({ key }) => key));
    expect(mailKeys.size <= 1 && !mailKeys.has(null), 'an e-mail with another Message-ID', subject);
    figures.repeatedMails += Math.max(0, myMails.length - mailKeys.size);
  }
  for (const message of unsent) {
    expect(isHeld(message), 'lost: a message that was not sent', message);
  }
  return { violations, figures };
}

/** Returns one line for each kind of violation, with its count and some examples. */
export function describeViolations(violations) {
  return [...groupBy(violations, ({ what }) => what)].map(
    ([what, all]) =>
      `${all.length} × ${what}: ${all
        .slice(0, MOST_EXAMPLES)
        .map(({ details }) => details.join(' '))
        .join('; ')}`,
  );
}

function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(value);
  }
  return groups;
}

function countBy(values, keyOf) {
  return new Map([...groupBy(values, keyOf)].map(([key, group]) => [key, group.length]));
}
