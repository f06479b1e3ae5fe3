/** The longest JSON text that is shown whole in lists of steps. Longer texts are cut. */
const MAX_WHOLE_CHARACTERS = 8192;
const PREVIEW_CHARACTERS = 1000;

/** A value that is too large for a list of steps: its size as JSON, and the beginning of the JSON text. */
export interface CutValue {
  readonly bytes: number;
  readonly preview: string;
}

/**
 * The sizes and the beginnings of the large values of a step. The journal stores them beside the values, so that a list
 * of steps does not read the values.
 */
export interface CutValues {
  readonly input?: CutValue;
  readonly output?: CutValue;
}

/**
 * Returns the size and the beginning of a JSON text, or undefined for a text that is short enough to be shown whole.
 */
export function cut(json: string | null): CutValue | undefined {
  if (json === null || json.length <= MAX_WHOLE_CHARACTERS) return undefined;
  return {
    bytes: Buffer.byteLength(json),
    preview: json.slice(0, PREVIEW_CHARACTERS).toWellFormed(),
  };
}

/** Returns the large values of a step as JSON, or null if it has none. */
export function cutValuesJson(input: string | null, output: string | null): string | null {
  const values = { input: cut(input), output: cut(output) };
  return values.input || values.output ? JSON.stringify(values satisfies CutValues) : null;
}
