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
  limitRanges,
  checkOutputLength,
} from './liquid-limits.js';

const MAX_TEMPLATE_CHARACTERS = 256 * 1024;
const MAX_CONDITION_CHARACTERS = 4096;
/** Limits the number and the length of templates in the cache. */
const MAX_CACHED = 1000;
const MAX_CACHED_CHARACTERS = 2048;
/** Limits the characters and array items that one rendering may create, as LiquidJS counts them. */
const MAX_MEMORY = 4_000_000;
const MAX_RENDER_MS = 500;

// This changes the shared class of LiquidJS, because every template of this process comes from users.
limitRanges(Tokenizer.prototype);

/**
 * Renders and evaluates Liquid that users wrote. Templates can read only own properties of the given scope, and their
 * time, memory and output are limited. Every failure is an `invalid_arguments` error with the reason.
 */
export class LiquidSandbox {
  private readonly engine: Liquid;
  /** Caches parsed templates. Workflows evaluate the same templates often, and parsing takes longer than evaluating. */
  private readonly cache = new Map<string, Template[]>();

  constructor() {
    this.engine = new Liquid({
      ownPropertyOnly: true,
      strictFilters: true,
      dynamicPartials: false,
      // Otherwise the output of dates would depend on the timezone and the language of the server.
      timezoneOffset: 0,
      locale: 'en-US',
      parseLimit: MAX_TEMPLATE_CHARACTERS,
      renderLimit: MAX_RENDER_MS,
      memoryLimit: MAX_MEMORY,
      // This is a second protection beside the list of tags: there are no files to read.
      templates: {},
    });
    keepOnly(this.engine.filters, LIQUID_FILTERS);
    keepOnly(this.engine.tags, LIQUID_TAGS);
    const { renderer } = this.engine;
    const render = renderer.renderTemplates.bind(renderer);
    // Without a default, `capture` would create an emitter without a limit.
    renderer.renderTemplates = (templates, context, emitter = new LimitedEmitter()) =>
      render(templates, context, emitter);
  }

  /** Throws `invalid_arguments` with the reason when a template is not valid. */
  parse(template: string): void {
    runSafely(() => this.getTemplates(template));
  }

  /** Renders a template. Unknown variables become empty text. */
  render(template: string, scope: object): string {
    return runSafely(() => this.renderTemplates(this.getTemplates(template), scope));
  }

  /** Returns the value of a template that is a single `{{ expression }}` (null for an unknown variable), else its text. */
  evaluate(template: string, scope: object): unknown {
    return runSafely(() => {
      const templates = this.getTemplates(template.trim());
      const only = templates.length === 1 ? templates[0] : undefined;
      if (!(only instanceof Output))
        return this.renderTemplates(this.getTemplates(template), scope);
      const value = this.getValue(only.value, scope);
      return typeof value === 'string' ? checkOutputLength(value) : value;
    });
  }

  /** Evaluates a condition such as `trigger.payload.plan == 'pro'`. Only nil and false count as false. */
  test(condition: string, scope: object): boolean {
    return runSafely(() => {
      const context = this.createContext(scope);
      return isTruthy(toValue(toValueSync(this.parseCondition(condition).value(context))), context);
    });
  }

  /** Returns the variable paths that a template reads, such as `contact.id`. A path ends before a computed index. */
  references(template: string): string[] {
    return runSafely(() => paths(this.getTemplates(template)));
  }

  /** Returns the variable paths that a condition reads. */
  conditionReferences(condition: string): string[] {
    return runSafely(() => {
      const value = this.parseCondition(condition);
      const template = {
        *arguments() {
          yield value;
        },
      };
      return paths([template as unknown as Template]);
    });
  }

  private getTemplates(template: string): Template[] {
    const known = this.cache.get(template);
    if (known) return known;
    const templates = this.engine.parse(template);
    if (template.length > MAX_CACHED_CHARACTERS) return templates;
    if (this.cache.size >= MAX_CACHED) this.cache.clear();
    this.cache.set(template, templates);
    return templates;
  }

  private renderTemplates(templates: Template[], scope: object): string {
    const text: unknown = toValueSync(
      this.engine.renderer.renderTemplates(templates, this.createContext(scope)),
    );
    return checkOutputLength(String(text));
  }

  private getValue(value: Value, scope: object): unknown {
    const found: unknown = toValue(toValueSync(value.value(this.createContext(scope))));
    if (found === undefined || typeof found === 'function') return null;
    // `empty` and `blank` are objects of LiquidJS, useful only in comparisons.
    return typeof found === 'object' && !isPlain(found) ? null : found;
  }

  private parseCondition(condition: string): Value {
    if (condition.length > MAX_CONDITION_CHARACTERS) {
      throw AppError.invalid(`A condition has at most ${MAX_CONDITION_CHARACTERS} characters.`);
    }
    const tokenizer = new Tokenizer(condition, this.engine.options.operators);
    const token = tokenizer.readFilteredValue();
    tokenizer.skipBlank();
    // LiquidJS ignores the rest of an invalid condition, so that `a = b` would mean `a`.
    if (tokenizer.p < tokenizer.N) {
      throw AppError.invalid(
        `The condition is invalid from "${condition.slice(tokenizer.p, tokenizer.p + 40)}" on. ` +
          'Compare with ==, !=, <, >, <=, >= or contains, and combine with and, or, not.',
      );
    }
    return new Value(token, this.engine);
  }

  private createContext(scope: object): Context {
    return new Context(scope, this.engine.options, { sync: true }, { liquid: this.engine });
  }
}

function keepOnly(all: Record<string, unknown>, names: ReadonlySet<string>): void {
  for (const name of Object.keys(all)) if (!names.has(name)) delete all[name];
}

/** True for values that JSON can represent. */
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

function runSafely<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const inner = (error as { originalError?: unknown } | null)?.originalError;
    if (inner instanceof AppError) throw inner;
    // The message of any other error, such as a stack overflow by deep nesting, does not help the author.
    const reason = LiquidError.is(error)
      ? toError(error).message.split('\n')[0]!.slice(0, 200)
      : 'it is malformed or too complex';
    throw new AppError('invalid_arguments', `The template cannot be used: ${reason}.`, {
      cause: error,
    });
  }
}
