import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { SystemUser } from './system-user.js';

/**
 * The largest number of bytes of the files. A new cluster has 47 MB. Because of this limit, a wrong archive cannot fill
 * the memory.
 */
const MOST_BYTES = 256 * 1024 * 1024;
const LENGTH_BYTES = 4;
/**
 * Matches names of files and folders of PostgreSQL, such as `base/1/1259_fsm`. Such a name cannot lead out of the
 * folder of the cluster.
 */
const PATH = /^\w[\w.]*(?:\/\w[\w.]*)*$/;

/** The part of the archive before the contents of the files. Each position is in bytes after this part. */
interface Header {
  /** The programs that made the cluster. An archive of other programs cannot be used. */
  readonly origin: string;
  /** The folders. Each one comes after the folder that contains it. */
  readonly folders: readonly string[];
  readonly files: readonly (readonly [path: string, start: number, end: number])[];
}

// All files are read and written synchronously: there are 1,300 small ones, and asynchronous calls take three times as
// long. The application is not loaded yet, so nothing else waits.

/**
 * Returns the files of a cluster that is not running, compressed. The databases of a new cluster are copies of each
 * other, so equal files are stored once.
 */
export function packCluster(cluster: string, origin: string): Buffer {
  const folders: string[] = [];
  const files: [string, number, number][] = [];
  const contents: Buffer[] = [];
  const starts = new Map<string, number>();
  let length = 0;
  const add = (path: string): void => {
    const content = readFileSync(join(cluster, path));
    const hash = createHash('sha256').update(content).digest('hex');
    const start = starts.get(hash) ?? length;
    if (!starts.has(hash)) {
      starts.set(hash, start);
      contents.push(content);
      length += content.length;
    }
    files.push([path, start, start + content.length]);
  };
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(cluster, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) add(path);
      else {
        folders.push(path);
        walk(path);
      }
    }
  };
  walk('');
  const header = Buffer.from(JSON.stringify({ origin, folders, files } satisfies Header));
  const headerLength = Buffer.alloc(LENGTH_BYTES);
  headerLength.writeUInt32BE(header.length);
  return gzipSync(Buffer.concat([headerLength, header, ...contents]));
}

/**
 * Writes the files of `archive` into the empty folder `cluster`, and gives them to `user`. Throws when the archive is
 * damaged or was made by other programs. After such an error, the folder may have some of the files.
 */
export function unpackCluster(
  archive: Buffer,
  origin: string,
  cluster: string,
  user: SystemUser | null,
): void {
  // No checksum of our own is needed, because gzip has one.
  const all = gunzipSync(archive, { maxOutputLength: MOST_BYTES });
  const headerEnd = LENGTH_BYTES + all.readUInt32BE();
  const header = JSON.parse(all.toString('utf8', LENGTH_BYTES, headerEnd)) as Header;
  if (header.origin !== origin) throw new Error('The archive was made by other programs.');
  const contents = all.subarray(headerEnd);
  const place = (path: string): string => {
    if (!PATH.test(path))
      throw new Error('The archive has a path that cannot be in a cluster of PostgreSQL.');
    return join(cluster, path);
  };
  for (const path of header.folders) {
    const folder = place(path);
    mkdirSync(folder, { mode: 0o700 });
    if (user) chownSync(folder, user.uid, user.gid);
  }
  for (const [path, start, end] of header.files) {
    const file = place(path);
    writeFileSync(file, contents.subarray(start, end), { flag: 'wx', mode: 0o600 });
    if (user) chownSync(file, user.uid, user.gid);
  }
}
