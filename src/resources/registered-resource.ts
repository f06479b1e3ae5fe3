import type { Icon } from '../tools/icon.js';
import type { ToolCall } from '../tools/tool-call.js';
import type { UriTemplate } from './uri-template.js';

/** What callers may know of a resource, or of the resources of a template. Names as in MCP, server/resources. */
export interface ResourceDescriptor {
  name: string;
  title: string;
  description: string;
  mimeType: string;
  icons?: readonly Icon[];
}

/** What a resource holds. */
export type ResourceContents = { uri: string; mimeType: string } & (
  { text: string } | { blob: string }
);

export interface RegisteredResource {
  readonly template: UriTemplate;
  /** Names of the tool that the same method is, if it is one. */
  readonly toolNames: readonly string[];
  readonly descriptor: ResourceDescriptor;
  /** Runs guards, interceptors and the method. */
  readonly read: (variables: object, call: ToolCall) => Promise<unknown>;
}
