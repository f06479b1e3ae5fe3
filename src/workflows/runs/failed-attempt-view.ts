import { IsInt, IsObject, IsString } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

/** One attempt of a step that failed. */
export class FailedAttemptView {
  @IsInt()
  @Doc('Counted from 1, and anew when the run is retried.')
  attempt: number;

  @IsString()
  @Doc('RFC 3339, UTC.')
  failed_at: string;

  @IsObject()
  @Doc('{code, message, details?}.')
  error: object;
}
