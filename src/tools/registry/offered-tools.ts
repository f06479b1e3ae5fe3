import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { Surface, ToolCall } from '../contract/tool-call.js';
import { ToolPipeline } from '../pipeline/tool-pipeline.js';
import type { JsonSchema, ObjectSchema } from '../schema/json-schema.js';
import { parseBySchema } from '../schema/parse-arguments.js';
import { type OfferedTool, OfferedToolList, type OfferedToolSource } from './offered-tool.js';
import type { RegisteredTool } from './registered-tool.js';
import { ToolRegistry } from './tool-registry.js';

const MAX_CACHED = 200;
/** The largest size of all cached lists, as characters of JSON. */
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024;
const AGENTS: ReadonlySet<Surface> = new Set(['agent']);

/** The argument that every offered tool has. */
export const IDEMPOTENCY_KEY = 'idempotency_key';
const KEY_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'The same key with the same arguments starts only one run.',
};

/**
 * Registers offered tools, which use the same pipeline as registered tools. A registered tool hides an offered tool of
 * the same name.
 */
@Injectable()
export class OfferedTools {
  private readonly logger = new Logger('Tools');
  private readonly cache = new LRUCache<string, OfferedToolList>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_CHARACTERS,
  });
  private readonly warned = new Set<string>();
  private source?: OfferedToolSource;

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly registry: ToolRegistry,
    private readonly pipeline: ToolPipeline,
  ) {}

  /** Registers the only source of offered tools. Throws for a second source. */
  use(source: OfferedToolSource): void {
    if (this.source) throw new Error('Only one source of offered tools can be registered.');
    this.source = source;
  }

  /**
   * Returns the tools of the revision that the look-up of the API key returned. Reads the database once for each
   * revision.
   */
  async of(organizationId: string, revision: string): Promise<OfferedToolList> {
    if (revision === '' || !this.source) return OfferedToolList.NONE;
    const cached = this.cache.get(keyOf(organizationId, revision));
    if (cached) return cached;
    const { source } = this;
    return await this.tenants.transaction(
      organizationId,
      async () => {
        const found = await source.list(organizationId);
        // The revision may have changed since the key was looked up, so the list is cached under the revision that was
        // read with it.
        const key = keyOf(organizationId, found.revision);
        const list = new OfferedToolList(key, this.register(organizationId, found.tools));
        this.cache.set(key, list, { size: found.characters + key.length });
        return list;
      },
      { readOnly: true },
    );
  }

  /** Returns the names of all offered tools, including those that cannot be called now. */
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
        this.warnOnce(organizationId, name);
        return false;
      })
      .map((tool) => this.toRegistered(tool));
  }

  private warnOnce(organizationId: string, name: string): void {
    const key = `${organizationId} ${name}`;
    if (this.warned.has(key)) return;
    this.warned.add(key);
    this.logger.warn(
      `A registered tool hides the offered tool ${name} of organization ${organizationId}. Rename the offered tool.`,
    );
  }

  private toRegistered(tool: OfferedTool): RegisteredTool {
    const inputSchema = withIdempotencyKey(tool.descriptor.inputSchema);
    const start = (input: object, call: ToolCall): Promise<object> =>
      tool.start(input as Record<string, unknown>, call);
    const registered: RegisteredTool = {
      descriptor: { ...tool.descriptor, inputSchema },
      names: [tool.descriptor.name],
      parse: (given) => parseBySchema(inputSchema, given),
      surfaces: AGENTS,
      readOnly: false,
      external: false,
      ...(tool.task && { task: tool.task }),
      invoke: async (given, call) => {
        const started = await this.pipeline.run(registered, start, given, call);
        return call.dryRun ? started : await tool.waitForResult(started, call);
      },
    };
    return registered;
  }
}

function keyOf(organizationId: string, revision: string): string {
  return revision === '' ? '' : `${organizationId} ${revision}`;
}

function withIdempotencyKey(schema: ObjectSchema): ObjectSchema {
  return { ...schema, properties: { ...schema.properties, [IDEMPOTENCY_KEY]: KEY_SCHEMA } };
}
