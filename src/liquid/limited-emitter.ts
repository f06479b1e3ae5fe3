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
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return String(value as string);
}
