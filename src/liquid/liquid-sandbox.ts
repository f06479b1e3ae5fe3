import {
  Context,
  Liquid,
  Output,
  type Template,
  Tokenizer,
  Value,
  isTruthy,
  toValue,
} from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/app-error.js';
import { MAX_VALUE_BYTES } from '../text/value-size.js';
import { Evaluation } from './evaluation.js';
import { type Expressions, ReadExpressions } from './read-expressions.js';
import { assertComplete, conditionHint } from './complete-condition.js';
import { DistantRead, wholeOf } from './distant-values.js';
import type { CompiledText } from './compiled-text.js';
import { type LiquidFormat, createLiquid } from './liquid-engine.js';
import { toTemplateError } from './liquid-errors.js';
import { parsedSize } from './parsed-size.js';
import { type JobTime, ProcessorTurns } from '../turns/processor-turns.js';
import {
  checkMarkup,
  checkMarkupLength,
  checkOutputLength,
  checkValueLength,
} from './liquid-limits.js';
import { type TemplateReading, readingOf, readingOfCondition } from './template-reading.js';

const MAX_TEMPLATE_CHARACTERS = 256 * 1024;
const MAX_CONDITION_CHARACTERS = 4096;
/** The largest number of bytes that the templates in the cache may take. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const MAX_CACHED_CHARACTERS = 2048;
/**
 * The largest total length of the conditions whose variables are cached, in characters. Each condition takes up to 40
 * times as much memory as its text.
 */
const MAX_READ_CHARACTERS = 256 * 1024;
/**
 * The longest processor time of one rendering, in milliseconds. Time in which the rendering waits for its turn does not
 * count.
 */
const MAX_RENDER_MS = 500;
/** The number of times that an expression may be evaluated again because it reads another part of a large payload. */
const MAX_READS = 100;
/** The longest processor time for all expressions of a definition, in milliseconds. */
const MAX_READ_MS = 3000;

/**
 * Renders and evaluates Liquid that users wrote. Templates can read only own properties of the given scope, and their
 * time, memory and output are limited. A long rendering is done in turns, between which requests are served. Every
 * failure is an `invalid_arguments` error with the reason, or `rate_limited` when the organization has used up its
 * processor time.
 */
export class LiquidSandbox implements Expressions {
  private readonly engine: Liquid;
  /** The parsed templates. Workflows evaluate the same templates often, and parsing takes longer than evaluating. */
  private readonly cache = new LRUCache<string, Template[]>({ maxSize: MAX_CACHED_BYTES });
  /** The variables of conditions that runs have read. Each run of a workflow reads the same conditions. */
  private readonly readings = new LRUCache<string, TemplateReading>({
    maxSize: MAX_READ_CHARACTERS,
  });

  constructor(
    private readonly turns = new ProcessorTurns(),
    format: LiquidFormat = 'expression',
  ) {
    this.engine = createLiquid(format);
  }

  /** Renders a template. Unknown variables become empty text. */
  async render(organizationId: string, template: string, scope: object): Promise<string> {
    return await this.run(organizationId, () => this.renderTemplate(template, scope));
  }

  /** Renders compiled texts with the same values. All of them together have the time limit of one rendering. */
  async renderTexts(
    organizationId: string,
    texts: readonly CompiledText[],
    scope: object,
  ): Promise<string[]> {
    const time = { leftMs: MAX_RENDER_MS };
    const rendered: string[] = [];
    for (const text of texts) {
      rendered.push(await this.run(organizationId, () => text.render(scope), time));
    }
    return rendered;
  }

  /**
   * Evaluates a template. A template that is a single `{{ expression }}` returns the value with its type, or null for
   * an unknown variable. Any other template returns its text. Several calls can share one `JobTime`.
   */
  async evaluate(
    organizationId: string,
    template: string,
    scope: object,
    time?: JobTime,
  ): Promise<unknown> {
    return await this.run(organizationId, () => this.evaluateTemplate(template, scope), time);
  }

  /** Evaluates a condition such as `trigger.payload.plan == 'pro'`. Only nil and false count as false. */
  async test(organizationId: string, condition: string, scope: object): Promise<boolean> {
    return await this.run(organizationId, () => this.testCondition(condition, scope));
  }

  /** Returns the variable paths that a template reads, such as `contact.id`. A path ends before a computed index. */
  references(template: string): string[] {
    return this.reading(template).references;
  }

  /** Returns the variable paths that a condition reads. */
  conditionReferences(condition: string): string[] {
    return this.conditionReading(condition).references;
  }

  reading(template: string): TemplateReading {
    return runSafely(() => readingOf(this.getTemplates(template)));
  }

  conditionReading(condition: string): TemplateReading {
    return runSafely(() => {
      const value = this.parseCondition(condition);
      assertComplete(value.initial.postfix);
      return readingOfCondition(value);
    }, conditionHint(condition));
  }

  /**
   * Reads the references of many expressions in short turns, between which the process does other work. The result
   * keeps these references in memory, so that a later check gets them immediately and does not delay other requests.
   */
  async readExpressions(
    organizationId: string,
    templates: readonly string[],
    conditions: readonly string[],
  ): Promise<Expressions> {
    const expressions = new ReadExpressions(this);
    const time = { leftMs: MAX_READ_MS };
    await this.run(organizationId, () => expressions.read(templates, conditions), time);
    return expressions;
  }

  /**
   * Returns the variables of a condition. Parses the condition only once while the result stays in memory.
   */
  async readCondition(organizationId: string, condition: string): Promise<TemplateReading> {
    const known = this.readings.get(condition);
    if (known) return known;
    const expressions = await this.readExpressions(organizationId, [], [condition]);
    const reading = expressions.conditionReading(condition);
    this.readings.set(condition, reading, { size: 64 + condition.length });
    return reading;
  }

  private getTemplates(template: string): Template[] {
    const known = this.cache.get(template);
    if (known) return known;
    const { templates, size } = this.parseTemplates(template);
    if (template.length <= MAX_CACHED_CHARACTERS) this.cache.set(template, templates, { size });
    return templates;
  }

  private parseTemplates(template: string): { templates: Template[]; size: number } {
    const { engine } = this;
    if (template.length > MAX_TEMPLATE_CHARACTERS) {
      throw AppError.invalid(`A template has at most ${MAX_TEMPLATE_CHARACTERS} characters.`);
    }
    checkMarkup(template);
    const tokenizer = new Tokenizer(template, engine.options.operators);
    const tokens = tokenizer.readTopLevelTokens(engine.options);
    checkMarkupLength(tokens);
    // The size is computed first, because the parser removes the tokens from their list.
    const size = 1 + parsedSize(template, tokens);
    return { templates: engine.parser.parseTokens(tokens), size };
  }

  private *renderTemplate(template: string, scope: object): Generator<unknown, string> {
    const templates = this.getTemplates(template);
    const context = this.createContext(scope);
    const text: unknown = yield this.engine.renderer.renderTemplates(templates, context);
    return checkOutputLength(String(toValue(text)));
  }

  private *evaluateTemplate(template: string, scope: object): Generator<unknown, unknown> {
    const templates = this.getTemplates(template.trim());
    const only = templates.length === 1 ? templates[0] : undefined;
    if (!(only instanceof Output)) return yield this.renderTemplate(template, scope);
    const value = wholeOf(toValue(yield only.value.value(this.createContext(scope))));
    if (typeof value === 'string') return checkValueLength(value);
    if (value === undefined || typeof value === 'function') return null;
    // `empty` and `blank` are objects of LiquidJS that are useful only in comparisons. As a value they become null.
    return typeof value === 'object' && !isPlain(value) ? null : value;
  }

  private *testCondition(condition: string, scope: object): Generator<unknown, boolean> {
    const context = this.createContext(scope);
    const value: unknown = yield this.parseCondition(condition).value(context);
    return isTruthy(toValue(value), context);
  }

  /**
   * Runs a generator in short turns, between which the process does other work, and returns its result. When the
   * generator needs a value that is not in memory, the value is loaded and the generator runs again from its beginning.
   * So the generator must have no side effect.
   */
  private async run<T>(
    organizationId: string,
    begin: () => Generator<unknown, T>,
    time: JobTime = { leftMs: MAX_RENDER_MS },
  ): Promise<T> {
    for (let reads = 0, bytes = 0; ; reads += 1) {
      const evaluation = new Evaluation<T>(begin());
      try {
        await this.turns.run(organizationId, evaluation, time);
        return evaluation.result;
      } catch (error) {
        const reason = toTemplateError(error);
        if (!(reason instanceof DistantRead)) throw reason;
        if (reads >= MAX_READS || bytes > MAX_VALUE_BYTES) throw readsTooMuch();
        bytes += await reason.load();
      }
    }
  }

  private parseCondition(condition: string): Value {
    if (condition.length > MAX_CONDITION_CHARACTERS) {
      throw AppError.invalid(`A condition has at most ${MAX_CONDITION_CHARACTERS} characters.`);
    }
    const tokenizer = new Tokenizer(condition, this.engine.options.operators);
    const token = tokenizer.readFilteredValue();
    tokenizer.skipBlank();
    // LiquidJS ignores the rest of an invalid condition. Without this check, `a = b` would mean `a`.
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

function readsTooMuch(): AppError {
  return AppError.invalid(
    `The expression reads more than ${MAX_VALUE_BYTES} bytes, or ${MAX_READS} parts, of the large values of a payload. ` +
      'Read single items, use the filters where, map and sum, or loop over the list with for_each.',
  );
}

/** Returns true for values that JSON can represent. */
function isPlain(value: unknown): boolean {
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Runs a part of the engine, and converts its errors. The message of an error contains `hint`, if there is one. */
function runSafely<T>(work: () => T, hint?: string): T {
  try {
    return work();
  } catch (error) {
    if (hint !== undefined) throw new AppError('invalid_arguments', hint, { cause: error });
    throw toTemplateError(error);
  }
}
