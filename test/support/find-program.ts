import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a program, or undefined when it is neither on the PATH nor in `folders`. */
function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), ...folders]
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findRedisServer(): string | undefined {
  return findProgram('redis-server');
}

/** Returns the path of PgBouncer. Debian installs it in a folder that only root has on the PATH. */
export function findPgBouncer(): string | undefined {
  return findProgram('pgbouncer', ['/usr/sbin', '/usr/local/sbin']);
}
