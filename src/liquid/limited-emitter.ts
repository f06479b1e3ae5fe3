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

/** As LiquidJS writes values, but an object as JSON: nobody wants to read "[object Object]". */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return JSON.stringify(value) ?? '';
}
