import type { CompiledText } from '../liquid/compiled-text.js';
import { TextCompiler, TextFault } from '../liquid/text-compiler.js';
import { AppError } from '../errors/app-error.js';
import type { CompiledContent, TemplateVariable } from './template-content.js';

/** A text of a variant: one of the texts of an e-mail, or the text of a short message. */
export type TemplatePart = 'email' | 'sms';

/** The parsed texts of one part of a variant. */
export interface PreparedTexts {
  readonly subject?: CompiledText;
  readonly html?: CompiledText;
  readonly text: CompiledText;
}

/** Keeps parsed texts by their part and locale. */
export interface ParsedTexts {
  get(name: string): PreparedTexts | undefined;
  set(name: string, texts: PreparedTexts): void;
}

/** A version whose texts are parsed at their first use, and then kept while there is memory. */
export class PreparedVersion {
  constructor(
    private readonly content: CompiledContent,
    private readonly compiler: TextCompiler,
    private readonly texts: ParsedTexts = new Map(),
  ) {}

  get variables(): readonly TemplateVariable[] {
    return this.content.variables;
  }

  /** Returns the locales that have texts for the part, in the order in which the author wrote them. */
  locales(part: TemplatePart): string[] {
    return Object.entries(this.content.variants).flatMap(([locale, variant]) =>
      variant[part] ? [locale] : [],
    );
  }

  /** Returns the texts of a locale of {@link locales}. Throws `invalid_arguments` for a text that is not valid. */
  read(part: TemplatePart, locale: string): PreparedTexts {
    const key = `${part} ${locale}`;
    const known = this.texts.get(key);
    if (known) return known;
    const { subject, html, text } = this.content.variants[locale]![part]!;
    const prepared = {
      ...(subject !== undefined && { subject: this.compile(subject, 'text') }),
      ...(html !== undefined && { html: this.compile(html, 'html') }),
      text: this.compile(text, 'text'),
    };
    this.texts.set(key, prepared);
    return prepared;
  }

  private compile(text: string, format: 'text' | 'html'): CompiledText {
    try {
      return this.compiler.compile(text, format);
    } catch (error) {
      // The text was valid when it was published, so the rules for Liquid have changed since.
      if (!(error instanceof TextFault)) throw error;
      throw AppError.invalidField(
        'template_id',
        `has a text that ${error.message}. Publish it again`,
      );
    }
  }
}
