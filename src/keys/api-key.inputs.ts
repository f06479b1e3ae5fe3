import { ArrayMaxSize, ArrayMinSize, MaxLength, MinLength } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Flag, Integer, Text, TextList } from '../tools/schema/fields.js';

const MAX_TOOLS = 100;
const MAX_DAYS = 3650;

/** Describes the body of `POST /api/mcp/keys`. A request without a body creates a key without limits. */
export class CreateKeyBody {
  @Doc('The key is refused from this time on: RFC 3339 with a time zone, at most ten years ahead.')
  @Text({ optional: true, max: 64 })
  expires_at?: string;

  @Integer('The key is refused after this many days.', { optional: true, min: 1, max: MAX_DAYS })
  expires_in_days?: number;

  @Flag('If true, the key may call only tools that change nothing.', { optional: true })
  read_only?: boolean;

  @Doc('Names of the tools that the key may call. Absent: every tool.')
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_TOOLS)
  @MinLength(1, { each: true })
  @MaxLength(64, { each: true })
  @TextList({ optional: true })
  tools?: string[];
}
