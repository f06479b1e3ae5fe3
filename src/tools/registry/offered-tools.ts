import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { OfferedTool, OfferedToolSource } from './offered-tool.js';
import { OfferedToolList } from './offered-tool.js';
import { parseBySchema } from '../schema/parse-arguments.js';
import type { RegisteredTool } from './registered-tool.js';
import type { JsonSchema, ObjectSchema } from '../schema/json-schema.js';
import type { Surface, ToolCall } from '../contract/tool-call.js';
import { ToolPipeline } from '../pipeline/tool-pipeline.js';
import { ToolRegistry } from './tool-registry.js';

/** Lists of organizations that are kept. */
const MOST_KEPT = 200;
const AGENTS: ReadonlySet<Surface> = new Set(['agent']);

/** The argument that every tool has which begins something. */
export const IDEMPOTENCY_KEY = 'idempotency_key';
const KEY_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'The same key with the same arguments starts one run only.',
};

/**
 * The tools that organizations have made for their agents. They pass through the same pipeline as those that are
 * registered, and a registered one of the same name wins: it may have come with a release after them.
 */
@Injectable()
export class OfferedTools {
  private readonly logger = new Logger('Tools');
  private readonly kept = new LRUCache<string, OfferedToolList>({ max: MOST_KEPT });
  private readonly reported = new Set<string>();
  private source?: OfferedToolSource;

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly registry: ToolRegistry,
    private readonly pipeline: ToolPipeline,
  ) {}

  /** For the one feature that makes such tools, at its start. */
  use(source: OfferedToolSource): void {
    if (this.source) throw new Error('Two features make tools of organizations.');
    this.source = source;
  }

  /**
   * The tools of the organization; `revision` came with its key, so organizations without any cost no look-up, and the
   * others one after each change.
   */
  async of(organizationId: string, revision: string): Promise<OfferedToolList> {
    if (revision === '' || !this.source) return OfferedToolList.NONE;
    const known = this.kept.get(keyOf(organizationId, revision));
    if (known) return known;
    const { source } = this;
    return await this.tenants.transaction(
      organizationId,
      async () => {
        const found = await source.list(organizationId);
        // Under its own revision: there may be a newer one than the key came with by now.
        const key = keyOf(organizationId, found.revision);
        const list = new OfferedToolList(key, this.register(organizationId, found.tools));
        this.kept.set(key, list);
        return list;
      },
      { readOnly: true },
    );
  }

  /** Names of all tools of the organization, also of those that cannot be called now. */
  async names(organizationId: string): Promise<string[]> {
    const { source } = this;
    if (!source) return [];
    return await this.tenants.transaction(organizationId, () => source.names(organizationId), {
      readOnly: true,
    });
  }

  private register(organizationId: string, tools: readonly OfferedTool[]): RegisteredTool[] {
    return tools
      .filter(({ descriptor: { name } }) => {
        if (!this.registry.isTaken(name)) return true;
        this.report(organizationId, name);
        return false;
      })
      .map((tool) => this.callable(tool));
  }

  private report(organizationId: string, name: string): void {
    const what = `${organizationId} ${name}`;
    if (this.reported.has(what)) return;
    this.reported.add(what);
    this.logger.warn(
      `The tool ${name} of organization ${organizationId} is hidden by a registered one of that name.`,
    );
  }

  private callable(tool: OfferedTool): RegisteredTool {
    const inputSchema = withKey(tool.descriptor.inputSchema);
    const begin = (input: object, call: ToolCall): Promise<object> =>
      tool.begin(input as Record<string, unknown>, call);
    const registered: RegisteredTool = {
      descriptor: { ...tool.descriptor, inputSchema },
      names: [tool.descriptor.name],
      parse: (given) => parseBySchema(inputSchema, given),
      surfaces: AGENTS,
      readOnly: false,
      external: false,
      ...(tool.task && { task: tool.task }),
      invoke: async (given, call) => {
        const begun = await this.pipeline.run(registered, begin, given, call);
        return call.dryRun ? begun : await tool.outcome(begun, call);
      },
    };
    return registered;
  }
}

function keyOf(organizationId: string, revision: string): string {
  return revision === '' ? '' : `${organizationId} ${revision}`;
}

function withKey(schema: ObjectSchema): ObjectSchema {
  return { ...schema, properties: { ...schema.properties, [IDEMPOTENCY_KEY]: KEY_SCHEMA } };
}
