import { DiscoveryService } from '@nestjs/core';
import type { Icon } from '../tools/icon.js';

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
