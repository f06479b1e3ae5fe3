import { DiscoveryService } from '@nestjs/core';
import type { ToolCall } from '../tools/contract/tool-call.js';
import type { Icon } from '../tools/contract/tool.decorator.js';
import type { UriTemplate } from './uri-template.js';

export interface ResourceOptions {
  /**
   * `scheme://host/path`, unique in the installation. With {variables} as segments of the path it is a template: each
   * is a field of the method's first parameter.
   */
  uri: string;
  /** 1 to 64 of a-z, 0-9 and _, unique among resources. */
  name: string;
  title: string;
  /** What is found there, for a model or a person that chooses between resources. */
  description: string;
  /** Absent: application/json. */
  mimeType?: string;
  icons?: readonly Icon[];
}

/**
 * Makes what a method returns readable under a URI: an object as JSON, text as it is, a `Uint8Array` as binary. Its
 * first parameter is a class as for `@Tool`, so one method can be both. It runs in a READ ONLY transaction.
 */
export const Resource = DiscoveryService.createDecorator<ResourceOptions>();

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
