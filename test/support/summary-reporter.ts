import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line that people and machines read alike: `123 passed, 0 failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') failedTests += 1;
        else counts.skipped += 1;
      }
      // A file that does not even load has no tests that could fail.
      counts.failed += failedTests || (module.ok() ? 0 : 1);
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    // The default reporter writes its own summary first.
    setImmediate(() => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
    });
  }
}
