import { Transform } from 'class-transformer';
import { Injectable } from '@nestjs/common';
import { IsBoolean, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { AppError, type AppErrorCode } from '../../../src/errors/app-error.js';
import type { ToolCall } from '../../../src/tools/contract/tool-call.js';
import { Tool } from '../../../src/tools/contract/tool.decorator.js';
import { ContactsService } from '../../../src/contacts/contacts.service.js';

class EchoInput {
  @IsObject()
  @Transform(({ obj }) => (obj as EchoInput).value)
  value: object;
}

class EchoResult {
  @IsObject()
  value: object;
}

class FailInput {
  @IsString()
  name: string;

  @IsIn(['unavailable', 'conflict', 'crash'])
  code: string;
}

class GateInput {
  @IsString()
  name: string;

  @IsOptional()
  @IsBoolean()
  fail?: boolean;

  @IsOptional()
  @IsString()
  idempotency_key?: string;
}

class DoneResult {
  @IsBoolean()
  done: boolean;
}

/**
 * Provides tools whose behaviour a test controls. They record their calls in `calls`, and wait while their name is in
 * `held`.
 */
@Injectable()
export class ProbeTools {
  static readonly calls: { name: string; key?: string }[] = [];
  /**
   * Maps the name in the arguments of `probe_fail` to the number of calls that fail before the calls succeed. Calls with a name
   * that is not in this map always fail.
   */
  static readonly failures = new Map<string, number>();
  private static readonly held = new Map<string, { promise: Promise<void>; open: () => void }>();

  /** Removes all calls, failures and waits of earlier test files. Calls that still wait return. */
  static reset(): void {
    for (const { open } of ProbeTools.held.values()) open();
    ProbeTools.calls.length = 0;
    ProbeTools.failures.clear();
    ProbeTools.held.clear();
    ProbeTools.aborted.clear();
  }

  /** Makes calls of this name wait until `open` is called. */
  static hold(name: string): void {
    let open = (): void => undefined;
    const promise = new Promise<void>((resolve) => {
      open = resolve;
    });
    ProbeTools.held.set(name, { promise, open });
  }

  static async waitFor(name: string): Promise<void> {
    await ProbeTools.held.get(name)?.promise;
  }

  static open(name: string): void {
    ProbeTools.held.get(name)?.open();
    ProbeTools.held.delete(name);
  }

  /** The names of external calls whose signal was aborted. */
  static readonly aborted = new Set<string>();

  static count(name: string): number {
    return ProbeTools.calls.filter((call) => call.name === name).length;
  }

  @Tool({
    name: 'probe_echo',
    title: 'Echo',
    description: 'Returns what it got.',
    output: EchoResult,
    readOnly: true,
  })
  async echo(input: EchoInput): Promise<EchoResult> {
    return { value: input.value };
  }

  @Tool({ name: 'probe_fail', title: 'Fail', description: 'Fails.', output: DoneResult })
  async fail(input: FailInput): Promise<DoneResult> {
    ProbeTools.calls.push({ name: input.name });
    const left = ProbeTools.failures.get(input.name);
    if (left === 0) return { done: true };
    if (left !== undefined) ProbeTools.failures.set(input.name, left - 1);
    if (input.code === 'crash') throw new Error('secret detail');
    throw new AppError(input.code as AppErrorCode, 'Told to fail.');
  }

  @Tool({
    name: 'probe_outside',
    title: 'Outside',
    description: 'Acts as an external system.',
    output: DoneResult,
    external: true,
  })
  async outside(input: GateInput, call: ToolCall): Promise<DoneResult> {
    call.signal.addEventListener('abort', () => ProbeTools.aborted.add(input.name));
    ProbeTools.calls.push({ name: input.name, key: input.idempotency_key });
    await ProbeTools.held.get(input.name)?.promise;
    return { done: true };
  }
}

/** Creates a contact, so that tests can count effects. Then waits while the name is in `held`. */
@Injectable()
export class ProbeEffectTools {
  constructor(private readonly contacts: ContactsService) {}

  @Tool({
    name: 'probe_effect',
    title: 'Effect',
    description: 'Creates a contact.',
    output: DoneResult,
  })
  async effect(input: GateInput, call: ToolCall): Promise<DoneResult> {
    ProbeTools.calls.push({ name: input.name });
    await this.contacts.create(
      call.organizationId,
      { firstName: input.name, externalId: `${input.name}-${ProbeTools.calls.length}` },
      'error',
      'workflow',
    );
    await ProbeTools.waitFor(input.name);
    return { done: true };
  }
}
