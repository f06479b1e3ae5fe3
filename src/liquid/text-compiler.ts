import {
  type Liquid,
  LiquidError,
  type TagToken,
  type Template,
  type Token,
  TokenKind,
  Tokenizer,
  type Variable,
  analyzeSync,
} from 'liquidjs';
import { AppError, toError } from '../errors/app-error.js';
import { lineOffsets } from '../text/lines.js';
import { didYouMean } from '../text/nearest-names.js';
import { CompiledText } from './compiled-text.js';
import { type LiquidFormat, createLiquid } from './liquid-engine.js';
import { LIQUID_FILTERS, LIQUID_TAGS, checkMarkup, checkMarkupLength } from './liquid-limits.js';
import { parsedSize } from './parsed-size.js';

export type TextFormat = Exclude<LiquidFormat, 'expression'>;
type TopLevelTokens = ReturnType<Tokenizer['readTopLevelTokens']>;

const MAX_CHARACTERS = 256 * 1024;
const MAX_MESSAGE = 200;

/** Reports why a text is not valid Liquid, and where. */
export class TextFault extends Error {
  constructor(
    message: string,
    /** The number of characters before the fault. */
    readonly offset: number,
  ) {
    super(message);
  }
}

/** A variable that a text reads, and the place of its first use. */
export interface UsedVariable {
  /** The names in its path, up to a computed index, such as `contact`, `first_name`. */
  readonly segments: readonly string[];
  readonly offset: number;
}

/** The names that a text reads, and the places at which it writes unescaped values. */
export interface TextReading {
  readonly variables: readonly UsedVariable[];
  readonly rawOffsets: readonly number[];
}

/** The place of a piece of markup in a text. */
export interface MarkupPlace {
  readonly begin: number;
  readonly end: number;
}

/** A tag `{% render 'name' %}`. `name` is undefined when the tag has anything but one quoted name. */
export interface RenderTag extends MarkupPlace {
  readonly name: string | undefined;
}

/** Parses texts of stored templates with the limits of the sandbox. Parsing takes some milliseconds at most. */
export class TextCompiler {
  private readonly engines: Readonly<Record<TextFormat, Liquid>> = {
    text: createLiquid('text'),
    html: createLiquid('html'),
  };

  /** Parses a text. Throws {@link TextFault} for a text that is not valid. */
  compile(text: string, format: TextFormat): CompiledText {
    const tokens = this.tokens(text, format);
    // The size is computed first, because the parser removes the tokens from their list.
    const bytes = parsedSize(text, tokens);
    const templates = this.parse(tokens, format);
    return new CompiledText(this.engines[format], templates, text.length, bytes);
  }

  /** Finds the variables that a text reads. Throws {@link TextFault} for a text that is not valid. */
  read(text: string, format: TextFormat): TextReading {
    const templates = this.parse(this.tokens(text, format), format);
    const { globals } = guarded(() => analyzeSync(templates, { partials: false }));
    const offsets = lineOffsets(text);
    const variables = Object.values(globals)
      .flat()
      .map((variable) => ({
        segments: segmentsOf(variable),
        offset: (offsets[variable.location.row - 1] ?? 0) + variable.location.col - 1,
      }));
    const rawOffsets = this.tokens(text, format)
      .filter(
        (token) => token.kind !== TokenKind.HTML && /\|\s*raw\s*-?[%}]}$/.test(token.getText()),
      )
      .map(({ begin }) => begin);
    return { variables, rawOffsets };
  }

  /** Returns the places of all tags and outputs. Throws {@link TextFault} for markup that does not end. */
  markup(text: string): MarkupPlace[] {
    return this.tokens(text, 'text').filter(({ kind }) => kind !== TokenKind.HTML);
  }

  /** Returns the `render` tags. Throws {@link TextFault} for markup that does not end. */
  renderTags(text: string): RenderTag[] {
    return this.tokens(text, 'text')
      .filter((token): token is TagToken => token.kind === TokenKind.Tag)
      .filter(({ name }) => name === 'render')
      .map(({ begin, end, args }) => {
        const name = /^\s*(?:'([^']*)'|"([^"]*)")\s*$/.exec(args);
        return { begin, end, name: name?.[1] ?? name?.[2] };
      });
  }

  private parse(tokens: TopLevelTokens, format: TextFormat): Template[] {
    return guarded(() => {
      checkMarkupLength(tokens);
      return this.engines[format].parser.parseTokens(tokens);
    });
  }

  private tokens(text: string, format: TextFormat): TopLevelTokens {
    if (text.length > MAX_CHARACTERS) {
      throw new TextFault(`has more than ${MAX_CHARACTERS} characters`, 0);
    }
    return guarded(() => {
      checkMarkup(text);
      const { options } = this.engines[format];
      return new Tokenizer(text, options.operators).readTopLevelTokens(options);
    });
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toTextFault(error);
  }
}

function toTextFault(error: unknown): TextFault {
  const { token, originalError } = error as { token?: Token; originalError?: unknown };
  const offset = token?.begin ?? 0;
  if (error instanceof AppError) return new TextFault(lowerFirst(error.message), offset);
  if (originalError instanceof AppError) {
    return new TextFault(lowerFirst(originalError.message), offset);
  }
  if (!LiquidError.is(error)) return new TextFault('is malformed or too complex', offset);
  // Remove the place from the message, because `offset` reports it.
  const reason = toError(error).message.replace(/, (?:file:[^,]*, )?line:\d+, col:\d.*$/s, '');
  return new TextFault(`is not valid Liquid: ${withHint(reason).slice(0, MAX_MESSAGE)}`, offset);
}

function withHint(reason: string): string {
  const [, filter] = /^undefined filter: (\S{1,64})$/.exec(reason) ?? [];
  if (filter !== undefined) return `${reason}.${didYouMean(filter, [...LIQUID_FILTERS, 'raw'])}`;
  const [, tag] = /^tag "([^"]{1,64})" not found$/.exec(reason) ?? [];
  if (tag !== undefined) return `${reason}.${didYouMean(tag, [...LIQUID_TAGS, 'render'])}`;
  return reason;
}

function lowerFirst(sentence: string): string {
  return `is not valid Liquid: ${sentence[0]!.toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}

function segmentsOf({ segments }: Variable): string[] {
  const known: string[] = [];
  for (const segment of segments as unknown[]) {
    if (typeof segment !== 'string' && typeof segment !== 'number') break;
    known.push(String(segment));
  }
  return known;
}
