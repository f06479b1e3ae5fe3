import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a running PostgreSQL says about itself in `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number | null;
  /** Null while the server has not yet written its state. */
  readonly status: 'starting' | 'stopping' | 'ready' | null;
}

/** Reads `postmaster.pid` of a cluster; null where no server has left one. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => null);
  if (text === null) return null;
  // Lines (miscadmin.h): pid, data directory, start time, port, socket directory, listen address,
  // shared memory key, status. A single-user backend writes its pid negated.
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isSafeInteger(pid) || pid === 0) return null;
  const status = lines[7];
  return {
    pid,
    port: Number(lines[3]) || null,
    status: status === 'starting' || status === 'stopping' || status === 'ready' ? status : null,
  };
}
