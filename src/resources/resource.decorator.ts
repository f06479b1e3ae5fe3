import { DiscoveryService } from '@nestjs/core';
import type { ToolCall } from '../tools/contract/tool-call.js';
import type { Icon } from '../tools/contract/tool.decorator.js';
import type { UriTemplate } from './uri-template.js';

export interface ResourceOptions {
  /**
   * `scheme://host/path`, unique in the installation. With {variables} as path segments it is a template. Each variable is a
   * field of the first parameter of the method.
   */
  uri: string;
  /** 1 to 64 characters of a-z, 0-9 and _. Unique among resources. */
  name: string;
  title: string;
  /** Describes the content to a model or a person that chooses between resources. */
  description: string;
  /** When absent, application/json. */
  mimeType?: string;
  icons?: readonly Icon[];
}

/**
 * Declares a method as a resource: agents read its result under a URI, an object as JSON, a text as it is, a `Uint8Array` as
 * binary data. The first parameter is a class as for `@Tool`, so one method can be both. It runs in a READ ONLY transaction.
 */
export const Resource = DiscoveryService.createDecorator<ResourceOptions>();

/** Describes a resource or a template to callers. The field names are those of the MCP specification, server/resources. */
export interface ResourceDescriptor {
  name: string;
  title: string;
  description: string;
  mimeType: string;
  icons?: readonly Icon[];
}

/** The content of a resource. */
export type ResourceContents = { uri: string; mimeType: string } & (
  { text: string } | { blob: string }
);

export interface RegisteredResource {
  readonly template: UriTemplate;
  /** The names of the tool, if the method is a tool too. */
  readonly toolNames: readonly string[];
  readonly descriptor: ResourceDescriptor;
  /** Runs the guards, the interceptors and the method. */
  readonly read: (variables: object, call: ToolCall) => Promise<unknown>;
}
