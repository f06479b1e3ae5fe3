const MAX_RESULTS = 3;
const MAX_SHOWN = 64;

/**
 * Maps a name that callers often use by mistake to the name that they mean. These two names are not similar in
 * spelling.
 */
const SAME_PURPOSE: Readonly<Record<string, string>> = { on_error: 'on_failure' };

/** Returns at most three known names that are similar to `name`, the most similar first. */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.slice(0, MAX_SHOWN).toLowerCase();
  return known
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= maxDistance(candidate) ||
        (wanted.length >= 3 && candidate.includes(wanted)) ||
        (Object.hasOwn(SAME_PURPOSE, wanted) && SAME_PURPOSE[wanted] === candidate),
    )
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, MAX_RESULTS)
    .map(({ candidate }) => candidate);
}

/** Returns ` Did you mean a, b?`, or an empty text when no known name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  return near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
}

/** Returns an error text such as `Unknown tool: x. Did you mean y?`. A long name is cut. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  // A lone surrogate may come from the caller or from slice(). Not every client can decode it.
  return `Unknown ${what}: ${shown.toWellFormed()}${hint && `.${hint}`}`;
}

/** Returns true if at most `most` characters are added, removed or replaced between the two names. Ignores case. */
export function isSimilar(name: string, known: string, most: number): boolean {
  return distance(name.slice(0, MAX_SHOWN).toLowerCase(), known) <= most;
}

function maxDistance(candidate: string): number {
  return Math.max(2, Math.floor(candidate.length / 3));
}

/** Returns the Levenshtein distance to a known name, or infinity when the lengths alone show that it is too large. */
function distance(wanted: string, candidate: string): number {
  const known = candidate.slice(0, MAX_SHOWN).toLowerCase();
  if (Math.abs(wanted.length - candidate.length) > maxDistance(candidate)) return Infinity;
  let row = Uint8Array.from({ length: known.length + 1 }, (_, index) => index);
  let next = new Uint8Array(known.length + 1);
  for (let i = 1; i <= wanted.length; i += 1) {
    next[0] = i;
    for (let j = 1; j <= known.length; j += 1) {
      const substitution = row[j - 1]! + (wanted[i - 1] === known[j - 1] ? 0 : 1);
      next[j] = Math.min(substitution, row[j]! + 1, next[j - 1]! + 1);
    }
    [row, next] = [next, row];
  }
  return row[known.length]!;
}
