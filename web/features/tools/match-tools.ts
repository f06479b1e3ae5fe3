interface Described {
  name: string;
  title: string;
  description: string;
}

/** Returns the tools that have every typed word in their name, title or description. */
export function matchTools<T extends Described>(tools: readonly T[], typed: string): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter(({ name, title, description }) => {
    const text = `${name} ${title} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
