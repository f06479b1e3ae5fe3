import type { ModuleMetadata } from '@nestjs/common';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import type { MigrationClass } from '../database/setup/migrate-extensions.js';

/** What a team adds to Switchboard, without a change to it. */
export interface Extensions {
  /** Nest modules whose providers may have tools, as one would list them under `imports`. */
  modules?: NonNullable<ModuleMetadata['imports']>;
  /** Entities of the tables that the modules reach through `TenantDatabase`. */
  entities?: EntityTarget<ObjectLiteral>[];
  /** They run at start, after Switchboard's own, oldest first, each in a transaction of its own. */
  migrations?: MigrationClass[];
}
