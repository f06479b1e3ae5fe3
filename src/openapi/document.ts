import type { ToolDescriptor } from '../tools/registry/registered-tool.js';
import type { JsonSchema } from '../tools/schema/json-schema.js';
import { type Access, OPERATIONS, type Operation } from './operations.js';
import { listOf, objectOf, PROBLEM, TEXT } from './schemas.js';

const SECURITY: Record<Access, object[]> = {
  none: [],
  address: [],
  session: [{ session: [] }],
  key: [{ key: [] }],
};
/** The members of the response to a dry run (docs/endpoints.md). The result of a tool has other members. */
const DRY_RUN = objectOf(
  {
    dry_run: { type: 'boolean', enum: [true] },
    result: { type: 'object' },
    effects: listOf({ type: 'object' }),
    truncated: { type: 'boolean' },
  },
  ['truncated'],
);

/**
 * Returns the description of the HTTP interface in OpenAPI 3.1. Every tool is an operation of its own, with the schemas of
 * its arguments and its result.
 */
export function openApiDocument(tools: readonly ToolDescriptor[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, operation] of Object.entries(OPERATIONS)) {
    const [method, path] = route.split(' ') as [string, string];
    (paths[path] ??= {})[method] = describe(operation, path);
  }
  for (const tool of tools) paths[`/api/tools/${tool.name}`] = { post: describeTool(tool) };
  return {
    openapi: '3.1.0',
    info: { title: 'Switchboard', version },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'switchboard' },
        key: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function describe(operation: Operation, path: string): object {
  const { summary, access, body, isBodyOptional, responses, error = PROBLEM } = operation;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: TEXT,
  }));
  return {
    summary,
    security: SECURITY[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: !isBodyOptional, content: json(body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, content]) => [status, responseOf(content)]),
      ),
      default: {
        description: 'An error.',
        content: errorContent(error),
      },
    },
  };
}

function errorContent(error: JsonSchema | string): object {
  if (typeof error === 'string') return { [error]: {} };
  return {
    [error === PROBLEM ? 'application/problem+json' : 'application/json']: { schema: error },
  };
}

function responseOf(content: object | string | null): object {
  if (content === null) return { description: 'Success, without a body.' };
  const body = typeof content === 'string' ? { [content]: {} } : json(content);
  return { description: 'Success.', content: body };
}

function describeTool({ name, title, description, inputSchema, outputSchema }: ToolDescriptor) {
  const operation: Operation = {
    summary: title,
    access: 'session',
    body: inputSchema,
    isBodyOptional: !inputSchema.required,
    responses: { 200: { anyOf: [outputSchema ?? { type: 'object' }, DRY_RUN] } },
  };
  return { operationId: name, tags: ['tools'], description, ...describe(operation, '') };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}
