import { IsArray, IsObject, IsString } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import type { VersionContent } from '../saved/version-content.js';
import { WorkflowVersionSummary } from './workflow-version-summary.js';
import type { WorkflowVersion } from '../saved/workflow-version.entity.js';

/** A workflow as it was saved as one of its versions. */
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

  static whole(
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
