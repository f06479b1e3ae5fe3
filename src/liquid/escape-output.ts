import { toValue } from 'liquidjs';
import { escapeHtml } from '../text/escape-html.js';
import { LimitedEmitter } from './liquid-limits.js';

/**
 * Escapes the text of an output for HTML, so that no part of the text is markup, not even inside the quotes of an
 * attribute.
 */
export function escapeOutput(value: unknown): string {
  const output = new LimitedEmitter();
  output.write(toValue(value));
  return escapeHtml(output.buffer);
}
