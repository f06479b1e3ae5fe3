const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Throws, for the boot, unless the text can name `what`, such as a tool. */
export function assertName(what: string, name: string, place: string): void {
  if (NAME.test(name)) return;
  throw new Error(`${place}: "${name}" is no name for ${what} (${NAME.source}).`);
}

/** Throws, for the boot, when two of the found have a name in common, and says where both are. */
export function assertUnique<Found extends { place: string }>(
  what: string,
  all: readonly Found[],
  namesOf: (found: Found) => readonly string[],
): void {
  const places = new Map<string, string>();
  for (const found of all) {
    for (const name of namesOf(found)) {
      const other = places.get(name);
      if (other) throw new Error(whyTwice(what, name, other, found.place));
      places.set(name, found.place);
    }
  }
}

function whyTwice(what: string, name: string, place: string, other: string): string {
  return place === other
    ? `The ${what} ${name} is there twice: list ${place.split('.')[0]} under providers of one module only.`
    : `Two ${what}s are called ${name}: ${place} and ${other}. Rename or remove one of them.`;
}
