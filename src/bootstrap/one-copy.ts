import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { AppError } from '../errors/app-error.js';

// A second copy of one of these packages would break Switchboard, because Switchboard reads the metadata of the package
// or compares its classes with `instanceof`.
const SHARED = [
  '@nestjs/common',
  '@nestjs/core',
  'class-transformer',
  'class-validator',
  'typeorm',
];

/**
 * Throws when there is a second copy of a shared package. With the decorators of another copy, tools would have no
 * arguments.
 */
export function assertOneCopy(
  program: string | undefined = process.argv[1],
  self: string = import.meta.filename,
): void {
  if (program === undefined) return;
  const faults = SHARED.flatMap((name) => {
    const [mine, theirs] = [packageOf(name, self), packageOf(name, resolve(program))];
    if (!mine || !theirs || mine.path === theirs.path) return [];
    return [
      `  ${name} is installed twice: ${theirs.version} in ${theirs.path}, and ${mine.version} in ${mine.path}.\n` +
        `    npm install --save-exact ${name}@${mine.version}`,
    ];
  });
  if (faults.length === 0) return;
  throw new AppError(
    'forbidden',
    `Modules must use the same copies of these packages as Switchboard:\n${faults.join('\n')}\n` +
      'If the versions are equal, npm has linked Switchboard. Set install-links=true in .npmrc and install again.',
  );
}

function packageOf(name: string, importer: string): { path: string; version: string } | undefined {
  const folders = createRequire(importer).resolve.paths(name) ?? [];
  const found = folders.find((folder) => existsSync(join(folder, name, 'package.json')));
  if (found === undefined) return undefined;
  const path = realpathSync(join(found, name));
  const { version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { path, version };
}
