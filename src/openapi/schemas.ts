import type { JsonSchema } from '../tools/schema/json-schema.js';

/** Returns the schema of an object that has exactly these members. The names in `optional` may be absent. */
export function objectOf(
  properties: Record<string, JsonSchema>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function orNull(schema: JsonSchema & { type: 'string' | 'integer' }): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
}

export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean' } as const;
export const COUNT = { type: 'integer' } as const;
export const TIME = { type: 'string', format: 'date-time' } as const;

/** An error as `ProblemFilter` answers it (RFC 9457). */
export const PROBLEM: JsonSchema = {
  type: 'object',
  properties: {
    type: TEXT,
    title: TEXT,
    status: COUNT,
    code: { ...TEXT, description: 'The code of the error, as docs/errors.md lists them.' },
    detail: { ...TEXT, description: 'Says what to do next.' },
    errors: listOf(objectOf({ path: TEXT, message: TEXT })),
    error_id: { ...TEXT, description: 'Names the lines of the log about an unexpected error.' },
  },
  required: ['type', 'title', 'status', 'code', 'detail'],
};

/** An error as webhook addresses and resume URLs answer it. */
export const WEBHOOK_ERROR: JsonSchema = objectOf({
  ok: FLAG,
  error: objectOf({ code: TEXT, message: TEXT }),
});

/** An error of a webhook. The last three members are present when a run was stored and failed before it answered. */
export const DELIVERY_ERROR: JsonSchema = objectOf(
  {
    ok: FLAG,
    error: objectOf({ code: TEXT, message: TEXT }),
    runId: TEXT,
    duplicate: FLAG,
    status: TEXT,
  },
  ['runId', 'duplicate', 'status'],
);

const NAMED = objectOf({ id: TEXT, name: TEXT });
export const ACCOUNT = objectOf({
  user: objectOf({ id: TEXT, email: TEXT, name: TEXT }, ['name']),
  organization: NAMED,
});
export const SESSIONS = objectOf({
  sessions: listOf(
    objectOf({
      id: TEXT,
      is_current: FLAG,
      organization: NAMED,
      started_at: TIME,
      last_seen_at: TIME,
      address: orNull(TEXT),
      client: orNull(TEXT),
    }),
  ),
});
export const VERIFICATION = objectOf({
  email: TEXT,
  is_verified: FLAG,
  messages_a_day: orNull(COUNT),
  verified_messages_a_day: orNull(COUNT),
});
const SHOWN_KEY = {
  prefix: TEXT,
  last_four: TEXT,
  created_at: TIME,
  expires_at: orNull(TIME),
  read_only: FLAG,
  tools: { type: ['array', 'null'], items: TEXT },
} as const satisfies Record<string, JsonSchema>;
export const CURRENT_KEY = objectOf({ key: objectOf(SHOWN_KEY) });
export const KEY = objectOf({
  key: {
    ...objectOf({
      ...SHOWN_KEY,
      created_by: orNull(TEXT),
      last_used_at: orNull(TIME),
      last_used_address: orNull(TEXT),
      last_used_client: orNull(TEXT),
    }),
    type: ['object', 'null'],
  },
});
export const HEALTH = objectOf(
  { status: { ...TEXT, enum: ['ok', 'unavailable'] }, failing: listOf(TEXT) },
  ['failing'],
);
