interface Named {
  label: string;
  group: string;
}

/**
 * Returns the commands whose label or group contains every typed word. Commands that begin with the typed text come
 * first.
 */
export function matchCommands<C extends Named>(commands: readonly C[], typed: string): C[] {
  const words = normalize(typed).split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [...commands];
  return commands
    .filter(({ label, group }) => {
      const text = normalize(`${label} ${group}`);
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => rank(a, first) - rank(b, first));
}

function rank({ label }: Named, word: string): number {
  return normalize(label).startsWith(word) ? 0 : 1;
}

/** Returns the text in lowercase, without accents. */
function normalize(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
