import { LiquidSandbox } from './liquid-sandbox.js';
import type { ProcessorTurns } from './processor-turns.js';

/**
 * Renders templates of HTML. Every output is escaped, so a value cannot add markup. An output that ends with the filter
 * `raw` is not.
 */
export class HtmlSandbox extends LiquidSandbox {
  constructor(turns?: ProcessorTurns) {
    super(turns, 'html');
  }
}
