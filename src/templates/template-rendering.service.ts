import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { asSentence } from '../errors/as-sentence.js';
import { FaultList } from '../errors/fault-list.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { chooseLocale } from './locales.js';
import type { PreparedTexts, PreparedVersion, TemplatePart } from './prepared-version.js';
import { checkNames, readValues } from './variable-values.js';

/** The values that the texts of a message read. */
export interface TemplateValues {
  readonly variables: object;
  /**
   * The variables of each call that the message combines, the newest last. The default is a list of only `variables`.
   */
  readonly items?: readonly object[];
  /** The values that every message provides: the contact and links. */
  readonly given: object;
}

/** The rendered content of a message. */
export interface RenderedTemplate {
  readonly locale: string;
  readonly subject?: string;
  readonly html?: string;
  readonly text: string;
}

/** Renders versions of templates for messages. */
@Injectable()
export class TemplateRenderingService {
  constructor(private readonly liquid: LiquidSandbox) {}

  /**
   * Renders the variant of the first wanted locale that exists. Throws `invalid_arguments` for a version without
   * texts of the part. Throws `invalid_arguments`, with the path of each fault, for variables that are unknown,
   * missing or of another type.
   */
  async render(
    organizationId: string,
    version: PreparedVersion,
    part: TemplatePart,
    locales: readonly (string | null | undefined)[],
    { variables, items, given }: TemplateValues,
  ): Promise<RenderedTemplate> {
    const locale = chooseLocale(locales, version.locales(part));
    if (locale === undefined) {
      throw AppError.invalidField('template_id', `names a template without texts for ${part}`);
    }
    const values = assertValues(version, variables);
    const all = items?.map((item) => assertValues(version, item)) ?? [values];
    const scope = { ...values, ...given, digest: { count: all.length, items: all } };
    const texts = await this.renderTexts(organizationId, version.read(part, locale), scope);
    return { locale, ...texts };
  }

  private async renderTexts(
    organizationId: string,
    { text, subject, html }: PreparedTexts,
    scope: object,
  ): Promise<Omit<RenderedTemplate, 'locale'>> {
    const texts = [text, ...(subject ? [subject] : []), ...(html ? [html] : [])];
    const rendered = await this.liquid.renderTexts(organizationId, texts, scope);
    return {
      text: rendered[0]!,
      ...(subject && { subject: rendered[1]! }),
      ...(html && { html: rendered.at(-1)! }),
    };
  }
}

/** Returns the values of all variables of the version, with defaults. */
function assertValues({ variables }: PreparedVersion, given: object): Record<string, unknown> {
  const faults = new FaultList();
  checkNames(variables, given, faults);
  const read = readValues(variables, given);
  for (const { name, message } of read.faults) faults.push({ path: `variables.${name}`, message });
  if (faults.length === 0) return read.values;
  const [first] = faults.first;
  throw AppError.invalid(asSentence(`${first!.path} ${first!.message}`), faults.first);
}
