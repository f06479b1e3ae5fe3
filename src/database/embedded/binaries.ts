import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresUnsupported, errorCode } from './embedded-postgres-error.js';
import { type SystemUser, giveTree } from './system-user.js';

const PLATFORMS: Readonly<Record<string, string>> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm64': 'linux-arm64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};

/**
 * The only variables that programs inherit. Other variables, such as PGDATA or LD_LIBRARY_PATH, would change what the
 * programs do.
 */
export const PROGRAM_ENV: NodeJS.ProcessEnv | undefined =
  process.platform === 'win32' ? undefined : { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

type ProgramName = 'initdb' | 'pg_ctl' | 'postgres';

// On Alpine Linux, for example, execve fails with ENOENT: the file exists, but its loader does not.
const NO_LOADER = 'it is built for glibc, and this system has another C library, perhaps musl.';

export interface Binaries {
  /** The full version of the npm package, such as `18.4.0-beta.17`. */
  readonly version: string;
  /** The major version of PostgreSQL. A data directory works with only this version. */
  readonly major: string;
  readonly native: string;
}

/**
 * Returns the binaries that npm installed for this platform. Throws `EmbeddedPostgresUnsupported` when there are none.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const suffix = PLATFORMS[platform];
  if (!suffix) {
    throw new EmbeddedPostgresUnsupported(`There is no built-in PostgreSQL for ${platform}.`);
  }
  const name = `@embedded-postgres/${suffix}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error: unknown) {
    throw new EmbeddedPostgresUnsupported(
      `The built-in PostgreSQL is not installed: ${name} is missing from node_modules. ` +
        'Run "npm ci" without --omit=optional to install it.',
      { cause: error },
    );
  }
  const manifest = await readFile(join(root, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return { version, major: version.split('.')[0] ?? version, native: join(root, 'native') };
}

export function program(binaries: Binaries, name: ProgramName): string {
  return join(binaries.native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

/** Runs a program as `user` with `input`, and waits for its end. The user must be able to enter the directory `cwd`. */
export async function runProgram(
  binaries: Binaries,
  name: ProgramName,
  options: readonly string[],
  user: SystemUser | null,
  cwd: string,
  input = '',
): Promise<void> {
  const env = PROGRAM_ENV;
  const run = promisify(execFile);
  const ids = { uid: user?.uid, gid: user?.gid };
  const running = run(program(binaries, name), options, { env, cwd, ...ids });
  const { stdin } = running.child;
  // A program that ends before it has read its whole input breaks the pipe. This error is ignored, because the exit
  // code of the program shows the failure.
  stdin?.on('error', () => undefined);
  stdin?.end(input);
  await running;
}

/**
 * Returns the installed binaries with their symbolic links restored, or a copy in `dataDir` that `user` can execute.
 */
export async function makeRunnable(
  installed: Binaries,
  user: SystemUser | null,
  dataDir: string,
): Promise<Binaries> {
  const linked = await restoreLinks(installed.native).then(
    () => true,
    // node_modules is read-only or belongs to another user. The copy below gets the links instead.
    () => false,
  );
  const obstacle = linked ? await probe(installed, user) : 'its symbolic links are missing.';
  if (obstacle === null) return installed;
  if (obstacle === NO_LOADER) throw doesNotRun(obstacle);

  // `user` cannot read the installed files, for example below a home directory of mode 700. Use a copy.
  const copy = { ...installed, native: join(dataDir, `native-${installed.version}`) };
  if (!existsSync(copy.native)) await copyNative(installed.native, copy.native, user);
  const failure = await probe(copy, user);
  if (failure !== null) throw doesNotRun(failure);
  return copy;
}

// npm packages contain no symbolic links. The package creates its links in an install script, which is not allowed to
// run. Without the links, the programs end with "libicuuc.so.60: cannot open shared object file".
async function restoreLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const entry of JSON.parse(list) as { source: string; target: string }[]) {
    const target = join(dirname(native), entry.target);
    if (existsSync(target)) continue;
    try {
      await symlink(basename(entry.source), target);
    } catch (error: unknown) {
      // Another process that starts at the same time has created the link.
      if (errorCode(error) === 'EEXIST') continue;
      if (process.platform !== 'win32') throw error;
      // On Windows, only administrators and developers may create symbolic links.
      await copyFile(join(dirname(native), entry.source), target);
    }
  }
}

async function copyNative(from: string, to: string, user: SystemUser | null): Promise<void> {
  const dataDir = dirname(to);
  for (const entry of await readdir(dataDir)) {
    if (entry.startsWith('native-')) await rm(join(dataDir, entry), { recursive: true });
  }
  // The complete copy is moved to `to`. Until then, the copy is one folder deeper, because its links are relative to
  // the parent of a folder named `native`.
  const draft = join(dataDir, `native-draft-${randomUUID()}`);
  const native = join(draft, 'native');
  try {
    await cp(from, native, { recursive: true, verbatimSymlinks: true });
    await restoreLinks(native);
    if (user) await giveTree(user, draft);
    await rename(native, to);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function doesNotRun(reason: string): EmbeddedPostgresUnsupported {
  return new EmbeddedPostgresUnsupported(
    `The built-in PostgreSQL does not run on this machine: ${reason}`,
  );
}

/** Runs `postgres --version` as `user`. Returns the text of the error, or null. */
async function probe(binaries: Binaries, user: SystemUser | null): Promise<string | null> {
  try {
    await runProgram(binaries, 'postgres', ['--version'], user, '/');
    return null;
  } catch (error: unknown) {
    if (errorCode(error) === 'ENOENT' && existsSync(program(binaries, 'postgres'))) {
      return NO_LOADER;
    }
    return error instanceof Error ? error.message.trim() : String(error);
  }
}
