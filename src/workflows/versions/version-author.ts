import { IsIn, IsString } from 'class-validator';
import type { Actor } from '../../accounts/actor.js';
import { Doc } from '../../tools/schema/doc.decorator.js';

/** Who saved a version, as callers see it. */
export class VersionAuthor {
  @Doc('A signed-in person, an API key, a run of a workflow, or the service itself.')
  @IsIn(['user', 'key', 'run', 'system'])
  kind: Actor['kind'];

  @IsString()
  id: string;
}
