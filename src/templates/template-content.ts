export const VARIABLE_TYPES = ['text', 'number', 'boolean', 'date', 'list', 'object'] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];

/** A value that a template needs. Without a default, each message must have a value. */
export interface TemplateVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly description?: string;
  readonly default?: unknown;
}

/** The texts of an e-mail. Without `text`, publishing derives it from `html`. */
export interface EmailVariant {
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
}

export interface SmsVariant {
  readonly text: string;
}

/** The texts of a template in one language. */
export interface TemplateVariant {
  readonly email?: EmailVariant;
  readonly sms?: SmsVariant;
}

/** The content that an author writes. Messages use the first locale when no other locale matches. */
export interface TemplateContent {
  readonly variables: readonly TemplateVariable[];
  readonly variants: Readonly<Record<string, TemplateVariant>>;
}

/** The texts of one variant as they are rendered, by part. */
export interface CompiledTexts {
  readonly subject?: string;
  readonly html?: string;
  readonly text: string;
}

export interface CompiledVariant {
  readonly email?: CompiledTexts;
  readonly sms?: CompiledTexts;
}

/** The content of a published version: without snippets, with inlined CSS, and with a text for every variant. */
export interface CompiledContent {
  readonly variables: readonly TemplateVariable[];
  readonly variants: Readonly<Record<string, CompiledVariant>>;
}

/** A warning about a published version, with its place, for the author. */
export interface PlacedWarning {
  readonly path: string;
  readonly message: string;
}
