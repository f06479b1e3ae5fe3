import { type CanActivate, Injectable, UseGuards } from '@nestjs/common';
import { IsOptional, IsString, Length } from 'class-validator';
import { AppError } from '../../../src/errors/app-error.js';
import { Doc } from '../../../src/tools/schema/doc.decorator.js';
import type { ToolCall } from '../../../src/tools/contract/tool-call.js';
import { Tool } from '../../../src/tools/contract/tool.decorator.js';

class NoInput {}

class AnyInput {
  @Doc('Not looked at.')
  @IsOptional()
  @IsString()
  label?: string;
}

class NoOutput {}

class TextInput {
  @Doc('Any text.')
  @IsString()
  @Length(0, 100)
  text: string;
}

class TextOutput {
  @Doc('The text that was given.')
  @IsString()
  text: string;
}

class NoteOutput {
  @Doc('The text that was given.')
  @IsString()
  note_id: string;
}

/** The error of the tool `crash`. No part of it may reach a caller. */
export const SECRET = 'password=hunter2 at select * from accounts';

@Injectable()
export class DenyGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

/** Has the tools for tests of the protocol. Together they have every behaviour that a tool can have. */
@Injectable()
export class ProtocolTools {
  private readonly waiting = new Map<string, { signal: AbortSignal; release: () => void }>();

  @Tool({
    name: 'noop',
    title: 'Do nothing',
    description: 'Does nothing.',
    output: NoOutput,
    readOnly: true,
  })
  noop(_input: AnyInput): Promise<NoOutput> {
    return Promise.resolve({});
  }

  @Tool({
    name: 'takes_nothing',
    title: 'Take nothing',
    description: 'Has no arguments.',
    output: NoOutput,
    readOnly: true,
  })
  takesNothing(_input: NoInput): Promise<NoOutput> {
    return Promise.resolve({});
  }

  @Tool({
    name: 'echo_text',
    title: 'Echo',
    description: 'Returns the text.',
    output: TextOutput,
    readOnly: true,
  })
  echo({ text }: TextInput): Promise<TextOutput> {
    return Promise.resolve({ text });
  }

  /**
   * Returns the text as `note_id`. The audit log stores this id as the subject of the call. So tests can check the
   * order and the actors of calls.
   */
  @Tool({ name: 'note', title: 'Note', description: 'Leaves a trace.', output: NoteOutput })
  note({ text }: TextInput): Promise<NoteOutput> {
    return Promise.resolve({ note_id: text });
  }

  /** Does the same as `note`, but waits until {@link release} is called with the same text. */
  @Tool({ name: 'slow_note', title: 'Slow note', description: 'Waits.', output: NoteOutput })
  async slowNote({ text }: TextInput, { signal }: ToolCall): Promise<NoteOutput> {
    await this.released(text, signal);
    signal.throwIfAborted();
    return { note_id: text };
  }

  /** Does the same as `slow_note`, but ignores its signal. */
  @Tool({ name: 'deaf_note', title: 'Deaf note', description: 'Waits.', output: NoteOutput })
  async deafNote({ text }: TextInput, { signal }: ToolCall): Promise<NoteOutput> {
    await this.released(text, signal);
    return { note_id: text };
  }

  /** Does the same as `deaf_note`, with an external effect that no transaction rolls back. */
  @Tool({
    name: 'outside_note',
    title: 'Outside note',
    description: 'Waits.',
    output: NoteOutput,
    external: true,
  })
  async outsideNote({ text }: TextInput, { signal }: ToolCall): Promise<NoteOutput> {
    await this.released(text, signal);
    return { note_id: text };
  }

  /** Returns the signal of the call that waits with this text. */
  signalOf(text: string): AbortSignal | undefined {
    return this.waiting.get(text)?.signal;
  }

  isWaiting(text: string): boolean {
    return this.waiting.has(text);
  }

  release(text: string): void {
    this.waiting.get(text)?.release();
  }

  private released(text: string, signal: AbortSignal): Promise<void> {
    return new Promise((release) => this.waiting.set(text, { signal, release }));
  }

  @Tool({ name: 'crash', title: 'Crash', description: 'Has a bug.', output: NoOutput })
  crash(_input: AnyInput): Promise<NoOutput> {
    return Promise.reject(new Error(SECRET));
  }

  @Tool({
    name: 'no_object',
    title: 'No object',
    description: 'Has a bug.',
    output: NoOutput,
    readOnly: true,
  })
  noObject(_input: AnyInput): Promise<NoOutput> {
    return Promise.resolve(undefined as unknown as NoOutput);
  }

  @Tool({ name: 'clash', title: 'Clash', description: 'Always conflicts.', output: NoOutput })
  clash(_input: AnyInput): Promise<NoOutput> {
    throw new AppError('conflict', 'There is one already.');
  }

  @UseGuards(DenyGuard)
  @Tool({ name: 'denied', title: 'Denied', description: 'Is for nobody.', output: NoOutput })
  denied(_input: AnyInput): Promise<NoOutput> {
    return Promise.resolve({});
  }

  @Tool({
    name: 'people_only',
    title: 'People only',
    description: 'Is for people.',
    output: NoOutput,
    surfaces: ['dashboard'],
  })
  peopleOnly(_input: AnyInput): Promise<NoOutput> {
    return Promise.resolve({});
  }
}
