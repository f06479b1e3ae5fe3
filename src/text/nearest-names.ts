const MOST = 3;
const MOST_SHOWN = 64;

/** The known names that look most like `name`, best first: for "did you mean". */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.slice(0, 64).toLowerCase();
  return known
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= Math.max(2, Math.floor(candidate.length / 3)) ||
        (wanted.length >= 3 && candidate.includes(wanted)),
    )
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

/** ` Did you mean a, b?`, or nothing when no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  return near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
}

/** `Unknown tool: x. Did you mean y?`: a name may be as long as a body, and is answered with. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  const shown = name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name;
  // Half a surrogate pair, sent so or left by the cut, is not text that every client can decode.
  return `Unknown ${what}: ${shown.toWellFormed()}${hint && `.${hint}`}`;
}

/** Levenshtein distance. */
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
