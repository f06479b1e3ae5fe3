// Runs the conformance suite with the Node version that it needs.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const SUITE = join(import.meta.dirname, 'suite');
const CLI = join(SUITE, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const TIMEOUT_MS = 5 * 60_000;

/** Returns the path of Node 22 or later: the Node of this process, or the Node that is installed with the suite. */
export function suiteNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const bundled = join(SUITE, 'node_modules/.bin/node');
  if (existsSync(bundled)) return bundled;
  throw new Error(
    'The conformance suite needs Node 22, which cannot be installed for this platform. Run it with Node 22.',
  );
}

/** Lists the scenarios that a revision requires. */
export function scoredScenarios(revision) {
  return readYaml(join(CLI, `../../requirements/${revision}.yaml`)).server;
}

/** Reads the entries of a baseline: `scenario` or `scenario:check`. */
export function readBaseline(file) {
  return new Set(readYaml(file).server);
}

function readYaml(file) {
  const { parse } = createRequire(CLI)('yaml');
  return parse(readFileSync(file, 'utf8'));
}

/**
 * Runs the scenarios that a revision requires. Returns the checks of each scenario, whether the result matches the
 * baseline, and the output.
 */
export async function runRequirements({ revision, url, baseline, folder, onStart }) {
  const given = ['server', '--url', url, '--requirements', revision];
  const child = spawn(suiteNode(), [CLI, ...given, '--expected-failures', baseline, '-o', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  onStart(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => (output += data));
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { ok: code === 0, output, checks: readChecks(folder) };
}

/** Returns the checks of each scenario, from its folder `server-<scenario>-<time>`. */
function readChecks(folder) {
  const checks = new Map();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    const file = join(folder, name, 'checks.json');
    if (scenario && existsSync(file)) checks.set(scenario, JSON.parse(readFileSync(file, 'utf8')));
  }
  return checks;
}
