import type { ToolDescriptor } from '../../../src/tools/registry/registered-tool.js';

/** Describes a tool without arguments, with all members that a list can have except icons. */
export const NOOP_DESCRIPTOR: ToolDescriptor = {
  name: 'noop',
  title: 'Do nothing',
  description: 'Does nothing.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: { type: 'object', properties: {} },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};
