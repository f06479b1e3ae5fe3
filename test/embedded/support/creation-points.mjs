// This module is preloaded in a process that creates a database. It appends the name of each point that the process
// passes to the file CREATION_POINTS, and kills the process at the point KILL_AT.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const { CREATION_POINTS, KILL_AT } = process.env;

function pass(point) {
  if (CREATION_POINTS) fs.appendFileSync(CREATION_POINTS, `${point}\n`);
  if (point === KILL_AT) process.kill(process.pid, 'SIGKILL');
}

const { writeFileSync } = fs;
let files = 0;
fs.writeFileSync = (path, ...rest) => {
  if (/\/pg[./]/.test(path)) {
    files += 1;
    if (files === 300) pass('300 files');
  }
  return writeFileSync(path, ...rest);
};

const { execFile } = childProcess;
const run = promisify(execFile);
childProcess.execFile = (...given) => execFile(...given);
childProcess.execFile[promisify.custom] = (file, options, ...rest) => {
  const name = [basename(file), ...options.filter((option) => /^--[a-z-]+$/.test(option))].join(
    ' ',
  );
  const running = run(file, options, ...rest);
  pass(name);
  running.then(
    () => pass(`${name} ended`),
    () => pass(`${name} failed`),
  );
  return running;
};

const { rename } = promises;
promises.rename = async (from, to) => {
  if (basename(to) === 'pg') pass('rename');
  await rename(from, to);
};
syncBuiltinESMExports();
