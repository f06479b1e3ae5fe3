import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import type { Contact } from '../contacts/contact.entity.js';
import { ContactView } from '../contacts/contact.results.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { AppError, type Fault } from '../errors/app-error.js';
import { TextCompiler } from '../liquid/text-compiler.js';
import { PreparedVersion, type TemplatePart } from '../templates/prepared-version.js';
import type { PlacedWarning } from '../templates/template-content.js';
import {
  type RenderedTemplate,
  TemplateRenderingService,
} from '../templates/template-rendering.service.js';
import { TemplateVersionsService } from '../templates/template-versions.service.js';
import { fillSamples } from '../templates/variable-values.js';
import { isJsonObject } from '../text/is-json-object.js';
import { subjectFault } from './message-content.service.js';

/** The template that is shown, and the values for it. */
export interface PreviewRequest {
  readonly templateId: string;
  readonly version?: number;
  /** A draft that is not saved. */
  readonly draft?: object;
  readonly locale?: string;
  readonly contactId?: string;
  readonly variables?: object;
}

/** The message that a contact would get from a template. A part that the template does not have is undefined. */
export interface TemplatePreview {
  readonly email: RenderedTemplate | undefined;
  readonly sms: RenderedTemplate | undefined;
  /** The variables that got a sample. */
  readonly missing: readonly string[];
  readonly faults: readonly Fault[];
  readonly warnings: readonly PlacedWarning[];
}

/** The contact of a preview when no contact is given. */
const NOBODY = {
  id: 'con_preview',
  externalId: null,
  email: null,
  phone: null,
  firstName: null,
  lastName: null,
  locale: null,
  timezone: null,
  tags: [],
  properties: {},
  consent: {},
  createdAt: new Date(0),
  updatedAt: new Date(0),
} as unknown as Contact;

/** Shows templates as messages. Every method needs a transaction of the organization. */
@Injectable()
export class TemplatePreviewsService {
  constructor(
    private readonly versions: TemplateVersionsService,
    private readonly rendering: TemplateRenderingService,
    private readonly contacts: ContactsService,
    private readonly compiler: TextCompiler,
    private readonly env: Env,
  ) {}

  /**
   * Renders the draft, an unsaved draft or a version. Throws `not_found` for an unknown template, version or contact.
   * Throws `invalid_arguments`, with the path of each fault, for content that cannot be published and variables that do
   * not fit.
   */
  async preview(organizationId: string, request: PreviewRequest): Promise<TemplatePreview> {
    const { contactId, locale, variables = {} } = request;
    const contact =
      contactId === undefined
        ? NOBODY
        : await this.contacts.getBy(organizationId, { contact_id: contactId });
    const { version, warnings } = await this.read(organizationId, request);
    const { values, missing } = fillSamples(version.variables, variables);
    const given = { contact: ContactView.of(contact), ...this.sampleLinks() };
    const render = async (part: TemplatePart): Promise<RenderedTemplate | undefined> => {
      if (version.locales(part).length === 0) return undefined;
      const wanted = [locale, contact.locale];
      return await this.rendering.render(organizationId, version, part, wanted, {
        variables: values,
        given,
      });
    };
    const email = await render('email');
    const sms = await render('sms');
    const fault = email && subjectFault(email.subject!);
    const faults = fault === undefined ? [] : [{ path: 'subject', message: fault }];
    return { email, sms, missing, faults, warnings };
  }

  private async read(
    organizationId: string,
    { templateId, version, draft }: PreviewRequest,
  ): Promise<{ version: PreparedVersion; warnings: readonly PlacedWarning[] }> {
    if (version !== undefined) {
      const stored = await this.versions.get(organizationId, templateId, version);
      const prepared = new PreparedVersion(stored.compiled, this.compiler);
      return { version: prepared, warnings: stored.warnings };
    }
    const unsaved = draft && readDraft(draft);
    const compiled = await this.versions.compileDraft(organizationId, templateId, unsaved);
    const prepared = new PreparedVersion(compiled.content, this.compiler);
    return { version: prepared, warnings: compiled.warnings };
  }

  /** Returns links without a valid token, so that a test message cannot change the subscriptions of a contact. */
  private sampleLinks(): Record<string, string> {
    const { baseUrl } = this.env;
    return {
      preferences_url: `${baseUrl}/preferences/preview`,
      unsubscribe_url: `${baseUrl}/u/preview`,
    };
  }
}

function readDraft(draft: object): { variables: readonly object[]; variants: object } {
  const { variables = [], variants = {} } = draft as { variables?: unknown; variants?: unknown };
  const isList = Array.isArray(variables) && variables.every((one) => isJsonObject(one));
  if (!isList) throw AppError.invalidField('draft.variables', 'must be a list of objects');
  if (!isJsonObject(variants)) throw AppError.invalidField('draft.variants', 'must be an object');
  return { variables, variants };
}
