import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream';
import { pipeline as finishPipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { AppError } from '../../errors/app-error.js';
import type { ArchiveEntry } from './archive-entry.js';
import { damaged, decodeArchive } from './decode-archive.js';
import { encodeArchive } from './encode-archive.js';

const READ_BYTES = 256 * 1024;

/**
 * Writes an archive and returns its size in bytes. The file appears under its name only when it is complete and on
 * disk. Only its owner can read it, because it has secrets. Throws when there is a file of this name already.
 */
export async function writeArchive(
  path: string,
  entries: AsyncIterable<ArchiveEntry>,
): Promise<number> {
  await assertNew(path);
  const draft = `${path}.partial-${randomBytes(4).toString('hex')}`;
  try {
    await finishPipeline(
      encodeArchive(entries),
      createGzip(),
      createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
    );
    await assertNew(path);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return (await stat(path)).size;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw toFolderError(error, dirname(path));
  }
}

/**
 * Returns an error that says what is wrong with the folder of a new file. The error of Node names only the draft file,
 * which the caller does not know.
 */
function toFolderError(error: unknown, folder: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return AppError.invalid(`The folder ${folder} does not exist. Create it, or name another.`);
    case 'EACCES':
      return AppError.invalid(`This user may not write in the folder ${folder}. Name another.`);
    case 'ENOTDIR':
      return AppError.invalid(`${folder} is not a folder. Name another.`);
    default:
      return error;
  }
}

/** Returns the parts of the archive. Throws when the file is missing, truncated or changed. */
export async function* readArchive(path: string): AsyncGenerator<ArchiveEntry, void> {
  const unpacked = createGunzip({ chunkSize: READ_BYTES });
  // The iteration throws the errors of both streams, so the pipeline's own error is ignored.
  pipeline(createReadStream(path), unpacked, () => undefined);
  try {
    yield* decodeArchive(unpacked);
  } catch (error) {
    throw toArchiveError(error);
  } finally {
    unpacked.destroy();
  }
}

function toArchiveError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return AppError.invalid('The file does not exist. Check its name.');
  if (code === 'Z_BUF_ERROR') return damaged('it ends too early');
  if (code?.startsWith('Z_')) return damaged('it cannot be decompressed');
  return error;
}

async function assertNew(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) {
    throw AppError.invalid(`The file ${path} exists already. Give another name, or delete it.`);
  }
}

// Until the folder itself is on disk, a power cut can undo the renaming.
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
