import { Choice, Integer, Text } from '../tools/schema/fields.js';

const FORMATS = ['csv', 'json_lines'] as const;
const FILTER = { optional: true, min: 1, max: 128 };
const TIME = { optional: true, max: 40 };
const CURSOR = { optional: true, max: 1024 };

/** Declares the filters of the audit log. All given filters must match. */
export class AuditFilters {
  @Text('Only from this time on, RFC 3339.', TIME)
  from?: string;

  @Text('Only before this time, RFC 3339.', TIME)
  until?: string;

  @Text('Only of this key, person or run.', FILTER)
  caller_id?: string;

  @Text('ok, or the code of an error, such as forbidden.', FILTER)
  outcome?: string;

  @Text('Only the entries of this tool, or of this other action, such as sign_in.', FILTER)
  action?: string;

  @Text('Only about the object with this id.', FILTER)
  subject?: string;

  @Text('next_cursor of the previous page, with the same filters.', CURSOR)
  cursor?: string;
}

export class ListAuditLogInput extends AuditFilters {
  @Integer('Maximum number of results.', { min: 1, max: 100 })
  limit: number = 20;
}

export class ExportAuditLogInput extends AuditFilters {
  @Choice(FORMATS)
  format: (typeof FORMATS)[number];
}

/** Declares the filters of the log of calls. All given filters must match. */
export class ListCallsInput {
  @Text('Only from this time on, RFC 3339.', TIME)
  from?: string;

  @Text('Only before this time, RFC 3339.', TIME)
  until?: string;

  @Text('Only of this key or person.', FILTER)
  caller_id?: string;

  @Text('ok, or the code of an error, such as forbidden.', FILTER)
  outcome?: string;

  @Text('Only calls of this tool.', FILTER)
  tool?: string;

  @Text('Only the calls of this request.', FILTER)
  request_id?: string;

  @Integer('Maximum number of results.', { min: 1, max: 100 })
  limit: number = 20;

  @Text('next_cursor of the previous page, with the same filters.', CURSOR)
  cursor?: string;
}
