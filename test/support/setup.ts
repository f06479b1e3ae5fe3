import { beforeAll } from 'vitest';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import { checkAnswersOfFetch } from './described-answers.js';
import { useRealCosts } from './argon2.js';

// Test files of one worker share modules, and with them the static state of ProbeTools.
beforeAll(() => ProbeTools.reset());

// A test file that needs the real costs of hashing turns them on only for itself.
beforeAll(() => useRealCosts(false));

checkAnswersOfFetch();

// Makes a deprecation of pg fail the tests, because the next major version of pg refuses the calls that are deprecated
// now.
const listener = Symbol.for('switchboard fails on deprecations of pg');
if (!(listener in process)) {
  Object.assign(process, { [listener]: true });
  process.on('warning', (warning) => {
    if (warning.name === 'DeprecationWarning' && /\bpg\b/.test(warning.message)) throw warning;
  });
}
