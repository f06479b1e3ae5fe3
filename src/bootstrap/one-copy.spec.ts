import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { assertOneCopy } from './one-copy.js';

describe(assertOneCopy.name, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-copies-')));
  const project = join(folder, 'project');
  const program = join(project, 'dist/main.js');
  const self = join(project, 'node_modules/switchboard/dist/src/bootstrap/one-copy.js');

  beforeEach(() => {
    rmSync(project, { recursive: true, force: true });
    install('project/node_modules/typeorm', '1.1.1');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('accepts packages that the program and Switchboard load from the same directory, even through a link', () => {
    expect(() => assertOneCopy(program, self)).not.toThrow();
    install('elsewhere', '12.5.1');
    mkdirSync(join(project, 'node_modules/@nestjs'));
    symlinkSync(join(folder, 'elsewhere'), join(project, 'node_modules/@nestjs/common'));
    expect(() => assertOneCopy(program, self)).not.toThrow();
  });

  it('reports both copies, and the command that installs a single copy', () => {
    install('project/node_modules/switchboard/node_modules/typeorm', '1.1.2');
    expect(() => assertOneCopy(program, self)).toThrow(
      `typeorm is installed twice: 1.1.1 in ${project}/node_modules/typeorm, and 1.1.2 in ` +
        `${project}/node_modules/switchboard/node_modules/typeorm.\n    npm install --save-exact typeorm@1.1.2`,
    );
  });

  function install(path: string, version: string): void {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ version }));
  }
});
