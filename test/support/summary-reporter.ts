import type { Reporter, TestModule } from 'vitest/node';

/** Prints a last line that programs can parse: `123 passed, 0 failed`. */
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
      // A file that does not load has no tests, and counts as one failure.
      counts.failed += failedTests || (module.ok() ? 0 : 1);
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    // The delay puts the line after the summary of the default reporter.
    setImmediate(() => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
    });
  }
}
