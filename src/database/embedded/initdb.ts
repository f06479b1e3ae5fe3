import { type Binaries, runProgram } from './binaries.js';
import type { SystemUser } from './system-user.js';

/** The name of the superuser that initdb creates, and of the database that the application uses. */
export const ROLE = 'switchboard';

/** The options that decide the contents of a cluster, besides the version of PostgreSQL. */
export const INITDB_OPTIONS: readonly string[] = [
  `--username=${ROLE}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
];

/** Makes a cluster in the empty folder `cluster`. Its superuser gets the password in `passwordFile`. */
export async function runInitdb(
  binaries: Binaries,
  cluster: string,
  passwordFile: string,
  user: SystemUser | null,
  isDurable: boolean,
): Promise<void> {
  const options = ['-D', cluster, `--pwfile=${passwordFile}`, ...INITDB_OPTIONS];
  if (!isDurable) options.push('--no-sync');
  await runProgram(binaries, 'initdb', options, user, cluster);
}

/** Flushes all files of a cluster to disk. The cluster must not be running. */
export async function syncCluster(
  binaries: Binaries,
  cluster: string,
  user: SystemUser | null,
): Promise<void> {
  await runProgram(binaries, 'initdb', ['--sync-only', '-D', cluster], user, cluster);
}

/**
 * Runs SQL statements in a cluster that is not running. Rejects when a statement fails. The statements appear in no
 * command line, no log and no error. The changes are not on disk yet: see `syncCluster`.
 */
export async function runSingleUser(
  binaries: Binaries,
  cluster: string,
  user: SystemUser | null,
  statements: readonly string[],
): Promise<void> {
  const options = ['--single', '-D', cluster, '-F', '-j'];
  // Without exit_on_error, the exit code would be 0 even after a statement that failed.
  const settings = ['exit_on_error=on', 'log_min_error_statement=panic', 'log_checkpoints=off'];
  for (const setting of settings) options.push('-c', setting);
  const input = statements.map((statement) => `${statement};\n\n`).join('');
  await runProgram(binaries, 'postgres', [...options, 'postgres'], user, cluster, input);
}
