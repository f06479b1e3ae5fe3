import type { Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Fault } from '../../errors/app-error.js';
import type { SchemaClass } from '../schema/class-schema.js';
import type { TaskSource } from './task-source.js';
import type { Surface } from './tool-call.js';

export interface ToolOptions {
  /** The name, which has 1 to 64 characters of a-z, 0-9 and _ and is unique in the installation. */
  name: string;
  /** The deprecated names. Calls by these names work, but lists do not show them. */
  aliases?: readonly string[];
  title: string;
  /** A description for a model: the effect of the tool, when to use it, and its result. */
  description: string;
  /** The class of the arguments. The default is the type of the first parameter of the method. */
  input?: SchemaClass;
  /**
   * Finds faults of the arguments of a workflow step when the workflow is saved, beyond those that the schema expresses.
   * Texts may contain expressions.
   */
  checkStep?: (given: Readonly<Record<string, unknown>>) => readonly Fault[];
  /**
   * Returns the part of the arguments of a workflow step that identifies the request. Calls of a step that differ in
   * this part get different idempotency keys. The default is all arguments.
   */
  requestOf?: (given: Readonly<Record<string, unknown>>) => unknown;
  /** The class of the result. When absent, the method returns `ToolContent`. */
  output?: SchemaClass;
  icons?: readonly Icon[];
  /** True if the tool changes nothing. Its calls get a READ ONLY transaction, which enforces this. */
  readOnly?: boolean;
  /** True if the tool may destroy or overwrite data that cannot be restored. */
  destructive?: boolean;
  /** True if a second call with the same arguments changes nothing more. */
  idempotent?: boolean;
  /** True if the tool waits for external systems. Its calls get no open transaction. */
  external?: boolean;
  /**
   * The paths of texts in the arguments and in the result that are secrets, such as `trigger.secret`. They are stored
   * nowhere: a repeated call gets null in their place, and a person who approves a call does not see them.
   */
  secrets?: readonly string[];
  /**
   * The provider that finds work which continues after the tool has returned, such as a run. Clients with the Tasks
   * extension of MCP 2026-07-28 get a task and later its result. Other clients get the result of the method.
   */
  task?: Type<TaskSource>;
  /** The surfaces that may call the tool. When absent, all may. */
  surfaces?: readonly Surface[];
}

/** Declares a method of a provider as a tool for agents, workflows and people. */
export const Tool = DiscoveryService.createDecorator<ToolOptions>();

/** A block of MCP content: text, image, audio, embedded resource or link. */
export type ContentBlock = { type: string } & Record<string, unknown>;

/** The result of a tool without an `output` class: content for a model and not data. */
export class ToolContent {
  constructor(readonly content: readonly ContentBlock[]) {}

  static text(text: string): ToolContent {
    return new ToolContent([{ type: 'text', text }]);
  }
}

/** A picture that clients may show beside a name. The fields are those of the MCP specification. */
export interface Icon {
  /** The URI, with the scheme https: or data:. */
  src: string;
  mimeType?: string;
  /** The sizes, written as `48x48`, or `any` for a picture that fits every size. */
  sizes?: string[];
}
