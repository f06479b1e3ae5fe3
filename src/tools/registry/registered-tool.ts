import type { Type } from '@nestjs/common';
import type { ToolPolicies } from '../../policies/tool-policies.js';
import type { TaskSource } from '../contract/task-source.js';
import type { Surface, ToolCall } from '../contract/tool-call.js';
import type { Icon, ToolOptions } from '../contract/tool.decorator.js';
import type { ObjectSchema } from '../schema/json-schema.js';

/** A tool as callers see it. The field names are those of the MCP specification, server/tools. */
export interface ToolDescriptor {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  /** Absent if the tool returns {@link ToolContent}. */
  outputSchema?: ObjectSchema;
  icons?: readonly Icon[];
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export interface RegisteredTool {
  readonly descriptor: ToolDescriptor;
  /**
   * The current name, then the deprecated names. Rows that were stored under any of these names belong to this tool.
   */
  readonly names: readonly [string, ...string[]];
  /** Checks the arguments of a caller. Throws `invalid_arguments` with every fault. */
  readonly parse: (given: unknown) => object;
  readonly surfaces: ReadonlySet<Surface>;
  readonly readOnly: boolean;
  readonly external: boolean;
  /** The paths of secrets in the arguments and in the result. */
  readonly secrets?: readonly string[];
  readonly task?: Type<TaskSource>;
  /** When a workflow is saved, finds the faults in the arguments of a step that the schema cannot detect. */
  readonly checkStep?: ToolOptions['checkStep'];
  /** Returns the part of the arguments of a step that identifies the request, for its idempotency key. */
  readonly requestOf?: ToolOptions['requestOf'];
  /** Runs the guards, the interceptors, the pipeline and the method. */
  readonly invoke: (given: unknown, call: ToolCall) => Promise<object>;
}

/** The tools that a prompt or a completion needs. */
export class RequiredTools {
  constructor(private readonly tools: readonly RegisteredTool[]) {}

  /**
   * Returns false if one of the tools is hidden or not permitted. Also returns false if a tool that only reads needs a
   * confirmation, because its data would be shown without a call. Without tools, returns false for an API key that may
   * call only listed tools.
   */
  areAllowed(policies: ToolPolicies): boolean {
    if (this.tools.length === 0) return policies.permitsReading();
    return this.tools.every(
      (tool) =>
        policies.permits(tool) &&
        !(tool.readOnly && policies.confirmation(...tool.names) !== 'never'),
    );
  }
}
