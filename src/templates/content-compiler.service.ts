import { Injectable } from '@nestjs/common';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError } from '../errors/app-error.js';
import { FaultList } from '../errors/fault-list.js';
import { ProcessorTurns } from '../turns/processor-turns.js';
import { TextCompiler } from '../liquid/text-compiler.js';
import { TimeBudgets } from '../turns/time-budgets.js';
import { textOfHtml } from '../text/text-of-html.js';
import { HtmlProcessesService } from './html-processes.service.js';
import type { InlinedHtml } from './html-job.js';
import { type HiddenMarkup, hideMarkup, restoreMarkup, restoreSomeMarkup } from './placeholders.js';
import { type Names, TextChecker, type Warn } from './text-checker.js';
import type {
  CompiledContent,
  CompiledTexts,
  CompiledVariant,
  PlacedWarning,
  TemplateContent,
  TemplateVariant,
} from './template-content.js';

const LONGEST_TEXT = 256 * 1024;
const MOST_WARNINGS = 50;
/**
 * The largest compiled content, in bytes. For each message, the whole version of a template is read without a pause, so
 * larger content would delay other messages.
 */
const LARGEST_CONTENT = 2 * 1024 * 1024;

/** The compiled content of a template, with the warnings for its author. */
export interface Compilation {
  readonly content: CompiledContent;
  readonly warnings: readonly PlacedWarning[];
}

interface CheckedVariant {
  readonly email?: Partial<CompiledTexts>;
  readonly sms?: CompiledTexts;
}

/** The texts of an e-mail with the content of their snippets. */
interface CheckedEmail {
  readonly locale: string;
  readonly email: Partial<CompiledTexts>;
  readonly path: string;
}

/**
 * Compiles the texts of authors into texts that can be rendered. The compiled texts are checked, and contain the
 * snippets, inlined CSS and derived texts.
 */
@Injectable()
export class ContentCompilerService {
  private readonly checker: TextChecker;
  private readonly turns = new ProcessorTurns(new TimeBudgets(undefined, 'checks of templates'));

  constructor(
    private readonly compiler: TextCompiler,
    private readonly processes: HtmlProcessesService,
  ) {
    this.checker = new TextChecker(compiler);
  }

  /**
   * Compiles the content of a template. Throws `invalid_arguments` with the path, line and column of each fault, and
   * `rate_limited` when the organization has used its processor time.
   */
  async compile(
    organizationId: string,
    { variables, variants }: TemplateContent,
    snippets: ReadonlyMap<string, string>,
  ): Promise<Compilation> {
    const faults = new FaultList();
    const warnings: PlacedWarning[] = [];
    const warn: Warn = (path, message) => {
      if (warnings.length < MOST_WARNINGS) warnings.push({ path, message: message() });
    };
    const names: Names = { variables: variables.map(({ name }) => name), snippets };
    if (Object.keys(variants).length === 0) {
      faults.push({ path: 'variants', message: 'must have a variant for at least one locale' });
    }
    const checked: (readonly [locale: string, variant: CheckedVariant])[] = [];
    for (const [locale, variant] of Object.entries(variants)) {
      checked.push([
        locale,
        await this.check(organizationId, variant, `variants.${locale}`, names, faults, warn),
      ]);
    }
    assertNone(faults);
    const compiled: Record<string, CompiledVariant> = Object.fromEntries(
      checked.map(([locale, { sms }]) => [locale, sms ? { sms } : {}]),
    );
    const parts = checked.flatMap(([locale, { email }]) =>
      email ? [{ locale, email, path: `variants.${locale}.email` }] : [],
    );
    const emails = await this.prepare(organizationId, parts, faults, warn);
    for (const [index, { locale }] of parts.entries()) {
      compiled[locale] = { ...compiled[locale], email: emails[index]! };
    }
    if (faults.length === 0 && JSON.stringify(compiled).length > LARGEST_CONTENT) {
      const message = 'have more than 2 MiB together with their snippets and their inlined CSS';
      faults.push({ path: 'variants', message });
    }
    assertNone(faults);
    return { content: { variables, variants: compiled }, warnings };
  }

  /** Returns the texts with the content of their snippets. */
  private async check(
    organizationId: string,
    { email, sms }: TemplateVariant,
    path: string,
    names: Names,
    faults: FaultList,
    warn: Warn,
  ): Promise<CheckedVariant> {
    const check = async (text: string, part: string, format: 'text' | 'html'): Promise<string> => {
      const place = { text, path: `${path}.${part}`, format };
      let checked = '';
      // Parsing cannot be interrupted, and a template can have 80 texts, so each text is a job of its own.
      const run = (): boolean => {
        checked = this.checker.check(place, names, faults, warn);
        return true;
      };
      await this.turns.run(organizationId, { run }, { leftMs: Infinity });
      return checked;
    };
    if (!email && !sms) faults.push({ path, message: 'must have email, sms or both' });
    if (sms && sms.text.trim() === '') {
      faults.push({ path: `${path}.sms.text`, message: 'must not be empty' });
    }
    const checked = sms && { text: await check(sms.text, 'sms.text', 'text') };
    if (!email) return { ...(checked && { sms: checked }) };
    const { subject, html, text } = email;
    if (subject.trim() === '') {
      faults.push({ path: `${path}.email.subject`, message: 'must not be empty' });
    }
    if (html === undefined && (text === undefined || text.trim() === '')) {
      faults.push({ path: `${path}.email`, message: 'must have html, text or both' });
    }
    return {
      email: {
        subject: await check(subject, 'email.subject', 'text'),
        ...(html !== undefined && { html: await check(html, 'email.html', 'html') }),
        ...(text !== undefined && { text: await check(text, 'email.text', 'text') }),
      },
      ...(checked && { sms: checked }),
    };
  }

  /** Inlines the CSS of all HTML, and derives the texts that are missing. */
  private async prepare(
    organizationId: string,
    emails: readonly CheckedEmail[],
    faults: FaultList,
    warn: Warn,
  ): Promise<CompiledTexts[]> {
    const hidden: (HiddenMarkup | undefined)[] = [];
    for (const { email } of emails) {
      await yieldToOthers();
      const { html } = email;
      hidden.push(html === undefined ? undefined : hideMarkup(html, this.compiler.markup(html)));
    }
    const job = hidden.flatMap((markup) => (markup ? [markup.text] : []));
    const replies = job.length > 0 ? [...(await this.processes.run(organizationId, job))] : [];
    const prepared: CompiledTexts[] = [];
    for (const [index, given] of emails.entries()) {
      await yieldToOthers();
      const markup = hidden[index];
      const { subject, text } = given.email;
      prepared.push(
        markup
          ? await this.restore(given, markup, replies.shift()!, faults, warn)
          : { subject, text: text! },
      );
    }
    return prepared;
  }

  private async restore(
    { email: { subject, html, text }, path }: CheckedEmail,
    hidden: HiddenMarkup,
    { html: inlinedHtml, isTooLong }: InlinedHtml,
    faults: FaultList,
    warn: Warn,
  ): Promise<CompiledTexts> {
    const inlined = inlinedHtml === undefined ? undefined : restoreMarkup(inlinedHtml, hidden);
    if (inlined === undefined) {
      warn(
        `${path}.html`,
        () => 'keeps its style elements: CSS with Liquid in it cannot be inlined',
      );
    }
    // The pattern ends at the next tag. Otherwise a text with many tags would take long, because all text after each
    // tag would be searched.
    if (/<link\b[^<>]*stylesheet/i.test(html!)) {
      const message = 'has a link to a style sheet, which is not loaded. Use a style element';
      warn(`${path}.html`, () => message);
    }
    const result = {
      subject,
      html: inlined ?? html!,
      text: text ?? restoreSomeMarkup(await textOfHtml(hidden.text), hidden).trim(),
    };
    for (const part of ['html', 'text'] as const) {
      if (result[part].length <= LONGEST_TEXT && !(part === 'html' && isTooLong)) continue;
      const message = `has more than ${LONGEST_TEXT} characters with its inlined CSS`;
      faults.push({ path: `${path}.${part}`, message });
    }
    if (text === undefined && !this.isUsable(result.text)) {
      const message = 'is required, because none can be derived from the HTML';
      faults.push({ path: `${path}.text`, message });
    }
    return result;
  }

  private isUsable(text: string): boolean {
    if (text === '') return false;
    try {
      this.compiler.compile(text, 'text');
      return true;
    } catch {
      return false;
    }
  }
}

function assertNone(faults: FaultList): void {
  if (faults.length === 0) return;
  const [first] = faults.first;
  const more = faults.length > 1 ? ` There are ${faults.length} faults.` : '';
  throw AppError.invalid(`${first!.path} ${first!.message}.${more}`, faults.first);
}
