import { Injectable } from '@nestjs/common';
import type { ChannelOptions } from '../channels/channel.decorator.js';
import type { Contact } from '../contacts/contact.entity.js';
import { AppError } from '../errors/app-error.js';
import type { TemplatePart } from '../templates/prepared-version.js';
import {
  type PinnedTemplate,
  PublishedTemplatesService,
} from '../templates/published-templates.service.js';
import { TemplateRenderingService } from '../templates/template-rendering.service.js';
import type { Message } from './message.entity.js';

/** The template that a caller chose for a message. */
export interface GivenTemplate {
  /**
   * The id or the name of a template, or a version that a message already has. For an id or a name, the newest
   * published version is used.
   */
  readonly from: string | PinnedTemplate;
  /** The preferred locale. It takes precedence over the locale of the contact. */
  readonly locale?: string | null;
  /** The variables of each call of `send_message` that a digest contains. Absent for a message that is not a digest. */
  readonly items?: readonly object[];
}

/** The template, the version and the locale that a message was made from. */
export type TemplateUse = Pick<Message, 'templateId' | 'templateVersion' | 'locale'>;

/** The content of a message that was made from a template. */
export interface MadeContent {
  readonly texts: { readonly subject?: string; readonly html?: string; readonly body: string };
  readonly use: TemplateUse;
}

/** Makes the content of messages from templates. The caller must have opened a transaction of the organization. */
@Injectable()
export class MessageTemplatesService {
  constructor(
    private readonly templates: PublishedTemplatesService,
    private readonly rendering: TemplateRenderingService,
  ) {}

  /**
   * Renders a template for a contact and a channel. Throws `not_found` for an unknown template, and `conflict` for a
   * template that was never published. Throws `invalid_arguments` for variables that do not fit and for texts that
   * cannot be rendered.
   */
  async render(
    { organizationId, contact }: { readonly organizationId: string; readonly contact: Contact },
    options: ChannelOptions,
    { from, locale, items }: GivenTemplate,
    { variables = {}, own }: { readonly variables: object | undefined; readonly own: object },
  ): Promise<MadeContent> {
    const pinned = await this.pin(organizationId, from);
    const version = await this.templates.read(organizationId, pinned);
    const rendered = await this.rendering.render(
      organizationId,
      version,
      partOf(options),
      [locale, contact.locale, pinned.defaultLocale],
      { variables, items, given: own },
    );
    const { subject, html, text: body } = rendered;
    return {
      texts: {
        body,
        ...(subject !== undefined && { subject }),
        ...(html !== undefined && { html }),
      },
      use: { templateId: pinned.id, templateVersion: pinned.version, locale: rendered.locale },
    };
  }

  /**
   * Returns the given version, or the newest published version for an id or a name. Throws the errors of {@link render}
   * for an unknown or unpublished template.
   */
  async pin(organizationId: string, from: GivenTemplate['from']): Promise<PinnedTemplate> {
    return typeof from === 'string' ? await this.templates.get(organizationId, from) : from;
  }

  /** Finds the version that a message was made from. Throws `invalid_arguments` when the version was deleted. */
  findUsed(organizationId: string, id: string, version: number): Promise<PinnedTemplate> {
    return this.templates.getVersion(organizationId, id, version);
  }
}

/**
 * Returns the texts of a template for the messages of a channel. Messages that need a subject use the texts of e-mails.
 */
function partOf({ subject }: ChannelOptions): TemplatePart {
  return subject === 'required' ? 'email' : 'sms';
}

/** Throws `invalid_arguments` when a call has both a template and texts. */
export function assertNoTexts(given: Readonly<Record<string, unknown>>): void {
  for (const name of ['subject', 'body', 'html']) {
    if (given[name] === undefined) continue;
    throw AppError.invalidField(name, 'must be absent with template_id');
  }
}
