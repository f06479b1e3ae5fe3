// Prints how long `npm run dev` takes from a saved change until the changed service listens.
//   node bench/reload.mjs [rounds]
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { median } from './statistics.mjs';

const rounds = Number(process.argv[2] ?? 5);
const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src/operations/health.controller.ts');
const original = readFileSync(source, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
chmodSync(folder, 0o711);
const times = [];

const child = spawn(process.execPath, ['scripts/dev.mjs'], {
  cwd: root,
  env: { ...process.env, PORT: '3999', DATA_DIR: join(folder, 'data'), LOG_FORMAT: 'json' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const exited = new Promise((done) => child.once('exit', done));
const lines = createInterface(child.stdout);

try {
  const first = [said('listens on'), said('Watching for changes')];
  await Promise.all(first);
  for (let round = 0; round < rounds; round += 1) {
    const mark = `round ${round} of ${Date.now()}`;
    const listening = said(mark).then(() => said('listens on'));
    const began = performance.now();
    writeFileSync(source, `${original}\nprocess.stdout.write('${mark}\\n');\n`);
    await listening;
    times.push(performance.now() - began);
  }
} finally {
  writeFileSync(source, original);
  child.kill('SIGTERM');
  await exited;
  rmSync(folder, { recursive: true, force: true });
}
const shown = times.map((time) => Math.round(time));
console.log(`Reload after a change: median ${Math.round(median(times))} ms (${shown.join(', ')})`);

function said(text) {
  return new Promise((done) => {
    lines.on('line', function read(line) {
      if (!line.includes(text)) return;
      lines.off('line', read);
      done();
    });
  });
}
