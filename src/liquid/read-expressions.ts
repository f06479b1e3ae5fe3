import { AppError } from '../errors/app-error.js';
import type { TemplateReading } from './template-reading.js';

/**
 * Checks expressions, and returns the variable paths that they read. Throws `invalid_arguments` for an invalid
 * expression.
 */
export interface Expressions {
  references(template: string): string[];
  conditionReferences(condition: string): string[];
  /** Returns all variables of a template, and the names that its tags assign. */
  reading(template: string): TemplateReading;
  /** Returns all variables of a condition. */
  conditionReading(condition: string): TemplateReading;
}

/**
 * Holds the results of expressions that were read in advance. Any other expression is read when its result is needed.
 */
export class ReadExpressions implements Expressions {
  private readonly templates = new Map<string, TemplateReading | AppError>();
  private readonly conditions = new Map<string, TemplateReading | AppError>();

  constructor(private readonly source: Expressions) {}

  /** Reads all expressions, and yields after each one. */
  *read(templates: readonly string[], conditions: readonly string[]): Generator<unknown, void> {
    for (const text of templates) {
      this.templates.set(
        text,
        attempt(() => this.source.reading(text)),
      );
      yield;
    }
    for (const text of conditions) {
      this.conditions.set(
        text,
        attempt(() => this.source.conditionReading(text)),
      );
      yield;
    }
  }

  references(template: string): string[] {
    return this.reading(template).references;
  }

  conditionReferences(condition: string): string[] {
    return this.conditionReading(condition).references;
  }

  reading(template: string): TemplateReading {
    return resultOf(this.templates.get(template) ?? this.source.reading(template));
  }

  conditionReading(condition: string): TemplateReading {
    return resultOf(this.conditions.get(condition) ?? this.source.conditionReading(condition));
  }
}

function attempt(read: () => TemplateReading): TemplateReading | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function resultOf(result: TemplateReading | AppError): TemplateReading {
  if (result instanceof AppError) throw result;
  return result;
}
