const RUNS = 'src/workflows/journal/runs.repository.ts';
const CLAIMED_RUNS = 'src/workflows/engine/claimed-runs.repository.ts';
const RUN_STARTS = 'src/workflows/triggers/run-starts.service.ts';
const HTTP_APPLICATION = 'src/bootstrap/create-http-application.ts';
const DELIVERY_LOG = 'src/workflows/webhooks/delivery-log.service.ts';
const CONNECTIONS = 'src/database/transactions/tenant-connections.ts';
const TENANT_CONNECTIONS = 'src/database/transactions/tenant-connections.ts';
const TOOL_RUNNER = 'src/workflows/engine/runners/tool.runner.ts';
const RUNS_TABLE = 'migrations/tables/workflow_runs.sql';
const LEASES = ['claim_runs', 'renew_runs', 'claim_messages', 'renew_messages'];
const QUEUE_WORKER = 'src/queue/queue-worker.ts';
const BY_DATABASE = 'now() + make_interval(secs => lease_seconds)';
const BY_PROCESS = 'to_timestamp(lease_seconds)';

/**
 * Lists mutants that each remove one mechanism. `edits` are [file, text, replacement]; every occurrence of the text is
 * replaced. `tests` are test files, and `names` are the titles of tests in them of which at least one must fail.
 */
export const MUTANTS = [
  {
    id: 'M1',
    what: 'no polling: only wake-ups start work',
    edits: [
      ['src/queue/leased-worker.ts', 'await this.fill();', 'if (POLL_MS < 0) await this.fill();'],
    ],
    tests: ['test/failpoints/web-failpoints'],
    names: 'FP1:',
  },
  {
    id: 'M2',
    what: 'no fence: writes do not check the epoch',
    edits: [
      [RUNS, 'and epoch = $3 and', 'and $3::integer is not null and'],
      [CLAIMED_RUNS, 'and r.epoch = l.epoch and', 'and l.epoch is not null and'],
    ],
    tests: ['test/failpoints/worker-failpoints', 'test/workflows/run-recovery'],
    names: 'FP3|keeps a worker that lost its lease',
  },
  {
    id: 'M3',
    what: 'wake workers before the commit',
    edits: [
      [
        RUN_STARTS,
        'this.tenants.afterCommit(() => this.wakeWorkers(organizationId, run, limits !== null));',
        'this.wakeWorkers(organizationId, run, limits !== null);',
      ],
    ],
    tests: ['test/workflows/webhook-durability'],
    names: 'neither answers ok nor wakes workers before the commit',
  },
  {
    id: 'M4',
    what: 'answer before the commit',
    edits: [
      [
        RUN_STARTS,
        '    const store = async (): Promise<(string | undefined)[]> => {\n',
        `    let answer: (ids: (string | undefined)[]) => void = () => undefined;
    const early = new Promise<(string | undefined)[]>((resolve) => (answer = resolve));
    const store = async (): Promise<(string | undefined)[]> => {
      answer(runs.map(({ id }) => id));\n`,
      ],
      [
        RUN_STARTS,
        'return await this.tenants.transaction(organizationId, store, { singleStatement: !isLimited });',
        `const options = { singleStatement: !isLimited };
    this.tenants.transaction(organizationId, store, options).catch(() => undefined);
    return await early;`,
      ],
    ],
    tests: ['test/workflows/webhook-durability', 'test/failpoints/web-failpoints'],
    names: 'neither answers ok nor wakes workers before the commit|FP1b',
  },
  {
    id: 'M5',
    what: 'no unique constraint: look for the key, then insert',
    edits: [
      [
        RUNS_TABLE,
        '  constraint workflow_runs_dedupe_key unique (organization_id, workflow_id, dedupe_key),\n',
        '',
      ],
      [
        RUNS,
        `    order by g.dedupe_key
    on conflict on constraint workflow_runs_dedupe_key do nothing`,
        `    where not exists (select from workflow_runs d
      where d.organization_id = $1 and d.workflow_id = g.workflow_id and d.dedupe_key = g.dedupe_key)`,
      ],
    ],
    tests: ['test/failpoints/web-failpoints'],
    names: 'FP1b: lets a delivery with the same key wait',
  },
  {
    id: 'M6',
    what: 'a new idempotency key for each external call',
    edits: [
      [TOOL_RUNNER, '`${run.lease.id}:${path}`', '`${run.lease.id}:${path}:${Math.random()}`'],
    ],
    tests: ['test/failpoints/worker-failpoints', 'test/workflows/run-recovery'],
    names: 'FP2: repeats a call|continues on another worker after the lease',
  },
  {
    id: 'M7',
    what: 'leases by the clock of the process instead of the database',
    edits: [
      ...LEASES.map((name) => [`migrations/functions/${name}.sql`, BY_DATABASE, BY_PROCESS]),
      [
        QUEUE_WORKER,
        'id ?? null, LEASE_SECONDS]',
        'id ?? null, Math.floor(Date.now() / 1000) + LEASE_SECONDS]',
      ],
      [
        QUEUE_WORKER,
        'keysOf(claims), LEASE_SECONDS]',
        'keysOf(claims), Math.floor(Date.now() / 1000) + LEASE_SECONDS]',
      ],
    ],
    tests: ['test/workflows/run-recovery'],
    names: 'measures leases by the database clock',
  },
  {
    id: 'M8',
    what: 'the effect of a step is committed before its row in the run journal',
    edits: [
      [
        TOOL_RUNNER,
        'import { Failpoints }',
        "import { TenantDatabase } from '../../../database/transactions/tenant-database.js';\nimport { Failpoints }",
      ],
      [
        TOOL_RUNNER,
        'private readonly failpoints: Failpoints,',
        'private readonly failpoints: Failpoints, private readonly tenants: TenantDatabase,',
      ],
      [
        TOOL_RUNNER,
        '      const output = await this.caller.call(run, tool, input, step.timeout);',
        `      const call = () => this.caller.call(run, tool, input, step.timeout);
      const output = await this.tenants.outside(call);`,
      ],
    ],
    tests: ['test/failpoints/worker-failpoints', 'test/workflows/run-recovery'],
    names: 'FP5|rolls back the effect of a step that is stopped',
  },
  {
    id: 'S1',
    what: 'answers may be stored',
    edits: [[HTTP_APPLICATION, "sample.setHeader('Cache-Control', 'no-store');", '']],
    tests: ['test/http/no-store'],
    names: 'is no-store',
  },
  {
    id: 'S2',
    what: 'several Host headers are accepted',
    edits: [[HTTP_APPLICATION, 'app.use(refuseSeveralHosts);', 'void refuseSeveralHosts;']],
    tests: ['test/http/host-headers'],
    names: 'is refused',
  },
  {
    id: 'S3',
    what: 'slow clients are looked for every 30 s',
    edits: [[HTTP_APPLICATION, 'Interval: TIMEOUT_CHECK_MS,', 'Interval: TIMEOUT_CHECK_MS * 30,']],
    tests: ['test/http/slow-connections'],
    names: 'is disconnected soon after its time',
  },
  {
    id: 'S4',
    what: 'the first account is created without a lock',
    edits: [
      [
        'migrations/functions/create_first_account.sql',
        'lock table gate.users in share row exclusive mode;',
        '',
      ],
    ],
    tests: ['test/accounts/closed-sign-up'],
    names: 'creates one account for simultaneous sign-ups',
  },
  {
    id: 'S5',
    what: 'a delivery that cannot be written takes the others with it',
    edits: [[DELIVERY_LOG, 'await this.writeEach(deliveries)', 'await this.writeEach([])']],
    tests: ['test/workflows/hostile-deliveries'],
    names: 'that the database refuses removes no other',
  },
  {
    id: 'S6',
    what: 'strangers share the limits of senders with the secret',
    edits: [
      [
        DELIVERY_LOG,
        "kind === 'refused' && !verified ? 'stranger' : kind",
        'verified ? kind : kind',
      ],
    ],
    tests: ['test/workflows/hostile-deliveries'],
    names: 'without a signature removes no delivery whose signature was right',
  },
  {
    id: 'S7',
    what: 'simultaneous replays of a body do not wait for each other',
    edits: [[RUNS, 'pg_advisory_xact_lock(hashtextextended($1, 0))', 'hashtextextended($1, 0)']],
    tests: ['test/workflows/webhook-replays'],
    names: 'starts one run for simultaneous replays',
  },
  {
    id: 'S8',
    what: 'the client of an agent confirms what a person must approve',
    edits: [
      [
        'src/tools/pipeline/tool-pipeline.ts',
        "if (call.confirmation === 'always') return",
        "if (call.confirmation === 'always' && call.dryRun) return",
      ],
    ],
    tests: ['test/mcp/approval'],
    names: 'cannot approve it by answering an input request itself',
  },
  {
    id: 'S9',
    what: 'an approval covers every call of the tool',
    edits: [
      [
        'src/tools/confirmations/confirmations.repository.ts',
        'where: { organizationId, apiKeyId, tool, digest }',
        'where: { organizationId, apiKeyId, tool, ...(digest.length === 0 && { digest }) }',
      ],
    ],
    tests: ['test/mcp/approval'],
    names: 'gets no approval for other arguments',
  },
  {
    id: 'S10',
    what: 'one organization gets all connections of a process',
    edits: [
      [
        'src/database/transactions/connection-shares.ts',
        'return this.free > (this.heldBy(organizationId) === 0 ? 0 : this.reserved);',
        'return this.free > 0;',
      ],
    ],
    tests: ['test/database/connection-shares'],
    names: 'do not make calls of another organization wait',
  },
  {
    id: 'S11',
    what: 'sessions that SQL has changed are used again',
    edits: [[CONNECTIONS, "await client.query('discard all');", "await client.query('select 1');"]],
    tests: ['test/database/changed-sessions'],
    names: 'does not reach the next transaction',
  },
  {
    id: 'S12',
    what: 'SQL that the tenant role may not execute is not reported',
    edits: [[TENANT_CONNECTIONS, "sqlState(error) !== '42501'", "sqlState(error) !== '00000'"]],
    tests: ['test/database/tenant-database'],
    names: 'reports SQL that the tenant role may not execute',
  },
];
