import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

export interface PackedFile {
  readonly path: string;
  /** Lists the paths inside the package. */
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

interface Lock {
  packages: Record<string, Record<string, unknown>>;
}

/** Makes the file that `npm publish` would send. */
export async function pack(folder: string): Promise<PackedFile> {
  // Without --ignore-scripts, npm would build a second time.
  const given = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', given, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ];
  return {
    path: join(folder, packed.filename),
    files: packed.files.map(({ path }) => path),
    packedBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
  };
}

/**
 * Installs the packed file and TypeScript into a new project. Of all other packages, it installs only those that the
 * packed file declares, in the versions of the committed lockfile.
 */
export async function installPacked({ path }: PackedFile, project: string): Promise<void> {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    object
  >;
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const { typescript } = own.devDependencies as Record<string, string>;
  const file = 'switchboard.tgz';
  const manifest = {
    name: 'module',
    version: '1.0.0',
    private: true,
    type: 'module',
    dependencies: { switchboard: `file:${file}`, typescript },
    overrides: own.overrides,
  };
  const { '': root, ...others } = lock.packages;
  const { name: _, devDependencies: __, ...installed } = root!;
  await mkdir(project, { recursive: true });
  await cp(path, join(project, file));
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const packages = {
    '': manifest,
    'node_modules/switchboard': { ...installed, resolved: `file:${file}` },
    ...others,
  };
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  await npmInstall(project);
}

/** Installs the packages of the lockfile of a folder. Uses packages of the npm cache without a download. */
export async function npmInstall(folder: string): Promise<void> {
  const given = ['ci', '--prefer-offline', '--no-audit', '--ignore-scripts'];
  await run('npm', given, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
}
