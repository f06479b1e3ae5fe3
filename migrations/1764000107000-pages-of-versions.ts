import { SqlMigration } from './sql-migration.js';

/**
 * Bounds the bytes that the check of workflows at a start reads with one statement. SQL of a tool could store schemas
 * with which this check ended before it had checked the workflows of other organizations.
 */
export class PagesOfVersions1764000107000 extends SqlMigration {
  readonly name = 'PagesOfVersions1764000107000';
  readonly files = ['functions/find_outdated_versions.sql'];
  readonly objects = [];
}
