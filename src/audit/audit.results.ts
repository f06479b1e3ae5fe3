import type { AuditLogEntry } from '../accounts/audit-log-entry.entity.js';
import { PageResult } from '../paging/paging.js';
import { Integer, ListOf, Text, Timestamp } from '../tools/schema/fields.js';
import type { CallLogRow } from './call-log-row.entity.js';

export class AuditEntryView {
  @Text()
  id: string;

  @Timestamp()
  at: string;

  @Text('key, user, run or system.')
  caller_kind: string;

  @Text()
  caller_id: string;

  @Text('The tool, or another action, such as sign_in.')
  action: string;

  @Text('The id of the object that was changed.', { nullable: true })
  subject: string | null;

  @Text('ok, or the code of the error.')
  outcome: string;

  @Text('HMAC-SHA256 of the arguments; the same for equal arguments.', { nullable: true })
  arguments_digest: string | null;

  @Integer({ nullable: true })
  duration_ms: number | null;

  @Text('Address of the client.', { nullable: true })
  address: string | null;

  @Text('The header X-Request-Id of the answer.', { nullable: true })
  request_id: string | null;

  @Text('The header User-Agent.', { nullable: true })
  client: string | null;

  @Integer('Number of refused and failed calls in this second that have no entry.')
  unlogged: number;
}

export class AuditLogPage extends PageResult {
  @ListOf(() => AuditEntryView)
  entries: AuditEntryView[];
}

export class AuditLogPart extends PageResult {
  @Text('A part of the file. Join the parts in their order.')
  content: string;

  @Integer('Number of entries in this part.')
  count: number;
}

export class CallView {
  @Text()
  id: string;

  @Timestamp('When the call ended.')
  at: string;

  @Text('key or user; system for a row that counts calls.')
  caller_kind: string;

  @Text()
  caller_id: string;

  @Text('Null for a row that counts other calls.', { nullable: true })
  tool: string | null;

  @Text('ok, or the code of the error.')
  outcome: string;

  @Text('Error text of the response.', { nullable: true })
  error: string | null;

  @Integer()
  duration_ms: number;

  @Text('The header X-Request-Id of the answer.', { nullable: true })
  request_id: string | null;

  @Text('The header User-Agent.', { nullable: true })
  client: string | null;

  @Integer('Number of calls in this second that have no row.')
  unlogged: number;
}

export class CallList extends PageResult {
  @ListOf(() => CallView)
  calls: CallView[];
}

export function auditEntryView(entry: AuditLogEntry): AuditEntryView {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    caller_kind: entry.actorKind,
    caller_id: entry.actorId,
    action: entry.action,
    subject: entry.subject,
    outcome: entry.outcome,
    arguments_digest: entry.argumentsDigest?.toString('hex') ?? null,
    duration_ms: entry.durationMs,
    address: entry.address,
    request_id: entry.requestId,
    client: entry.client,
    unlogged: entry.unlogged,
  };
}

export function callView(row: CallLogRow): CallView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    caller_kind: row.callerKind,
    caller_id: row.callerId,
    tool: row.tool,
    outcome: row.outcome,
    error: row.error,
    duration_ms: row.durationMs,
    request_id: row.requestId,
    client: row.client,
    unlogged: row.unlogged,
  };
}
