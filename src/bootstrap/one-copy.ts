import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { AppError } from '../errors/app-error.js';

// What decorators of modules write and Switchboard reads, or what both compare with `instanceof`.
const SHARED = [
  '@nestjs/common',
  '@nestjs/core',
  'class-transformer',
  'class-validator',
  'typeorm',
];

/**
 * Throws when the program has another copy of a package than Switchboard has. What its decorators say would be kept
 * in that copy, where nobody looks, and all that showed would be a tool whose arguments have no fields.
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
      `  ${name} is there twice: ${theirs.version} in ${theirs.path}, and ${mine.version} in ${mine.path}.\n` +
        `    npm install --save-exact ${name}@${mine.version}`,
    ];
  });
  if (faults.length === 0) return;
  throw new AppError(
    'forbidden',
    `Modules must share the packages that Switchboard is made of:\n${faults.join('\n')}\n` +
      'If the versions are the same, Switchboard is linked: install it with install-links=true in .npmrc.',
  );
}

/** The copy of a package that a file gets when it imports it. */
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
