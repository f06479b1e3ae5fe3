import { PageResult } from '../../../paging/paging.js';
import type { Actor } from '../../../accounts/account.js';
import { Doc } from '../../../tools/schema/doc.decorator.js';
import {
  Choice,
  Flag,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  ObjectList,
  Text,
  Timestamp,
} from '../../../tools/schema/fields.js';
import { stepsView } from '../../definitions/steps/failure-step.js';
import type { VersionContent } from '../../store/version-content.js';
import type { WorkflowVersion } from '../../store/workflow-version.entity.js';
import type { StepDiff } from './definition-diff.js';

export class VersionAuthor {
  @Doc('A signed-in person, an API key, a run of a workflow, or the service itself.')
  @Choice(['user', 'key', 'run', 'system'])
  kind: Actor['kind'];

  @Text()
  id: string;
}

export class WorkflowVersionSummary {
  @Integer()
  version: number;

  @Flag('True if this is the newest version, which new runs use.')
  current: boolean;

  @Timestamp()
  saved_at: string;

  @Doc('Null for versions that were saved by a release that did not store the author.')
  @Nested(() => VersionAuthor, { nullable: true })
  saved_by: VersionAuthor | null;

  @Integer('The number of the earlier version that was restored as this version, if any.', {
    nullable: true,
  })
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

export class WorkflowVersionView extends WorkflowVersionSummary {
  @Doc(
    'Name at that time; null for a version that an older release saved, which stored only the steps.',
  )
  @Text({ nullable: true })
  name: string | null;

  @Doc(
    'Trigger at that time, with secret: true if webhooks had to be signed; null when name is null.',
  )
  @JsonObject({ nullable: true })
  trigger: object | null;

  @ObjectList()
  steps: object[];

  @ObjectList({ optional: true })
  on_failure?: object[];

  static withContent(
    version: WorkflowVersion,
    content: VersionContent | null,
    newest: number,
  ): WorkflowVersionView {
    return {
      ...WorkflowVersionSummary.of(version, newest),
      name: content?.name ?? null,
      trigger: content?.trigger ?? null,
      ...stepsView(version.steps),
    };
  }
}

export class WorkflowVersionResult {
  @Nested(() => WorkflowVersionView)
  version: WorkflowVersionView;
}

export class WorkflowVersionPage extends PageResult {
  @ListOf(() => WorkflowVersionSummary)
  versions: WorkflowVersionSummary[];
}

export class StepDiffView {
  @Text()
  id: string;

  @Doc('A step that moved and changed is "changed".')
  @Choice(['added', 'removed', 'moved', 'changed'])
  change: StepDiff['change'];

  @Doc(
    'JSON Pointer to the step in the earlier version, such as /steps/1/then/0; null if the step was added.',
  )
  @Text({ nullable: true })
  from: string | null;

  @Text('JSON Pointer to the step in the later version; null if the step was removed.', {
    nullable: true,
  })
  to: string | null;

  @ObjectList(
    '{path, before?, after?} by JSON Pointer into the step; inner steps have separate entries.',
  )
  changes: object[];
}

export class WorkflowVersionsDiff {
  @Integer()
  from: number;

  @Integer()
  to: number;

  @Flag('True if both versions store more than steps. If false, only steps are compared.')
  is_whole: boolean;

  @ObjectList('{path, before?, after?} by JSON Pointer: /name, /trigger/type and so on.')
  changes: object[];

  @ListOf(() => StepDiffView, 'Steps that differ, by id; removed steps come first.')
  steps: StepDiffView[];
}
