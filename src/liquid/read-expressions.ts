import { AppError } from '../errors/app-error.js';

/** Checks expressions, and returns the variable paths that they read. Throws `invalid_arguments` for an invalid one. */
export interface Expressions {
  parse(template: string): void;
  references(template: string): string[];
  conditionReferences(condition: string): string[];
}

/**
 * Holds the results of expressions that were read before. An expression that was not read before is read when its
 * result is needed.
 */
export class ReadExpressions implements Expressions {
  private readonly templates = new Map<string, string[] | AppError>();
  private readonly conditions = new Map<string, string[] | AppError>();

  constructor(private readonly source: Expressions) {}

  /** Reads one expression in each step. */
  *read(templates: readonly string[], conditions: readonly string[]): Generator<unknown, void> {
    for (const text of templates) {
      this.templates.set(
        text,
        attempt(() => this.source.references(text)),
      );
      yield;
    }
    for (const text of conditions) {
      this.conditions.set(
        text,
        attempt(() => this.source.conditionReferences(text)),
      );
      yield;
    }
  }

  parse(template: string): void {
    this.references(template);
  }

  references(template: string): string[] {
    return resultOf(this.templates.get(template) ?? this.source.references(template));
  }

  conditionReferences(condition: string): string[] {
    return resultOf(this.conditions.get(condition) ?? this.source.conditionReferences(condition));
  }
}

function attempt(read: () => string[]): string[] | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function resultOf(result: string[] | AppError): string[] {
  if (result instanceof AppError) throw result;
  return result;
}
