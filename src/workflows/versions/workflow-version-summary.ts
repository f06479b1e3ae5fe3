import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { VersionAuthor } from './version-author.js';
import type { WorkflowVersion } from '../saved/workflow-version.entity.js';

/** When, how and by whom a version was saved. */
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
