import type { Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Icon } from './tool-content.js';
import type { DtoClass } from '../schema/dto-schema.js';
import type { TaskSource } from './task-source.js';
import type { Surface } from './tool-call.js';

export interface ToolOptions {
  /** 1 to 64 of a-z, 0-9 and _, unique in the installation. */
  name: string;
  /** Earlier names of the tool. Calls by them still work, but no list shows them. */
  aliases?: readonly string[];
  title: string;
  /** Written for a model that has to choose between tools: what it does, when to use it, what it returns. */
  description: string;
  /** Class of the first argument; absent: the type of the method's first parameter. */
  input?: DtoClass;
  /** Class of the result; absent: the method returns `ToolContent`. */
  output?: DtoClass;
  icons?: readonly Icon[];
  /** Changes nothing. Enforced: the call gets a READ ONLY transaction. */
  readOnly?: boolean;
  /** May destroy or overwrite what cannot be brought back. */
  destructive?: boolean;
  /** Calling it again with the same arguments changes nothing more. */
  idempotent?: boolean;
  /** Talks to systems outside and waits for them, so it gets no open transaction. */
  external?: boolean;
  /**
   * The provider that knows the work which goes on after the tool has answered. Clients of MCP 2026-07-28 that support
   * the Tasks extension then get a task, and its result in the end; all others get what the tool returned.
   */
  task?: Type<TaskSource>;
  /** Who may call it; absent: everybody. */
  surfaces?: readonly Surface[];
}

/** Makes a method of a provider a tool for agents, workflows and people. */
export const Tool = DiscoveryService.createDecorator<ToolOptions>();
