import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  help: string;
  nodes: { target: unknown; failureSummary?: string }[];
}

/** Returns a line for each element of the page that violates WCAG 2.2 AA. */
export function findViolations(page: Page): Promise<string[]> {
  return run(page, RULES);
}

/** Returns a line for each text that has too little contrast. A theme can cause no other violation. */
export function findContrastViolations(page: Page): Promise<string[]> {
  return run(page, { type: 'rule', values: ['color-contrast'] });
}

async function run(page: Page, runOnly: object): Promise<string[]> {
  // A table that waits for its next rows is pale for a moment.
  await page.locator('table[aria-busy]').first().waitFor({ state: 'detached' });
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id} (${help}) at ${JSON.stringify(target)}: ${failureSummary ?? ''}`,
    ),
  );
}
