import { Injectable, Module } from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import {
  AppError,
  ChangeFeed,
  ContactsModule,
  ContactsService,
  Doc,
  type Extensions,
  startSwitchboard,
  TenantDatabase,
  Tool,
  type ToolCall,
} from 'switchboard';
import type { TestOptions } from 'switchboard/testing';

class CountLettersInput {
  @Doc('Any text.')
  @IsString()
  text: string;
}

class CountLettersResult {
  @IsInt()
  letters: number;
}

@Injectable()
class LetterTools {
  constructor(
    readonly contacts: ContactsService,
    readonly changes: ChangeFeed,
    readonly tenants: TenantDatabase,
  ) {}

  @Tool({
    name: 'count_letters',
    title: 'Count letters',
    description: 'Counts the letters of a text.',
    output: CountLettersResult,
    readOnly: true,
  })
  async count({ text }: CountLettersInput, call: ToolCall): Promise<CountLettersResult> {
    if (text === '') throw AppError.invalid(`No text came from the ${call.surface}.`);
    return { letters: text.length };
  }
}

@Module({ imports: [ContactsModule], providers: [LetterTools] })
class LettersModule {}

const extensions: Extensions & TestOptions = { modules: [LettersModule] };

await startSwitchboard(extensions);
