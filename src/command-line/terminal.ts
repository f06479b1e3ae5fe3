import { visibleLine } from '../text/visible-line.js';

const MAX_LINE = 2000;
/** Matches an API key. A person may put a key into the arguments by mistake, and an error may then repeat it. */
const KEY = /swb_\w+/g;
/** Matches control characters that JSON.stringify does not escape. */
const HIDDEN = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** The two outputs of the process. */
export interface Terminal {
  /** Writes a line of the result to standard output. */
  print(line: string): void;
  /** Writes a line about the progress or an error to standard error. */
  report(line: string): void;
  /** Replaces the last line of the progress. Does nothing when standard error is not a terminal. */
  showProgress(line: string): void;
  readonly isWatched: boolean;
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  // Without these listeners, `switchboard tools | head -1` would end with a stack trace.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  let hasProgress = false;
  const clearProgress = (): void => {
    if (hasProgress) stderr.write('\r\u001b[K');
    hasProgress = false;
  };
  return {
    isWatched: stderr.isTTY,
    print: (line) => {
      clearProgress();
      stdout.write(`${line}\n`);
    },
    report: (line) => {
      clearProgress();
      stderr.write(`${line.replaceAll(KEY, 'swb_...')}\n`);
    },
    showProgress: (line) => {
      if (!stderr.isTTY) return;
      clearProgress();
      stderr.write(line.slice(0, Math.max(0, stderr.columns - 1)));
      hasProgress = true;
    },
  };
}

/** Returns a text of the service as one line without control characters, which could change what a terminal shows. */
export function safeLine(text: string): string {
  return visibleLine(text, MAX_LINE);
}

/**
 * Returns indented JSON. Characters that a terminal does not show are escaped. The escaped text is JSON of the same
 * value.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(
    HIDDEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
