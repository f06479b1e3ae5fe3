import 'reflect-metadata';
import { loadProcessEnv } from './load-process-env.js';
import { writeArchive } from '../database/backup/archive-file.js';
import { type DumpCounts, dumpDatabase } from '../database/backup/dump-database.js';
import { SecretBox } from '../database/secret-box.js';
import { toError } from '../errors/app-error.js';
import { SERVER_INFO } from '../mcp/server-info.js';
import { counted } from '../text/counted.js';
import { withOwner } from './owner-connection.js';

const USAGE = 'Usage: npm run backup -- FILE';

/**
 * Writes all rows of the configured database into an archive, while the service works. The exit code is 2 when there is
 * no complete archive.
 */
export async function makeBackup(): Promise<void> {
  const [file, ...more] = process.argv.slice(2);
  if (file === undefined || file.startsWith('-') || more.length > 0) {
    fail(USAGE);
    return;
  }
  const counts: DumpCounts = { tables: 0, rows: 0, takenAt: '' };
  try {
    const env = loadProcessEnv();
    const hasDatabase = await withOwner(env, async (client) => {
      const entries = dumpDatabase(
        client,
        {
          product: SERVER_INFO.version,
          boxOf: (dataKey) => new SecretBox(dataKey, env.secretKey, env.otherSecretKey),
          log: say,
        },
        counts,
      );
      const bytes = await writeArchive(file, entries);
      say(
        `Wrote ${file}: ${counted(counts.tables, 'table')}, ${counted(counts.rows, 'row')}, ${bytes} bytes, snapshot ` +
          `of ${counts.takenAt}.`,
      );
    });
    if (!hasDatabase)
      throw new Error(
        `There is no database in ${env.dataDir}. Set DATA_DIR or DATABASE_URL as for the running service.`,
      );
  } catch (error) {
    fail(`There is no backup: ${toError(error).message}`);
  }
}

function fail(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
