import { EmitEventInput } from '../custom-events/custom-event.inputs.js';
import { EmittedEventResult } from '../custom-events/custom-event.results.js';
import { ImportResult } from '../imports/import.results.js';
import { FileResult } from '../files/file.results.js';
import { CreateKeyBody } from '../keys/api-key.inputs.js';
import { classSchema } from '../tools/schema/class-schema.js';
import type { JsonSchema } from '../tools/schema/json-schema.js';
import {
  ACCOUNT,
  CURRENT_KEY,
  DELIVERY_ERROR,
  FLAG,
  HEALTH,
  KEY,
  SESSIONS,
  TEXT,
  VERIFICATION,
  WEBHOOK_ERROR,
  listOf,
  objectOf,
} from './schemas.js';

/** The callers that may send a request. `address` means everybody who knows the address. */
export type Access = 'none' | 'session' | 'key' | 'address';

export interface Operation {
  readonly summary: string;
  readonly access: Access;
  readonly body?: JsonSchema;
  /** True if the body may be left out. */
  readonly isBodyOptional?: boolean;
  /** The responses by their success status: an example as JSON, a media type, or null for no body. */
  readonly responses: Readonly<Record<number, object | string | null>>;
  /** The errors, if they are not problem details. */
  readonly error?: JsonSchema | 'text/html';
}

/** The media type of errors that are pages for people. */
const PAGE = 'text/html';
const ANY: JsonSchema = { type: 'object', additionalProperties: true };
const CREDENTIALS = objectOf({ email: TEXT, password: TEXT });
const RUN_STARTED = {
  type: 'object',
  properties: { ok: FLAG, runId: TEXT, duplicate: FLAG, skipped: FLAG },
  required: ['ok'],
} as const satisfies JsonSchema;
const RESUMED = objectOf({ ok: FLAG, duplicate: FLAG }, ['duplicate']);

/** The operations that are not tools. A test compares them with the routes of the application. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'post /api/mcp': {
    summary: 'Sends a message of JSON-RPC 2.0 or the Model Context Protocol.',
    access: 'key',
    body: { type: ['object', 'array'], items: ANY },
    responses: { 200: { type: ['object', 'array'] }, 202: null },
    error: ANY,
  },
  'post /api/events': {
    summary: 'Emits an event of the organization, which starts workflows and ends waits of runs.',
    access: 'key',
    body: classSchema(EmitEventInput),
    responses: { 202: classSchema(EmittedEventResult) },
  },
  'post /api/imports': {
    summary:
      'Stores a file with contacts, for start_import. Takes text/csv, or a form with a file.',
    access: 'key',
    responses: { 201: classSchema(ImportResult) },
  },
  'post /api/files': {
    summary: 'Stores a file of at most 10 MiB, which attachments of send_message name.',
    access: 'key',
    responses: { 201: classSchema(FileResult) },
  },
  'get /api/imports/{id}/rejected.csv': {
    summary: 'Sends the rows of a file that were not imported, with the reasons.',
    access: 'key',
    responses: { 200: 'text/csv' },
  },
  'get /api/contacts/export.csv': {
    summary: 'Sends all contacts as CSV, which an import reads.',
    access: 'key',
    responses: { 200: 'text/csv' },
  },
  'post /api/mcp/keys': {
    summary: 'Creates the API key of the organization and revokes the previous one.',
    access: 'session',
    body: classSchema(CreateKeyBody),
    isBodyOptional: true,
    responses: { 201: objectOf({ api_key: TEXT, message: TEXT }) },
  },
  'get /api/mcp/keys': {
    summary: 'Describes the active API key.',
    access: 'session',
    responses: { 200: KEY },
  },
  'get /api/mcp/keys/current': {
    summary: 'Describes the API key of the request.',
    access: 'key',
    responses: { 200: CURRENT_KEY },
  },
  'delete /api/mcp/keys': {
    summary: 'Revokes the API key.',
    access: 'session',
    responses: { 204: null },
  },
  'post /api/webhooks/workflow/{workflowId}': {
    summary: 'Starts a run of a workflow. A `respond` step of the workflow replaces the answer.',
    access: 'address',
    body: ANY,
    responses: {
      200: { anyOf: [RUN_STARTED, objectOf({ challenge: TEXT })] },
      202: RUN_STARTED,
    },
    error: DELIVERY_ERROR,
  },
  'get /api/webhooks/workflow/{workflowId}': {
    summary: 'Starts a run of a workflow that accepts GET, or answers the challenge of Meta.',
    access: 'address',
    responses: { 200: RUN_STARTED, 202: RUN_STARTED },
    error: DELIVERY_ERROR,
  },
  'post /api/webhooks/workflow/{workflowId}/test': {
    summary: 'Checks and records a webhook delivery, but starts no run.',
    access: 'address',
    body: ANY,
    responses: { 200: objectOf({ ok: FLAG, deliveryId: TEXT }) },
    error: WEBHOOK_ERROR,
  },
  'post /api/webhooks/resume/{token}': {
    summary: 'Lets a waiting run continue with a payload.',
    access: 'address',
    body: ANY,
    responses: { 200: RESUMED, 202: RESUMED },
    error: WEBHOOK_ERROR,
  },
  'get /u/{token}': {
    summary: 'Asks a contact whether it wants to leave the topic of a message. Changes nothing.',
    access: 'address',
    responses: { 200: 'text/html' },
    error: PAGE,
  },
  'post /u/{token}': {
    summary: 'Lets a contact leave the topic of a message (RFC 8058).',
    access: 'address',
    responses: { 200: 'text/html' },
    error: PAGE,
  },
  'get /preferences/{token}': {
    summary: 'Shows a contact which topics it gets.',
    access: 'address',
    responses: { 200: 'text/html' },
    error: PAGE,
  },
  'post /preferences/{token}': {
    summary: 'Stores which topics a contact gets.',
    access: 'address',
    responses: { 200: 'text/html' },
    error: PAGE,
  },
  'get /confirm/{token}': {
    summary: 'Asks a contact to confirm a subscription. Changes nothing.',
    access: 'address',
    responses: { 200: 'text/html' },
    error: PAGE,
  },
  'post /confirm/{token}': {
    summary: 'Confirms a subscription.',
    access: 'address',
    responses: { 200: 'text/html' },
    error: PAGE,
  },
  'post /api/auth/sign-up': {
    summary: 'Creates a user and an organization, and signs the user in.',
    access: 'none',
    body: objectOf({ email: TEXT, password: TEXT, organization_name: TEXT }),
    responses: { 201: ACCOUNT },
  },
  'post /api/auth/sign-in': {
    summary: 'Starts a session.',
    access: 'none',
    body: CREDENTIALS,
    responses: { 200: ACCOUNT },
  },
  'post /api/auth/sign-out': {
    summary: 'Ends the session.',
    access: 'none',
    responses: { 204: null },
  },
  'get /api/auth/session': {
    summary: 'Returns the signed-in user and the organization.',
    access: 'session',
    responses: { 200: ACCOUNT },
  },
  'get /api/auth/sessions': {
    summary: 'Lists the sessions of the user.',
    access: 'session',
    responses: { 200: SESSIONS },
  },
  'delete /api/auth/sessions': {
    summary: 'Ends all other sessions of the user.',
    access: 'session',
    responses: { 204: null },
  },
  'delete /api/auth/sessions/{id}': {
    summary: 'Ends one session of the user.',
    access: 'session',
    responses: { 204: null },
  },
  'patch /api/auth/profile': {
    summary: 'Changes the name of the user.',
    access: 'session',
    body: objectOf({ name: TEXT }),
    responses: { 200: ACCOUNT },
  },
  'post /api/auth/password': {
    summary: 'Changes the password and ends all other sessions.',
    access: 'session',
    body: objectOf({ current_password: TEXT, new_password: TEXT }),
    responses: { 204: null },
  },
  'get /api/auth/verification': {
    summary: 'Says whether the address of the user is verified.',
    access: 'session',
    responses: { 200: VERIFICATION },
  },
  'post /api/auth/verification': {
    summary: 'Verifies the address with the token of the mail.',
    access: 'session',
    body: objectOf({ token: TEXT }),
    responses: { 200: VERIFICATION },
  },
  'post /api/auth/verification/mail': {
    summary: 'Sends the mail with a token for the verification again.',
    access: 'session',
    responses: { 204: null },
  },
  'get /api/tools': {
    summary: 'Lists the tools that people may call.',
    access: 'session',
    responses: { 200: objectOf({ tools: listOf(ANY) }) },
  },
  'get /api/messages/{id}/preview': {
    summary: 'Shows a message as a page without active content.',
    access: 'session',
    responses: { 200: 'text/html' },
  },
  'get /api/templates/{id}/preview': {
    summary: 'Shows the e-mail of a draft as a page without active content.',
    access: 'session',
    responses: { 200: 'text/html' },
  },
  'get /api/files/{id}': {
    summary: 'Sends a file of a step or an upload, as a download.',
    access: 'session',
    responses: { 200: 'application/octet-stream' },
  },
  'get /api/changes': {
    summary: 'Sends the name of each resource that changes, until the session ends.',
    access: 'session',
    responses: { 200: 'text/event-stream' },
  },
  'get /api/openapi.json': {
    summary: 'Returns this description.',
    access: 'session',
    responses: { 200: ANY },
  },
  'get /health/live': {
    summary: 'Answers while the process runs.',
    access: 'none',
    responses: { 200: HEALTH },
  },
  'get /health/ready': {
    summary: 'Says whether the process can serve requests.',
    access: 'none',
    responses: { 200: HEALTH, 503: HEALTH },
  },
};
