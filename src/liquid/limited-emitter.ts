import type { Emitter } from 'liquidjs';
import { LONGEST_OUTPUT_BYTES, outputTooLong } from './liquid-limits.js';

/** Collects what a template writes, and stops the rendering as soon as it is too much. */
export class LimitedEmitter implements Emitter {
  buffer = '';

  write(html: unknown): void {
    this.buffer += textOf(html);
    if (this.buffer.length > LONGEST_OUTPUT_BYTES) throw outputTooLong();
  }
}

/** As LiquidJS writes values: nil is nothing, the items of a list follow each other. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('');
  // An object is written as JavaScript writes it; `json` is the filter for more.
  return value === null || value === undefined ? '' : String(value as string);
}
