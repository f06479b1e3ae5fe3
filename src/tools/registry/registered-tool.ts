import type { Type } from '@nestjs/common';
import type { Icon } from '../contract/tool-content.js';
import type { ObjectSchema } from '../schema/json-schema.js';
import type { TaskSource } from '../contract/task-source.js';
import type { Surface, ToolCall } from '../contract/tool-call.js';

/** What callers may know of a tool. Names as in the MCP specification, server/tools. */
export interface ToolDescriptor {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  /** Absent where the result is content and not data. */
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
  /** The name of the tool, and after it the deprecated ones. What was stored under any of them is about this tool. */
  readonly names: readonly [string, ...string[]];
  /** Checks what a caller sent; throws `invalid_arguments` with every fault. */
  readonly parse: (given: unknown) => object;
  readonly surfaces: ReadonlySet<Surface>;
  readonly readOnly: boolean;
  readonly external: boolean;
  readonly task?: Type<TaskSource>;
  /** Runs guards, interceptors, the pipeline and the method. */
  readonly invoke: (given: unknown, call: ToolCall) => Promise<object>;
}
