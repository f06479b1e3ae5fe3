import { DiscoveryService } from '@nestjs/core';
import type { ToolCall } from '../tools/contract/tool-call.js';
import type { Icon } from '../tools/contract/tool.decorator.js';
import type { RequiredTools } from '../tools/registry/registered-tool.js';
import type { UriTemplate } from './uri-template.js';

export interface ResourceOptions {
  /**
   * The URI, which has the form `scheme://host/path` and is unique in the installation. With {variables} as path
   * segments it is a template. Each variable is a field of the first parameter of the method.
   */
  uri: string;
  /** The name, which has 1 to 64 characters of a-z, 0-9 and _ and is unique among resources. */
  name: string;
  title: string;
  /** A description of the content, for a model or a person that chooses between resources. */
  description: string;
  /** The media type of the content. The default is application/json. */
  mimeType?: string;
  icons?: readonly Icon[];
  /**
   * Further tools that return the data of the resource. The resource is hidden when the organization hides one of them
   * or wants its calls confirmed.
   */
  needs?: readonly string[];
}

/**
 * Declares a method as a resource: agents read its result by a URI. An object becomes JSON, and a `Uint8Array` becomes
 * binary data. The first parameter is a class as for `@Tool`, so one method can be both a tool and a resource. The
 * method runs in a READ ONLY transaction.
 */
export const Resource = DiscoveryService.createDecorator<ResourceOptions>();

/** A resource or a template as callers see it. The field names are those of the MCP specification, server/resources. */
export interface ResourceDescriptor {
  name: string;
  title: string;
  description: string;
  mimeType: string;
  icons?: readonly Icon[];
}

export type ResourceContents = { uri: string; mimeType: string } & (
  { text: string } | { blob: string }
);

export interface RegisteredResource {
  readonly template: UriTemplate;
  /** The names of the tool, if the method is a tool too. */
  readonly toolNames: readonly string[];
  /** The further tools that return the data. Undefined when there are none. */
  readonly needs: RequiredTools | undefined;
  readonly descriptor: ResourceDescriptor;
  /** Runs the guards, the interceptors and the method. */
  readonly read: (variables: object, call: ToolCall) => Promise<unknown>;
}
