import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  ValidateNested,
} from 'class-validator';
import { PageResult } from '../../../paging/paging.js';
import type { Actor } from '../../../accounts/account.js';
import { Doc, Nullable } from '../../../tools/schema/doc.decorator.js';
import type { VersionContent } from '../../store/version-content.js';
import type { WorkflowVersion } from '../../store/workflow-version.entity.js';
import type { StepDiff } from './definition-diff.js';

/** The author of a version. */
export class VersionAuthor {
  @Doc('A signed-in person, an API key, a run of a workflow, or the service itself.')
  @IsIn(['user', 'key', 'run', 'system'])
  kind: Actor['kind'];

  @IsString()
  id: string;
}

/** A version without its content. */
export class WorkflowVersionSummary {
  @IsInt()
  version: number;

  @Doc('Whether it is the newest: runs that start now keep to it.')
  @IsBoolean()
  current: boolean;

  @Doc('RFC 3339, UTC.')
  @IsString()
  saved_at: string;

  @Doc('Null for versions of a release that did not keep it.')
  @Nullable()
  @ValidateNested()
  @Type(() => VersionAuthor)
  saved_by: VersionAuthor | null;

  @Doc('The version that was brought back by it, if it was made so.')
  @Nullable()
  @IsInt()
  restored_from: number | null;

  static of(
    version: Pick<
      WorkflowVersion,
      'version' | 'actorKind' | 'actorId' | 'restoredFrom' | 'createdAt'
    >,
    newest: number,
  ): WorkflowVersionSummary {
    const { actorKind: kind, actorId: id } = version;
    return {
      version: version.version,
      current: version.version === newest,
      saved_at: version.createdAt.toISOString(),
      saved_by: kind !== null && id !== null ? { kind, id } : null,
      restored_from: version.restoredFrom,
    };
  }
}

/** A version with its content. */
export class WorkflowVersionView extends WorkflowVersionSummary {
  @Doc('Name at that time; null for versions of a release that kept steps only.')
  @Nullable()
  @IsString()
  name: string | null;

  @Doc('Trigger at that time, with secret: true where webhooks had to be signed; null likewise.')
  @Nullable()
  @IsObject()
  trigger: object | null;

  @IsArray()
  @IsObject({ each: true })
  steps: object[];

  static withContent(
    version: WorkflowVersion,
    content: VersionContent | null,
    newest: number,
  ): WorkflowVersionView {
    return {
      ...WorkflowVersionSummary.of(version, newest),
      name: content?.name ?? null,
      trigger: content?.trigger ?? null,
      steps: version.steps,
    };
  }
}

export class WorkflowVersionResult {
  @ValidateNested()
  @Type(() => WorkflowVersionView)
  version: WorkflowVersionView;
}

export class WorkflowVersionPage extends PageResult {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WorkflowVersionSummary)
  versions: WorkflowVersionSummary[];
}

/** The difference of one step between two versions. */
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

export class WorkflowVersionsDiff {
  @IsInt()
  from: number;

  @IsInt()
  to: number;

  @Doc('Whether both versions keep more than steps; where not, only those are compared.')
  @IsBoolean()
  is_whole: boolean;

  @Doc('{path, before?, after?} by JSON Pointer: /name, /trigger/type and so on.')
  @IsArray()
  @IsObject({ each: true })
  changes: object[];

  @Doc('Steps that differ, by their id; those that are gone first.')
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => StepDiffView)
  steps: StepDiffView[];
}
