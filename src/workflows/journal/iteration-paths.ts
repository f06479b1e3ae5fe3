import { MAX_NESTING } from '../definitions/steps/step-parser.js';

/** The end of the path of a loop in the paths of the steps that read a page. */
const PAGE = ':page';

/**
 * Returns true when one of the loop iterations around an entry passes the test. The iterations around `a[1].b[2].c` are
 * `a[1]` and `a[1].b[2]`. Looks only at as many iterations as a definition can nest, because SQL of a tool can store a
 * path with any number of them.
 */
export function isInside(path: string, test: (iteration: string) => boolean): boolean {
  let end = path.indexOf('].');
  for (let depth = 0; end !== -1 && depth < MAX_NESTING; depth += 1) {
    if (test(path.slice(0, end + 1))) return true;
    end = path.indexOf('].', end + 2);
  }
  return false;
}

/** Returns the path of the loop of an iteration: `a` for `a[1]` and for `a:page[1]`. */
export function loopOf(iteration: string): string {
  const path = iteration.slice(0, iteration.lastIndexOf('['));
  return path.endsWith(PAGE) ? path.slice(0, -PAGE.length) : path;
}
