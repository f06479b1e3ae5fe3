import { afterAll, expect, it } from 'vitest';
import { TimeBudgets } from '../turns/time-budgets.js';
import { CodeSandbox } from './code-sandbox.js';
import { CodeThreads } from './code-threads.js';

const sandbox = new CodeSandbox(true, new CodeThreads(new TimeBudgets(() => 0)));
afterAll(() => sandbox.close());

let organizations = 0;

async function fillMemory(): Promise<void> {
  // Each job has an organization of its own, so that no organization has used up its processor time.
  organizations += 1;
  const code = 'const a = new Uint8Array(4e7).fill(1); return a.length';
  await sandbox.run(`org_${organizations}`, { code, input: {}, now: new Date(), seconds: 10 });
}

it('threads of code steps do not keep the memory of their jobs', async () => {
  for (let index = 0; index < 10; index += 1) await fillMemory();
  const before = process.memoryUsage().rss;
  for (let index = 0; index < 40; index += 1) await fillMemory();
  // If the threads kept the memory, each job would add 40 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
});
