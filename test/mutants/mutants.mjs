const RUNS = 'src/workflows/journal/runs.repository.ts';
const RUN_INSERT = 'src/workflows/journal/run-insert.ts';
const CLAIMED_RUNS = 'src/workflows/engine/claimed-runs.repository.ts';
const RUN_STARTS = 'src/workflows/triggers/run-starts.service.ts';
const HTTP_APPLICATION = 'src/bootstrap/create-http-application.ts';
const DELIVERY_LOG = 'src/workflows/webhooks/delivery-log.service.ts';
const SESSIONS = 'src/database/driver/session-settings.ts';
const TENANT_CONNECTIONS = 'src/database/transactions/tenant-connections.ts';
const TOOL_RUNNER = 'src/workflows/engine/runners/tool.runner.ts';
const RUNS_TABLE = 'migrations/tables/workflow_runs.sql';
const LEASES = ['lease_runs', 'renew_runs', 'claim_messages', 'renew_messages'];
const SHARED_COMMITS = 'src/database/transactions/shared-commits.ts';
const QUEUE_WORKER = 'src/queue/queue-worker.ts';
const BY_DATABASE = 'now() + make_interval(secs => lease_seconds)';
const BY_PROCESS = 'to_timestamp(lease_seconds)';

/**
 * Lists mutants that each remove one mechanism. `edits` are [file, text, replacement]; every occurrence of the text is
 * replaced. `tests` are test files. `names` are titles of tests in these files, and at least one of these tests must
 * fail.
 */
export const MUTANTS = [
  {
    id: 'M1',
    what: 'no polling: only wake-ups start work',
    edits: [
      [
        'src/queue/due-work.ts',
        'if (!this.isStopped) this.listeners',
        'if (this.failures < 0) this.listeners',
      ],
    ],
    tests: ['test/failpoints/web-failpoints'],
    names: 'FP1:',
  },
  {
    id: 'M1b',
    what: 'polling does not look for runs whose worker has died',
    edits: [
      [
        'migrations/functions/find_due_work.sql',
        "r.status = 'running' and r.available_at <= now()",
        "r.status = 'running' and r.available_at > now()",
      ],
    ],
    tests: ['test/queue/due-work'],
    names: 'was left by a dead worker',
  },
  {
    id: 'M2',
    what: 'no fence: writes do not check the epoch',
    edits: [
      [RUNS, 'and epoch = $3 and', 'and $3::integer is not null and'],
      [
        RUNS,
        'and epoch = ($3::integer[])[array_position($2::text[], id)] and',
        'and $3::integer[] is not null and',
      ],
      [CLAIMED_RUNS, 'and r.epoch = l.epoch and', 'and l.epoch is not null and'],
    ],
    tests: ['test/failpoints/worker-failpoints', 'test/workflows/run-recovery'],
    names: 'FP3|prevents writes of a worker that lost its lease',
  },
  {
    id: 'M3',
    what: 'wake workers before the commit',
    edits: [
      [
        RUN_STARTS,
        'this.tenants.afterCommit(() => {\n      const slot',
        '[() => {\n      const slot',
      ],
      [
        RUN_STARTS,
        'limits !== null, slot);\n    });',
        'limits !== null, slot);\n    }].forEach((wake) => wake());',
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
        'const ids = await this.tenants.transaction(organizationId, store, {\n        singleStatement: !isLimited,\n      });',
        `const options = { singleStatement: !isLimited };
      this.tenants.transaction(organizationId, store, options).catch(() => undefined);
      const ids = await early;`,
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
        RUN_INSERT,
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
      [
        TOOL_RUNNER,
        'createStepKey(run.lease.id, path, identity)',
        '`${run.lease.id}:${path}:${Math.random()}`',
      ],
    ],
    tests: ['test/failpoints/worker-failpoints', 'test/workflows/run-recovery'],
    names: 'FP2: repeats a call|continues on another worker after the lease',
  },
  {
    id: 'M9',
    what: 'the steps of on_failure begin while other steps of the run are running',
    edits: [
      [
        'src/workflows/engine/run-executor.service.ts',
        'if (isFailureStep(place.step) && running.size > 0) return;',
        '',
      ],
    ],
    tests: ['test/workflows/on-failure'],
    names: 'begins when the other running steps are done',
  },
  {
    id: 'M10',
    what: 'a retry keeps the steps of on_failure of the first failure',
    edits: [
      [
        'src/workflows/journal/run-retry-plan.ts',
        'if (handling.has(id) || stepId',
        'if (id === undefined || stepId',
      ],
    ],
    tests: ['test/workflows/on-failure'],
    names: 'runs again with a new idempotency key when a retry of the run fails',
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
        '      const output = await this.caller.call(attempt, tool, input);',
        `      const call = () => this.caller.call(attempt, tool, input);
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
    what: 'the server looks for slow clients only every 30 s',
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
    what: 'a delivery that cannot be written makes the log lose other deliveries',
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
    names: 'without a signature removes no delivery with a valid signature',
  },
  {
    id: 'S7',
    what: 'simultaneous replays of a body do not wait for each other',
    edits: [[RUNS, 'select lock_name($1, false)', 'select $1::text']],
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
    names: 'cannot approve the call by answering an input request',
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
    edits: [
      [SESSIONS, "  await client.query('discard all');", "  await client.query('select 1');"],
    ],
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
  {
    id: 'S13',
    what: 'new contacts and runs are not refused over a measured quota',
    edits: [
      [
        'migrations/functions/refuse_insert.sql',
        'if exists (select from private.quota_refusals) then',
        'if false then',
      ],
    ],
    tests: ['test/quotas/measured-quotas'],
    names:
      'is also enforced for SQL of a tool|refuses a run that a person starts, with the same error',
  },
  {
    id: 'S14',
    what: 'messages are not counted against their quota',
    edits: [
      [
        'migrations/functions/count_insert.sql',
        'perform private.take_quota(counted.organization_id, tg_argv[0], counted.amount, on_day);',
        'null;',
      ],
    ],
    tests: ['test/quotas/quotas'],
    names: 'is small for an organization that signed up, until an operator raises it',
  },
  {
    id: 'S15',
    what: 'attempts to sign in are not counted per account and network',
    edits: [
      [
        'src/accounts/credential-limits.ts',
        "const waitSeconds = await this.take(ownerOf(address), 'take_sign_in_token', values);",
        "const waitSeconds = (await this.take(ownerOf(address), 'take_sign_in_token', values)) * 0;",
      ],
    ],
    tests: ['test/accounts/sign-in-limits'],
    names: 'are the same for existing and for unknown accounts',
  },
  {
    id: 'S16',
    what: 'a network that signed in before has no bucket of its own',
    edits: [
      [
        'migrations/functions/take_sign_in_token.sql',
        'where lower(u.email) = account and k.network = from_network',
        'where lower(u.email) = account and k.network = from_network and false',
      ],
    ],
    tests: ['test/accounts/sign-in-limits'],
    names: 'do not let strangers lock out a network address',
  },
  {
    id: 'S17',
    what: 'SQL of a tool can write the audit log without a signature',
    edits: [
      [
        'migrations/functions/is_signed.sql',
        'return coalesce(signature = expected, false);',
        'return true;',
      ],
    ],
    tests: ['test/database/tenant-writes'],
    names: 'cannot call the functions of the audit log without a signature',
  },
  {
    id: 'S18',
    what: 'the hash of an entry does not contain the hash before it',
    edits: [
      [
        'migrations/functions/seal_audit_log.sql',
        'chain.hash := sha256(chain.hash || convert_to',
        'chain.hash := sha256(convert_to',
      ],
    ],
    tests: ['test/audit/audit-chain'],
    names: 'is complete while nobody changes it',
  },
  {
    id: 'S19',
    what: 'the hash of an entry is not compared with its content',
    edits: [
      [
        'src/audit/audit-verifier.ts',
        '.update(content).digest();',
        '.update(content).digest() && stored;',
      ],
    ],
    tests: ['test/audit/audit-chain'],
    names: 'is checked correctly even when functions of another schema',
  },
  {
    id: 'S20',
    what: 'keys do not expire',
    edits: [
      [
        'migrations/functions/find_api_key.sql',
        'case when k.revoked_at is null and k.expires_at <= now() then k.expires_at end',
        'null::timestamptz',
      ],
    ],
    tests: ['test/keys/restricted-keys'],
    names: 'is refused after its expiry',
  },
  {
    id: 'S21',
    what: 'read-only keys change data',
    edits: [
      [
        'src/policies/key-restriction.ts',
        'if (readOnly && !tool.readOnly) {',
        'if (readOnly && tool.names.length === 0) {',
      ],
    ],
    tests: ['test/keys/restricted-keys'],
    names: 'is refused in a batch and in a dry run',
  },
  {
    id: 'S22',
    what: 'keys with a list of tools call every tool',
    edits: [
      [
        'src/policies/key-restriction.ts',
        'if (tools === null || tool.names.some((name) => tools.includes(name))) return undefined;',
        'if (tools === null || tool.names.length > 0) return undefined;',
      ],
    ],
    tests: ['test/keys/restricted-keys'],
    names: 'may call an offered workflow of the list only',
  },
  {
    id: 'S23',
    what: 'an agent may change the arguments after a person approved the call',
    edits: [
      [
        'src/tools/pipeline/tool-pipeline.ts',
        'digest: fingerprint(input),',
        'digest: fingerprint({}),',
      ],
    ],
    tests: ['test/mcp/approval'],
    names: 'gets no approval for other arguments',
  },
  {
    id: 'S24',
    what: 'calls that wait for locks of an organization take every connection of the gate',
    edits: [
      [
        'src/database/gate-database.ts',
        'new ConnectionShares(Math.floor(max / 2),',
        'new ConnectionShares(max * 100,',
      ],
    ],
    tests: ['test/database/gate-shares'],
    names: 'leave connections for keys and sessions, for any number of organizations',
  },
  {
    id: 'S25',
    what: 'sign-up is open although SIGN_UP=closed',
    edits: [
      [
        'src/accounts/accounts.service.ts',
        "const isClosed = this.env.signUp === 'closed';",
        "const isClosed = this.env.signUp !== 'closed';",
      ],
    ],
    tests: ['test/accounts/sign-up'],
    names: 'allows the first account and no other',
  },
  {
    id: 'S26',
    what: 'a verification token of another account is accepted',
    edits: [
      [
        'src/accounts/verification/address-verification.service.ts',
        'JSON.stringify([userId, email, token])',
        'JSON.stringify([userId.length, email.length, token])',
      ],
      [
        'migrations/functions/verify_address.sql',
        'where v.user_id = by_user_id and v.digest',
        'where v.digest',
      ],
    ],
    tests: ['test/accounts/verified-address'],
    names: 'refuses the token of another account',
  },
  {
    id: 'S27',
    what: 'a verification token is valid for ever',
    edits: [
      ['migrations/functions/verify_address.sql', ' and v.expires_at > clock_timestamp()', ''],
    ],
    tests: ['test/accounts/verified-address'],
    names: 'refuses an expired token',
  },
  {
    id: 'S28',
    what: 'verification mails of one mailbox are not limited',
    edits: [
      [
        'src/accounts/credential-limits.ts',
        '[`verification mails to ${mailboxOf(email)}`, perDay]',
        '[`verification mails to ${mailboxOf(email)} of ${userId}`, perDay]',
      ],
    ],
    tests: ['test/accounts/verified-address'],
    names: 'sends a mailbox at most a few mails a day',
  },
  {
    id: 'S29',
    what: 'the audit log is checked with functions of a hostile search_path',
    edits: [['src/audit/audit-verifier.ts', "'set local search_path = pg_catalog'", "'select 1'"]],
    tests: ['test/audit/audit-chain'],
    names: 'is checked correctly even when functions of another schema',
  },
  {
    id: 'S30',
    what: 'a pooler whose sessions serve several clients is accepted',
    edits: [['src/database/setup/pooler-mode.ts', "return 'shared';", "return 'session';"]],
    tests: ['test/database/pgbouncer-modes'],
    names: 'mode, before the first migration',
  },
  {
    id: 'S31',
    what: 'a session behind a pooler loses its limits when it is reset',
    edits: [[SESSIONS, 'if (session) await setUp(client, session.settings);', '']],
    tests: ['test/database/pgbouncer.e2e-spec'],
    names: 'also after a reset',
  },
  {
    id: 'S32',
    what: 'the outbound proxy gets a name, which it resolves itself',
    edits: [
      [
        'src/outbound/outbound-client.ts',
        'connectThrough(this.proxy, addresses,',
        'connectThrough(this.proxy, [target.host],',
      ],
    ],
    tests: ['test/outbound/outbound-proxy'],
    names: 'is asked for the checked address',
  },
  {
    id: 'S33',
    what: 'files keep the secrets of their request',
    edits: [
      [
        'src/outbound/hidden-secrets.ts',
        'if (places.isEmpty) return bytes;',
        'if (places !== null) return bytes;',
      ],
    ],
    tests: ['test/workflows/http-request-files'],
    names: 'have no secret of the request',
  },
  {
    id: 'U1',
    what: 'unknown variables of a template are ignored',
    edits: [['src/templates/variable-values.ts', 'if (known.has(name)) continue;', 'continue;']],
    tests: ['test/templates/sending.e2e-spec'],
    names: 'an unknown variable',
  },
  {
    id: 'U2',
    what: 'a digest renders its items with the newest version of the template',
    edits: [
      [
        'src/messaging/message-digests.service.ts',
        'const from = await this.templates.findUsed(organizationId, templateId, version);',
        'const from = version > 0 ? templateId : await this.templates.findUsed(organizationId, templateId, version);',
      ],
    ],
    tests: ['test/templates/sending.e2e-spec'],
    names: 'collects the variables of all calls, and keeps the template version of the first call',
  },
  {
    id: 'U3',
    what: 'a template for SMS is chosen among the languages that have only an e-mail',
    edits: [
      [
        'src/templates/prepared-version.ts',
        'variant[part] ? [locale] : [],',
        'variant.email || variant[part] ? [locale] : [],',
      ],
    ],
    tests: ['test/templates/sending.e2e-spec'],
    names: 'is used in the locale of the contact only when this locale has a text for SMS',
  },
  {
    id: 'U4',
    what: 'steps may name templates that do not exist',
    edits: [
      [
        'src/workflows/authoring/template-references.ts',
        'if (tool !== SEND || typeof id',
        "if (tool !== '' || typeof id",
      ],
    ],
    tests: ['test/templates/steps.e2e-spec'],
    names: 'an unknown template',
  },
  {
    id: 'U5',
    what: 'values of HTML are not escaped in templates',
    edits: [
      [
        'src/templates/prepared-version.ts',
        "html: this.compile(html, 'html')",
        "html: this.compile(html, 'text')",
      ],
    ],
    tests: ['test/templates/sending.e2e-spec'],
    names: 'has the subject, HTML and text of the template, and names its version',
  },
  {
    id: 'U6',
    what: 'a test of a template may have a subject with line breaks',
    edits: [
      [
        'src/messaging/template-previews.service.ts',
        'const fault = email && subjectFault(email.subject!);',
        "const fault = email && subjectFault(email.subject === '' ? '' : 'x');",
      ],
    ],
    tests: ['test/templates/previews.e2e-spec'],
    names: 'is refused with a subject that has a line break, and with another address',
  },
  {
    id: 'T1',
    what: 'the topic of a message is not checked when its attempt begins',
    edits: [
      [
        'src/messaging/message-permission.service.ts',
        'if (topic === null) return verdicts;',
        "if (topic !== '') return verdicts;",
      ],
    ],
    tests: ['test/messaging/topics'],
    names: 'obeys a decision that the contact made between the call and the claim',
  },
  {
    id: 'T2',
    what: 'a link of one kind opens the pages of another',
    edits: [['src/topics/permission-links.ts', 'JSON.stringify([kind, org', 'JSON.stringify([org']],
    tests: ['test/messaging/permission-links'],
    names: 'shows the same page for every reason why the link is not valid',
  },
  {
    id: 'T3',
    what: 'the link of any e-mail confirms a subscription',
    edits: [
      [
        'src/topics/topic-subscriptions.repository.ts',
        's.topic = $3 and s.confirmation_id = $4',
        's.topic = $3 and $4::text is not null',
      ],
    ],
    tests: ['test/messaging/permission-links'],
    names: 'is not confirmed by the link of an earlier e-mail',
  },
  {
    id: 'T4',
    what: 'changes of consent to channels are not logged',
    edits: [
      [
        'migrations/functions/log_consent.sql',
        'where before -> channel',
        'where false and before -> channel',
      ],
    ],
    tests: ['test/messaging/consent-log'],
    names: 'has each change of consent to a channel',
  },
  {
    id: 'Y1',
    what: 'an expression may read all of a large payload',
    edits: [
      [
        'src/liquid/liquid-sandbox.ts',
        'if (reads >= MAX_READS || bytes > MAX_VALUE_BYTES) throw readsTooMuch();',
        '',
      ],
    ],
    tests: ['src/workflows/payloads/large-reads'],
    names: 'fails with a clear message for',
  },
  {
    id: 'Y2',
    what: 'the first member is read when several members of a large object have the same name',
    edits: [
      [
        'src/workflows/payloads/large-reads.ts',
        'if (member.name === name) found = member;',
        'if (member.name === name) found ??= member;',
      ],
    ],
    tests: ['src/workflows/payloads/large-reads'],
    names: 'takes the last of several members with the same name',
  },
  {
    id: 'Y3',
    what: 'a large form may have any number of fields',
    edits: [
      [
        'src/workflows/webhooks/bodies/large-fields.ts',
        'if (fields.length > MAX_FIELDS) throw tooManyFields();',
        '',
      ],
    ],
    tests: ['src/workflows/webhooks/bodies/large-fields'],
    names: 'is refused when it has 1,001 fields',
  },
  {
    id: 'Y4',
    what: 'a request in progress continues when its run times out',
    edits: [
      [
        'src/workflows/journal/claimed-run.ts',
        'if (isCanceled || isTimeOver) step.abort',
        'if (isCanceled) step.abort',
      ],
    ],
    tests: ['test/workflows/run-timeout'],
    names: 'aborts a request in progress',
  },
  {
    id: 'Y5',
    what: 'the request of a list that lost a race is not aborted',
    edits: [
      [
        'src/workflows/journal/claimed-run.ts',
        'if (isCanceled || isTimeOver) step.abort',
        'if (isTimeOver) step.abort',
      ],
    ],
    tests: ['test/workflows/race'],
    names: 'closes the connection of a request of another list',
  },
  {
    id: 'Z1',
    what: 'imports do not remember the identifiers of earlier parts',
    edits: [['src/imports/import-rows.service.ts', 'if (isKept) added.set(key, row.number);', '']],
    tests: ['test/imports/import-contacts'],
    names: 'finds rows that repeat an identifier of a much earlier row',
  },
  {
    id: 'Z2',
    what: 'the consent of new contacts is not logged',
    edits: [['migrations/functions/log_new_consents.sql', "w.consent <> '{}'", "w.consent = '[]'"]],
    tests: ['test/messaging/consent-log'],
    names: 'has each change of consent to a channel|names an import',
  },
  {
    id: 'Z3',
    what: 'a stalled upload keeps its connection',
    edits: [['src/http/body-times.ts', 'now - arrival.progressAt > this.idleMs || ', '']],
    tests: ['test/http/slow-connections'],
    names: 'may upload a file for longer',
  },
  {
    id: 'Z4',
    what: 'the deletion of a contact deletes the messages of all contacts',
    edits: [
      [
        'migrations/functions/delete_contact_messages.sql',
        " and m.contact_id = command::json ->> 'contact_id'",
        '',
      ],
    ],
    tests: ['test/contacts/delete-contact'],
    names: 'of this contact only',
  },
  {
    id: 'W1',
    what: 'no fence: the beginning of attempts does not check the epochs of the batch',
    edits: [
      [
        'src/messaging/message-attempt-statements.ts',
        'm.id = c.id and m.epoch = c.epoch and ${IS_READABLE}',
        'm.id = c.id and c.epoch is not null and ${IS_READABLE}',
      ],
      ['src/messaging/message-attempts.service.ts', 'keyOf(message), null', 'message.id, null'],
      [
        'src/messaging/message-attempts.service.ts',
        'begun.set(keyOf(message)',
        'begun.set(message.id',
      ],
      [
        'src/messaging/message-attempts.service.ts',
        'result.get(keyOf(claim))',
        'result.get(claim.id)',
      ],
    ],
    tests: ['test/messaging/message-batches'],
    names: 'are sent, except a message that another worker has claimed in the meantime',
  },
  {
    id: 'W2',
    what: 'no fence: outcomes of a batch do not check the epochs',
    edits: [
      [
        'src/messaging/message-attempt-statements.ts',
        `m.epoch = o.epoch and m.status = 'sending'`,
        `o.epoch is not null and m.status = 'sending'`,
      ],
    ],
    tests: ['test/messaging/message-delivery'],
    names: 'prevents a worker that lost the lease from recording an outcome',
  },
  {
    id: 'W3',
    what: 'the permission of the first message of a batch counts for all of them',
    edits: [
      [
        'src/messaging/message-permission.service.ts',
        'stored.get(message.id)!',
        '[...stored.values()][0]!',
      ],
    ],
    tests: ['test/messaging/message-batches'],
    names: 'are sent, except messages that the address, contact, consent or topic does not permit',
  },
  {
    id: 'W4',
    what: 'a message that fails makes its batch fail',
    edits: [
      [
        'src/messaging/message-attempts.service.ts',
        "if (error instanceof AppError && error.code === 'unavailable') throw error;",
        'if (error !== undefined) throw error as AppError;',
      ],
    ],
    tests: ['test/messaging/message-batches'],
    names: 'are sent, except a message that makes their transaction fail',
  },
  {
    id: 'W5',
    what: 'a batch waits for messages that are locked',
    edits: [
      [
        'src/messaging/message-attempt-statements.ts',
        "lockClaimed('skip locked')",
        "lockClaimed('')",
      ],
    ],
    tests: ['test/messaging/message-batches'],
    names: 'do not wait for a message that another transaction has locked',
  },
  {
    id: 'W6',
    what: 'attempts are not counted before the handover, so a crash is not counted',
    edits: [
      [
        'src/messaging/message-attempts.service.ts',
        'if (messages.length === 0) return;',
        'if (messages.length >= 0) return;',
      ],
    ],
    tests: ['test/messaging/message-batches'],
    names: 'begin in one transaction, and are sent once each',
  },
  {
    id: 'W7',
    what: 'the process that stores a message uses an epoch that a worker can have too',
    edits: [
      ['src/messaging/messages.repository.ts', 'const NEW_EPOCH = 1;', 'const NEW_EPOCH = 0;'],
    ],
    tests: ['test/messaging/message-delivery'],
    names: 'belongs to the process that stored it, until a worker claims it',
  },
  {
    id: 'X1',
    what: 'a shared commit that fails, fails for all of its members',
    edits: [[SHARED_COMMITS, 'isFinal = !isShared ||', 'isFinal = isShared ||']],
    tests: ['test/database/shared-commits', 'test/workflows/shared-endings'],
    names: 'fail separately|end, except a run whose lease is lost',
  },
  {
    id: 'X2',
    what: 'rows of deferred statements move across savepoints',
    edits: [
      [
        'src/database/transactions/merge-rows.ts',
        'else if (isSavepoint(statement)) open = new Map();',
        '',
      ],
    ],
    tests: ['src/database/transactions/merge-rows'],
    names: 'do not move across a savepoint',
  },
  {
    id: 'X3',
    what: 'reads are sent separately although statements are queued',
    edits: [
      [
        'src/database/transactions/lazy-transaction.ts',
        'return isFree && this.deferred.every(isSavepoint);',
        'return isFree;',
      ],
    ],
    tests: ['test/database/shared-commits'],
    names: 'see their queued writes in later reads',
  },
  {
    id: 'X4',
    what: 'runs that end together are not counted',
    edits: [[RUNS, "'cardinality($2::text[])'", "'1'"]],
    tests: ['test/workflows/shared-endings'],
    names: 'end, except a run whose lease is lost',
  },
  {
    id: 'V1',
    what: 'a domain counts as verified without its record',
    edits: [
      [
        'src/senders/sender-domains.repository.ts',
        'and d.verified_at is not null',
        'and d.id is not null',
      ],
    ],
    tests: ['test/senders/sender-domains'],
    names: 'is an address of a domain that the organization has verified',
  },
  {
    id: 'V2',
    what: 'the sender is not checked when the message is sent',
    edits: [['src/channels/mail-channel.ts', 'if (from && !sender)', 'if (from && !from)']],
    tests: ['test/senders/sender-domains'],
    names: 'is checked again when the message is sent',
  },
  {
    id: 'V3',
    what: 'the record of another organization verifies a domain',
    edits: [
      [
        'src/senders/sender-records.ts',
        'text.split(/[\\s"]/).includes(`${PREFIX}${token}`)',
        'text.includes(PREFIX)',
      ],
    ],
    tests: ['test/senders/sender-domains'],
    names: 'is proved by each organization with its own record',
  },
  {
    id: 'V4',
    what: 'the signature does not cover the header to unsubscribe with one click',
    edits: [['src/mail/email-content.ts', "  'List-Unsubscribe-Post',\n", '']],
    tests: ['test/senders/dkim'],
    names: 'covers the headers that a stranger could change',
  },
  {
    id: 'V5',
    what: 'a failure of the name server loses a domain',
    edits: [
      [
        'migrations/functions/record_sender_check.sql',
        "when found = 'unanswered' then d.missing_since",
        "when found = 'never' then d.missing_since",
      ],
    ],
    tests: ['test/senders/sender-domains'],
    names: 'is not lost while no name server answers',
  },
  {
    id: 'V6',
    what: 'a file of a run is not copied for a message',
    edits: [['src/files/files.service.ts', 'if (file.runId === null)', 'if (file.id === id)']],
    tests: ['test/messaging/attachments'],
    names: 'that a step made is copied into the message, and stays when its run is deleted',
  },
  {
    id: 'V7',
    what: 'files that messages send are deleted',
    edits: [
      ['migrations/functions/purge_uploads.sql', 'and m.file_id = f.id', "and m.file_id = ''"],
    ],
    tests: ['test/messaging/attachments'],
    names: 'is deleted 30 days after its upload, but not while a message that sends it exists',
  },
];
