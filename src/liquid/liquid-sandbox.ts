import {
  Context,
  Liquid,
  LiquidError,
  Output,
  type Template,
  Tokenizer,
  Value,
  type Variable,
  analyzeSync,
  isTruthy,
  toValue,
  toValueSync,
} from 'liquidjs';
import { AppError, toError } from '../errors/app-error.js';
import {
  LIQUID_FILTERS,
  LIQUID_TAGS,
  LimitedEmitter,
  boundRanges,
  longestOutput,
} from './liquid-limits.js';

const LONGEST_TEMPLATE = 256 * 1024;
const LONGEST_CONDITION = 4096;
/** Templates that are kept parsed, and how long they may be. */
const MOST_KEPT = 1000;
const LONGEST_KEPT = 2048;
/** Characters and array items that one rendering may make; LiquidJS counts them for every filter. */
const MOST_MEMORY = 4_000_000;
const LONGEST_RENDER_MS = 500;

// Every template of this process is foreign text, so the change to the one shared class is wanted everywhere.
boundRanges(Tokenizer.prototype);

/**
 * Liquid for text that strangers wrote: it reaches the own properties of the given scope and nothing else, and its
 * time, memory and output are bounded. Every failure is an `invalid_arguments` error that says why.
 */
export class LiquidSandbox {
  private readonly engine: Liquid;
  /** Workflows evaluate the same few again and again; to parse one takes longer than to evaluate it. */
  private readonly kept = new Map<string, Template[]>();

  constructor() {
    this.engine = new Liquid({
      ownPropertyOnly: true,
      strictFilters: true,
      dynamicPartials: false,
      // Without this a date would be shown in whatever timezone and language the server happens to have.
      timezoneOffset: 0,
      locale: 'en-US',
      parseLimit: LONGEST_TEMPLATE,
      renderLimit: LONGEST_RENDER_MS,
      memoryLimit: MOST_MEMORY,
      // Belt and braces under the list of tags: no tag that is left reads a file, and there is none to read.
      templates: {},
    });
    keepOnly(this.engine.filters, LIQUID_FILTERS);
    keepOnly(this.engine.tags, LIQUID_TAGS);
    const { renderer } = this.engine;
    const render = renderer.renderTemplates.bind(renderer);
    // `capture` renders into an emitter of its own making, which would know no limit.
    renderer.renderTemplates = (templates, context, emitter = new LimitedEmitter()) =>
      render(templates, context, emitter);
  }

  /** Checks that a template can be rendered; throws `invalid_arguments` with the reason. */
  parse(template: string): void {
    guarded(() => this.parsed(template));
  }

  /** The text of a template. A variable that does not exist is empty. */
  render(template: string, scope: object): string {
    return guarded(() => this.rendered(this.parsed(template), scope));
  }

  /** A template that is exactly one `{{ expression }}` keeps its type (missing: null); other text is rendered. */
  evaluate(template: string, scope: object): unknown {
    return guarded(() => {
      const templates = this.parsed(template.trim());
      const only = templates.length === 1 ? templates[0] : undefined;
      if (!(only instanceof Output)) return this.rendered(this.parsed(template), scope);
      const value = this.valueOf(only.value, scope);
      return typeof value === 'string' ? longestOutput(value) : value;
    });
  }

  /** Whether a condition such as `trigger.payload.plan == 'pro'` holds; nil and false do not, all else does. */
  test(condition: string, scope: object): boolean {
    return guarded(() => {
      const context = this.context(scope);
      return isTruthy(toValue(toValueSync(this.condition(condition).value(context))), context);
    });
  }

  /** Paths that a template reads, such as `contact.id`; a path ends where an index is computed. */
  references(template: string): string[] {
    return guarded(() => paths(this.parsed(template)));
  }

  /** Paths that a condition reads. */
  conditionReferences(condition: string): string[] {
    return guarded(() => {
      const value = this.condition(condition);
      const template = {
        *arguments() {
          yield value;
        },
      };
      return paths([template as unknown as Template]);
    });
  }

  private parsed(template: string): Template[] {
    const known = this.kept.get(template);
    if (known) return known;
    const templates = this.engine.parse(template);
    if (template.length > LONGEST_KEPT) return templates;
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(template, templates);
    return templates;
  }

  private rendered(templates: Template[], scope: object): string {
    const text: unknown = toValueSync(
      this.engine.renderer.renderTemplates(templates, this.context(scope)),
    );
    return longestOutput(String(text));
  }

  private valueOf(value: Value, scope: object): unknown {
    const found: unknown = toValue(toValueSync(value.value(this.context(scope))));
    if (found === undefined || typeof found === 'function') return null;
    // `empty` and `blank` are objects of LiquidJS that mean something in comparisons only.
    return typeof found === 'object' && !isPlain(found) ? null : found;
  }

  private condition(condition: string): Value {
    if (condition.length > LONGEST_CONDITION) {
      throw AppError.invalid(`A condition may have ${LONGEST_CONDITION} characters.`);
    }
    const tokenizer = new Tokenizer(condition, this.engine.options.operators);
    const token = tokenizer.readFilteredValue();
    tokenizer.skipBlank();
    // LiquidJS ignores what it does not understand, so that `a = b` would silently mean `a`.
    if (tokenizer.p < tokenizer.N) {
      throw AppError.invalid(
        `The condition is not understood from "${condition.slice(tokenizer.p, tokenizer.p + 40)}" on. ` +
          'Compare with ==, !=, <, >, <=, >= or contains, and combine with and, or, not.',
      );
    }
    return new Value(token, this.engine);
  }

  private context(scope: object): Context {
    return new Context(scope, this.engine.options, { sync: true }, { liquid: this.engine });
  }
}

function keepOnly(all: Record<string, unknown>, names: ReadonlySet<string>): void {
  for (const name of Object.keys(all)) if (!names.has(name)) delete all[name];
}

/** Whether JSON could have made it. */
function isPlain(value: unknown): boolean {
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function paths(templates: Template[]): string[] {
  const found = new Set<string>();
  for (const variables of Object.values(analyzeSync(templates, { partials: false }).globals)) {
    for (const variable of variables) found.add(pathOf(variable));
  }
  return [...found];
}

function pathOf(variable: Variable): string {
  const known: string[] = [];
  for (const segment of variable.segments as unknown[]) {
    if (typeof segment !== 'string' && typeof segment !== 'number') break;
    known.push(String(segment));
  }
  return known.join('.');
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const inner = (error as { originalError?: unknown } | null)?.originalError;
    if (inner instanceof AppError) throw inner;
    // Anything else, such as a stack overflow by deep nesting, says nothing that the writer could use.
    const reason = LiquidError.is(error)
      ? toError(error).message.split('\n')[0]!.slice(0, 200)
      : 'it is malformed or too complex';
    throw new AppError('invalid_arguments', `The template cannot be used: ${reason}.`, {
      cause: error,
    });
  }
}
