import type { TestOrganization } from '../../support/organization.js';
import { answerOf } from '../../mcp/support/answer.js';
import { modernRequest, postModern } from '../../mcp/support/modern.js';
import { createWorkflow } from './workflow-client.js';

/** Describes the result of tools/call. */
export interface CallResult {
  content: [{ type: string; text: string }];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  resultType?: string;
  [member: string]: unknown;
}

export interface RpcAnswer {
  result?: CallResult;
  error?: { code: number; message: string };
}

export interface ListedTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: { properties: Record<string, object>; required?: string[] };
  outputSchema?: object;
  annotations?: object;
}

/** Lists the protocol versions: undefined for plain JSON-RPC, then each MCP version, the modern version last. */
export const ERAS = [
  undefined,
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const;

export type EraName = (typeof ERAS)[number];

export async function rpc(
  organization: TestOrganization,
  method: string,
  params: object = {},
  era?: EraName,
): Promise<RpcAnswer & { result?: object }> {
  const { body } =
    era === '2026-07-28'
      ? await postModern(organization, modernRequest(method, params))
      : await answerOf(
          organization.rpc(
            { jsonrpc: '2.0', id: 1, method, params },
            era === undefined ? {} : { 'MCP-Protocol-Version': era },
          ),
        );
  return body as RpcAnswer;
}

export async function listTools(
  organization: TestOrganization,
  era?: EraName,
): Promise<ListedTool[]> {
  const { result } = await rpc(organization, 'tools/list', {}, era);
  return (result as unknown as { tools: ListedTool[] }).tools;
}

export const namesOf = (tools: readonly { name: string }[]): string[] =>
  tools.map(({ name }) => name);

/** Calls a tool as an agent. */
export async function callTool(
  organization: TestOrganization,
  name: string,
  given: object = {},
  era?: EraName,
): Promise<RpcAnswer> {
  return await rpc(organization, 'tools/call', { name, arguments: given }, era);
}

/** Returns the parsed text of a result. Throws if the response is an error. */
export function said<Said = Record<string, unknown>>({ result, error }: RpcAnswer): Said {
  if (!result) throw new Error(JSON.stringify(error));
  return JSON.parse(result.content[0].text) as Said;
}

/** Returns the arguments of an offer, without the id of the workflow. */
export const offerOf = (name: string, more: object = {}) => ({
  name,
  title: 'Place an order',
  description: 'Places an order for a customer and returns its number.',
  input_schema: {
    type: 'object',
    properties: { item: { type: 'string', description: 'What to order.' } },
    required: ['item'],
  },
  ...more,
});

/** Offers a new workflow with these steps as a tool, and returns the id of the workflow. */
export async function offerSteps(
  organization: TestOrganization,
  steps: object[],
  name: string,
  more: object = {},
): Promise<string> {
  const { id } = await createWorkflow(organization, steps, { trigger: { type: 'manual' } });
  await offer(organization, id, name, more);
  return id;
}

export async function offer(
  organization: TestOrganization,
  workflowId: string,
  name: string,
  more: object = {},
): Promise<Record<string, unknown>> {
  const { value, error } = await organization.call<{ offer: Record<string, unknown> }>(
    'offer_workflow_as_tool',
    { workflow_id: workflowId, ...offerOf(name, more) },
  );
  if (error) throw new Error(JSON.stringify(error));
  return value.offer;
}

export async function succeed(
  organization: TestOrganization,
  tool: string,
  given: object,
): Promise<void> {
  const { error } = await organization.call(tool, given);
  if (error) throw new Error(`${tool}: ${JSON.stringify(error)}`);
}
