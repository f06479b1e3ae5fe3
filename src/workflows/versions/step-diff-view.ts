import { IsArray, IsIn, IsObject, IsString } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import type { StepDiff } from './definition-diff.js';

/** What became of one step from one version to another. */
export class StepDiffView {
  @IsString()
  id: string;

  @Doc('A step that has moved and changed is "changed".')
  @IsIn(['added', 'removed', 'moved', 'changed'])
  change: StepDiff['change'];

  @Doc('JSON Pointer to the step as it was, such as /steps/1/then/0; null where it is new.')
  @Nullable()
  @IsString()
  from: string | null;

  @Doc('JSON Pointer to the step as it is then; null where it is gone.')
  @Nullable()
  @IsString()
  to: string | null;

  @Doc(
    '{path, before?, after?} by JSON Pointer into the step; steps inside of it have entries of their own.',
  )
  @IsArray()
  @IsObject({ each: true })
  changes: object[];
}
