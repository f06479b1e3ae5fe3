import { Context, type Liquid, type Template, toValue } from 'liquidjs';
import { checkOutputLength } from './liquid-limits.js';

/** A parsed text that can be rendered many times. */
export class CompiledText {
  constructor(
    private readonly engine: Liquid,
    private readonly templates: Template[],
    /** The number of characters of the source. */
    readonly size: number,
    /** The largest number of bytes that the parsed text takes. */
    readonly bytes: number,
  ) {}

  /** Renders the text in steps. Use `LiquidSandbox.renderTexts`, which limits the time. */
  *render(scope: object): Generator<unknown, string> {
    const { engine } = this;
    const context = new Context(scope, engine.options, { sync: true }, { liquid: engine });
    const text: unknown = yield engine.renderer.renderTemplates(this.templates, context);
    return checkOutputLength(String(toValue(text)));
  }
}
