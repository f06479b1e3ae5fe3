import { LiquidSandbox } from './liquid-sandbox.js';
import type { ProcessorTurns } from '../turns/processor-turns.js';

/**
 * Renders templates of HTML. Every output is escaped, so that a value cannot add markup. Only an output whose last
 * filter is `raw` is not escaped.
 */
export class HtmlSandbox extends LiquidSandbox {
  constructor(turns?: ProcessorTurns) {
    super(turns, 'html');
  }
}
