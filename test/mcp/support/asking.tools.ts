import { Injectable } from '@nestjs/common';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { askForm } from '../../../src/tools/contract/input-request.js';
import type { ToolCall } from '../../../src/tools/contract/tool-call.js';
import { Tool, ToolContent } from '../../../src/tools/contract/tool.decorator.js';
import { Doc } from '../../../src/tools/schema/doc.decorator.js';

class NoInput {}

class Name {
  @Doc('What you are called.')
  @IsString()
  @Length(1, 20)
  name: string;
}

class Seats {
  @IsInt()
  @Min(1)
  @Max(8)
  seats: number;

  @IsOptional()
  @IsIn(['window', 'aisle'])
  where?: string;
}

class TextOutput {
  @IsString()
  text: string;
}

class BookInput {
  @Doc('Where to.')
  @IsString()
  @Length(1, 50)
  town: string;

  @Doc('Runs the call once.')
  @IsOptional()
  @IsString()
  idempotency_key?: string;
}

class BookOutput {
  @IsString()
  note_id: string;

  @IsString()
  summary: string;
}

class StepsInput {
  @Doc('The numbers to report, one after the other.')
  @IsString()
  numbers: string;
}

/** Has tools that make input requests, report progress and return content. */
@Injectable()
export class AskingTools {
  /** Lists the effects that the tools had outside the database. */
  readonly done: string[] = [];

  @Tool({
    name: 'greet',
    title: 'Greet',
    description: 'Greets by a name that it asks for.',
    output: TextOutput,
    readOnly: true,
  })
  async greet(_input: NoInput, call: ToolCall): Promise<TextOutput> {
    const { who } = await call.ask({ who: askForm('What is your name?', Name) });
    return { text: `Hello, ${who.name}!` };
  }

  /** Books a town. The audit rows, with the town as subject, show the number of executions. */
  @Tool({ name: 'book', title: 'Book', description: 'Asks twice.', output: BookOutput })
  async book({ town }: BookInput, call: ToolCall): Promise<BookOutput> {
    const { who } = await call.ask({ who: askForm('For whom?', Name) });
    const { size } = await call.ask({ size: askForm(`How many seats, ${who.name}?`, Seats) });
    return { note_id: town, summary: `${who.name} ${size.seats} ${size.where ?? '-'}` };
  }

  @Tool({
    name: 'book_outside',
    title: 'Book outside',
    description: 'Asks once.',
    output: BookOutput,
    external: true,
  })
  async bookOutside({ town }: BookInput, call: ToolCall): Promise<BookOutput> {
    const { who } = await call.ask({ who: askForm('For whom?', Name) });
    this.done.push(town);
    return { note_id: town, summary: who.name };
  }

  @Tool({
    name: 'count',
    title: 'Count',
    description: 'Reports numbers.',
    output: TextOutput,
    readOnly: true,
  })
  count({ numbers }: StepsInput, call: ToolCall): Promise<TextOutput> {
    for (const number of numbers.split(' ')) {
      call.report({ progress: Number(number), total: 100, message: `at ${number}` });
    }
    return Promise.resolve({ text: numbers });
  }

  @Tool({
    name: 'draw',
    title: 'Draw',
    description: 'Answers with a picture.',
    readOnly: true,
  })
  draw(_input: NoInput): Promise<ToolContent> {
    return Promise.resolve(
      new ToolContent([
        { type: 'text', text: 'A dot:' },
        { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' },
      ]),
    );
  }
}
