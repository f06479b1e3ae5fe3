import { Injectable, UseGuards } from '@nestjs/common';
import type { AuditLogEntry } from '../accounts/audit-log-entry.entity.js';
import { CallRecorder } from '../accounts/call-recorder.js';
import { AppError } from '../errors/app-error.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { parseTime } from '../text/parse-time.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import {
  type AuditFilters,
  ExportAuditLogInput,
  ListAuditLogInput,
  ListCallsInput,
} from './audit.inputs.js';
import { AuditRepository, type LogWindow } from './audit.repository.js';
import { AuditLogPage, AuditLogPart, auditEntryView, CallList, callView } from './audit.results.js';
import { toCsv, toJsonLines } from './export-formats.js';

const EXPORTED = 1000;
const FIRST = new Date('1970-01-01T00:00:00Z');
const LAST = new Date('9999-12-31T23:59:59Z');

/** Provides the tools by which signed-in people read the audit log and the log of calls. */
@Injectable()
export class AuditTools {
  constructor(
    private readonly logs: AuditRepository,
    private readonly recorder: CallRecorder,
  ) {}

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'list_audit_log',
    title: 'List the audit log',
    description:
      'Returns who changed what, newest first. Includes sign-ins, changes of API keys, and calls that were refused or failed. Only for owners.',
    output: AuditLogPage,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(input: ListAuditLogInput, { organizationId }: ToolCall): Promise<AuditLogPage> {
    const { entries, next_cursor } = await this.page(organizationId, input, input.limit);
    return { entries: entries.map(auditEntryView), next_cursor };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'export_audit_log',
    title: 'Export the audit log',
    description:
      'Returns a part of the audit log as text, newest entries first: CSV for spreadsheets, or JSON lines. ' +
      'A part has at most 1000 entries. Only for owners.',
    output: AuditLogPart,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async export(input: ExportAuditLogInput, { organizationId }: ToolCall): Promise<AuditLogPart> {
    const { entries, next_cursor } = await this.page(organizationId, input, EXPORTED);
    const views = entries.map(auditEntryView);
    const isFirst = input.cursor === undefined;
    const content = input.format === 'csv' ? toCsv(views, isFirst) : toJsonLines(views);
    return { content, count: views.length, next_cursor };
  }

  @Tool({
    name: 'list_calls',
    title: 'List calls',
    description:
      'Returns the latest calls of agents and people, newest first, with their outcome and duration. At most 20 a ' +
      'second are listed, for seven days.',
    output: CallList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async listCalls(input: ListCallsInput, { organizationId }: ToolCall): Promise<CallList> {
    // Rows are written in batches. Without this flush, the calls of the last moments would be missing.
    await this.recorder.flush();
    const { caller_id: callerId, outcome, tool, request_id: requestId, limit } = input;
    const filter = given({ callerId, outcome, tool, requestId });
    const rows = await this.logs.listCalls(organizationId, windowOf(input, limit + 1), filter);
    const { page, nextCursor } = pageOf(rows, limit, cursorOf);
    return { calls: page.map(callView), next_cursor: nextCursor };
  }

  private async page(
    organizationId: string,
    filters: AuditFilters,
    limit: number,
  ): Promise<{ entries: AuditLogEntry[]; next_cursor: string | null }> {
    const { caller_id: actorId, outcome, action, subject } = filters;
    const filter = given({ actorId, outcome, action, subject });
    const rows = await this.logs.listEntries(organizationId, windowOf(filters, limit + 1), filter);
    const { page, nextCursor } = pageOf(rows, limit, cursorOf);
    return { entries: page, next_cursor: nextCursor };
  }
}

function windowOf(
  { from, until, cursor }: { from?: string; until?: string; cursor?: string },
  limit: number,
): LogWindow {
  return {
    from: from === undefined ? FIRST : timeOf('from', from),
    until: until === undefined ? LAST : timeOf('until', until),
    after: readNumberedCursor(cursor),
    limit,
  };
}

/**
 * Reads the cursor of a list whose rows have numbers as ids. Throws `invalid_arguments` when the id in the cursor is no
 * number, because PostgreSQL would fail with an internal error.
 */
function readNumberedCursor(cursor: string | undefined): LogWindow['after'] {
  const position = readTimeCursor(cursor);
  if (!position || /^\d{1,18}$/.test(position.id)) return position;
  throw AppError.invalidField('cursor', 'was not returned by this tool');
}

function timeOf(path: string, text: string): Date {
  const time = parseTime(text);
  if (time && time >= FIRST) return time;
  const message = 'must be a time in RFC 3339 after 1970, such as 2026-01-31T12:00:00Z';
  throw AppError.invalidField(path, message);
}

function cursorOf({ at, id }: { at: Date; id: string }): string {
  return timeCursor({ createdAt: at, id });
}

/** Leaves out filters that the caller did not give. */
function given<Filter extends object>(filter: Filter): Partial<Filter> {
  return Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  ) as Partial<Filter>;
}
