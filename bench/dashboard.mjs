// Measures the dashboard of the built service in Chromium, and prints one line for each duration that the documents
// promise.
//   node bench/dashboard.mjs [runs] [rounds]     1,000,000 runs and 5 rounds by default
// Other work on the machine makes every figure worse. The line "This machine" shows how busy the machine was.
import { loadavg } from 'node:os';
import pg from 'pg';
import {
  openProfile,
  startBrowser,
  startTemporaryService,
  waitFor,
  waitForContent,
} from '../scripts/temporary-service.mjs';
import { FILTERS, fillRuns, storeLargeOutput } from './dashboard-rows.mjs';

const RUNS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const SLOWER = 4;
const SIZE = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' };

console.log(`This machine: load ${loadavg()[0].toFixed(1)} before the measurements`);
const service = await startTemporaryService({
  RATE_LIMIT_PER_MINUTE: '1000000',
  LOG_LEVEL: 'warn',
});
const browser = await startBrowser();
const owner = new pg.Client({ connectionString: service.databaseUrl });
try {
  await owner.connect();
  await measureFirstLoad();
  await measureLargeWorkflow();
  await measureLargeOutput();
  await measureRuns();
} finally {
  await browser.close();
  await owner.end();
  await service.stop();
}
console.log(`This machine: load ${loadavg()[0].toFixed(1)} after the measurements`);

/** Measures a first visit with an empty cache: the sign-in page, and the first page after signing in. */
async function measureFirstLoad() {
  const open = async (isSignedIn) => {
    const context = isSignedIn
      ? await openProfile(browser, service, SIZE)
      : await browser.newContext({ locale: 'en-GB', ...SIZE });
    const page = await context.newPage();
    const client = await context.newCDPSession(page);
    await client.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.goto(service.url, { waitUntil: 'commit' });
    const handle = await page.waitForFunction(
      (selector) =>
        document.querySelector(selector) && !document.querySelector('[aria-busy=true]')
          ? performance.now()
          : undefined,
      isSignedIn ? 'main h1' : 'input[type=password]',
      { polling: 'raf' },
    );
    const time = await handle.jsonValue();
    await context.close();
    return time;
  };
  const signIn = await repeat(() => open(false));
  const first = await repeat(() => open(true));
  print(`Usable at ${SLOWER}x slower CPU: sign-in page`, signIn, 1500);
  print(`Usable at ${SLOWER}x slower CPU: first page after signing in`, first, 1500);
}

/** Measures how long the largest allowed workflow takes to open, in each view. */
async function measureLargeWorkflow() {
  for (const count of [100, 500]) {
    const id = await createWorkflow(count);
    if (id === undefined) {
      console.log(`The service refuses a workflow of ${count} steps.`);
      continue;
    }
    const context = await openProfile(browser, service, SIZE);
    const page = await context.newPage();
    await page.goto(`${service.url}/workflows`);
    await waitForContent(page);
    const opened = await repeat(async () => {
      await page.goto(`${service.url}/workflows/${id}`, { waitUntil: 'commit' });
      const handle = await page.waitForFunction(
        (least) =>
          document.querySelectorAll('[role=treeitem]').length >= least
            ? performance.now()
            : undefined,
        count,
        { polling: 'raf' },
      );
      return await handle.jsonValue();
    });
    print(`Workflow of ${count} steps opens`, opened, 1000);
    const views = [
      ['Canvas', '.react-flow__node'],
      ['JSON', '[role=tabpanel]:not([hidden]) [class*=editor]'],
    ];
    for (const [view, selector] of views) {
      const times = await repeat(async () => {
        await page.getByRole('tab', { name: 'Outline' }).click();
        const began = performance.now();
        await page.getByRole('tab', { name: view }).click();
        await page.locator(selector).first().waitFor();
        return performance.now() - began;
      });
      print(`Workflow of ${count} steps: view ${view}`, times, 1000);
    }
    await context.close();
  }
}

async function createWorkflow(count) {
  // Steps inside branches count too: each branch is one step with four steps inside.
  const steps = Array.from({ length: count / 5 }, (_, index) => ({
    id: `choice_${index}`,
    if: 'trigger.payload.plan == "pro"',
    then: [wait(`a_${index}`), wait(`b_${index}`)],
    else: [wait(`c_${index}`), wait(`d_${index}`)],
  }));
  const given = { name: `${count} steps`, trigger: { type: 'manual' }, steps };
  const { workflow } = await service.call('create_workflow', given).catch(() => ({}));
  return workflow?.id;
}

function wait(id) {
  return { id, wait: { days: 1 } };
}

/** Measures the longest time in which the page does not react to the person while it shows an output of 5 MB. */
async function measureLargeOutput() {
  const runId = await finishedRun();
  await storeLargeOutput(owner, runId);
  const context = await openProfile(browser, service, SIZE);
  await context.addInitScript(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        globalThis.longest = Math.max(globalThis.longest, duration);
      }
    }).observe({ type: 'longtask', buffered: true });
  });
  const page = await context.newPage();
  const longest = await repeat(async () => {
    await page.goto(`${service.url}/runs/${runId}`);
    await waitForContent(page);
    await page.locator('summary').first().click();
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    const more = page.getByRole('button', { name: 'Show more', exact: true });
    // The button stays visible while the next part loads.
    while (await more.isVisible()) await more.click();
    await page
      .getByRole('button', { name: /^Show all \(/ })
      .last()
      .click();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    return await page.evaluate(() => globalThis.longest);
  });
  print('Output of 5 MB: longest task', longest, 100);
  await context.close();
}

async function finishedRun() {
  const steps = [wait('pause')];
  const given = { name: 'Large output', trigger: { type: 'manual' }, steps };
  const { workflow } = await service.call('create_workflow', given);
  const { run_id: id } = await service.call('trigger_workflow', { workflow_id: workflow.id });
  await waitFor(async () => (await service.call('get_run', { run_id: id })).run.steps.length > 0);
  await service.call('cancel_run', { run_id: id });
  return id;
}

/** Measures the list over many runs: each combination of filters as a request, and the page. */
async function measureRuns() {
  const { workflowIds, contactId } = await fillRuns(owner, service, RUNS);
  const slow = [];
  for (const filter of FILTERS({ workflowIds, contactId })) {
    const given = { limit: 50, ...filter };
    await service.call('list_runs', given);
    const times = await repeat(async () => {
      const began = performance.now();
      await service.call('list_runs', given);
      return performance.now() - began;
    });
    slow.push({ filter, times, median: median(times) });
  }
  slow.sort((a, b) => b.median - a.median);
  console.log(`Runs: ${RUNS.toLocaleString('en')} rows, ${slow.length} combinations of filters`);
  for (const { filter, times } of slow.slice(0, 5)) {
    print(`  list_runs ${JSON.stringify(filter)}`, times, 300);
  }
  const context = await openProfile(browser, service, SIZE);
  const page = await context.newPage();
  await page.goto(`${service.url}/runs`);
  await waitForContent(page);
  const shown = await repeat(async () => {
    const answer = page.waitForResponse((response) => response.url().endsWith('/list_runs'));
    const began = performance.now();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await answer;
    await waitForContent(page);
    return performance.now() - began;
  });
  print('Runs: the page reads its list again', shown, 300);
  await context.close();
}

async function repeat(measure) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measure());
  return times;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function print(label, times, most) {
  const value = median(times);
  const all = times.map((time) => time.toFixed(0)).join(', ');
  const verdict = value <= most ? 'kept' : 'NOT KEPT';
  console.log(`${label}: median ${value.toFixed(0)} ms of at most ${most} (${all}): ${verdict}`);
}
