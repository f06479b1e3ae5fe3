const MAX_RESULTS = 3;
const MAX_SHOWN = 64;

/** Returns at most three known names that are similar to `name`, the most similar first. */
function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.slice(0, 64).toLowerCase();
  return known
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= Math.max(2, Math.floor(candidate.length / 3)) ||
        (wanted.length >= 3 && candidate.includes(wanted)),
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
  // The caller or the cut may have left a lone surrogate, which not every client can decode.
  return `Unknown ${what}: ${shown.toWellFormed()}${hint && `.${hint}`}`;
}

/** Returns the Levenshtein distance of two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
