import { Injectable } from '@nestjs/common';
import type { ChannelOptions } from '../channels/channel.decorator.js';
import type { Contact } from '../contacts/contact.entity.js';
import { ContactView } from '../contacts/contact.results.js';
import { AppError } from '../errors/app-error.js';
import { HtmlSandbox } from '../liquid/html-sandbox.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import type { TemplateReading } from '../liquid/template-reading.js';
import { textOfHtml } from '../text/text-of-html.js';
import { PermissionLinks } from '../topics/permission-links.js';
import { TopicsService } from '../topics/topics.service.js';
import { LONGEST_BODY_BYTES, LONGEST_HTML_BYTES, LONGEST_SUBJECT } from './content-limits.js';
import { EmailEnvelopeService, type GivenEnvelope } from './email-envelope.service.js';
import { assertCarries, assertSubject } from './message-channels.js';
import {
  type GivenTemplate,
  MessageTemplatesService,
  type TemplateUse,
} from './message-templates.service.js';
import { MessageLinks } from './message-links.js';
import type { EmailEnvelope } from './message.entity.js';

/** The content that the arguments of `send_message` describe. */
export interface GivenContent extends GivenEnvelope {
  /** The subject. Channels with a subject require it, and the other channels refuse it. */
  subject?: string;
  /** The text. Required without `html`. */
  body?: string;
  html?: string;
  /** The template, in place of the subject, the body and the HTML. */
  template?: GivenTemplate;
}

/** The content as it is stored and sent. */
export interface MessageContent extends Partial<TemplateUse> {
  subject: string | null;
  body: string;
  html: string | null;
  envelope: EmailEnvelope | null;
}

/** The message for which content is made. */
export interface ContentTarget {
  readonly organizationId: string;
  /** The id of the message. */
  readonly id: string;
  readonly contact: Contact;
  /** The topic, which contacts can leave. A message without a topic is transactional. */
  readonly topic: string | undefined;
}

/**
 * Makes the content of messages from the arguments of `send_message`. The caller of each method must have opened a
 * transaction of the organization.
 */
@Injectable()
export class MessageContentService {
  constructor(
    private readonly texts: LiquidSandbox,
    private readonly pages: HtmlSandbox,
    private readonly envelopes: EmailEnvelopeService,
    private readonly topics: TopicsService,
    private readonly links: PermissionLinks,
    private readonly templates: MessageTemplatesService,
  ) {}

  /**
   * Finds the version if the content names a template without a version. Throws `not_found` for an unknown template,
   * and `conflict` for a template that was never published.
   */
  async pin<T extends GivenContent>(organizationId: string, given: T): Promise<T> {
    const { template } = given;
    if (template === undefined) return given;
    const from = await this.templates.pin(organizationId, template.from);
    return { ...given, template: { ...template, from } };
  }

  /**
   * Returns the content as it is sent. With variables, its parts are Liquid templates. Without variables they are
   * literal, so untrusted text is never executed. Without a body, the text of the HTML becomes the body. A
   * template replaces all parts. Throws `invalid_arguments`, and `not_found` for an unknown topic or template.
   */
  async compose(
    target: ContentTarget,
    options: ChannelOptions,
    sent: GivenContent,
    variables: object | undefined,
  ): Promise<MessageContent> {
    const { organizationId, contact, topic } = target;
    if (topic !== undefined) await this.topics.get(organizationId, topic);
    const links = this.linksFor(target);
    const own = { contact: ContactView.of(contact), ...links.variables };
    const made =
      sent.template &&
      (await this.templates.render(target, options, sent.template, { variables, own }));
    const given = made ? { ...sent, ...made.texts } : sent;
    const scope = !made && variables ? { ...variables, ...own } : undefined;
    assertSubject(options, given.subject);
    assertCarries(options, {
      from: given.from,
      html: given.html,
      reply_to: given.replyTo,
      in_reply_to: given.inReplyTo,
      attachments: given.attachments,
    });
    if (given.body === undefined && given.html === undefined) {
      throw AppError.invalidField('body', 'is required');
    }
    const rendered = scope ? await this.render(organizationId, given, scope) : given;
    const fillIn = (text?: string): string | undefined =>
      text !== undefined && (scope || made) ? links.fillIn(text) : text;
    const [subject, body, html] = [rendered.subject, rendered.body, rendered.html].map(fillIn);
    const fault = subject === undefined ? undefined : subjectFault(subject);
    if (fault) throw AppError.invalidField('subject', fault);
    if (html !== undefined) assertPart('html', html, LONGEST_HTML_BYTES);
    const text = body ?? (await textOfHtml(html!));
    if (body === undefined && text === '') {
      throw AppError.invalidField('body', 'is required, because the HTML has no text');
    }
    assertPart('body', text, LONGEST_BODY_BYTES);
    const envelope = await this.envelopes.compose(organizationId, given);
    return { subject: subject ?? null, body: text, html: html ?? null, envelope, ...made?.use };
  }

  /**
   * Throws `invalid_arguments` when a part that is a template reads the contact, or computes the name of a variable,
   * which can be `contact`. Without this check, a key that may only send messages could read contacts, because the
   * answer of `send_message` shows the content.
   */
  async assertReadsNoContact(organizationId: string, given: GivenContent): Promise<void> {
    const { subject, body, html } = given;
    const texts = [subject, body].filter((text) => text !== undefined);
    const inTexts = await this.texts.readExpressions(organizationId, texts, []);
    const pages = html === undefined ? [] : [html];
    const inPages = await this.pages.readExpressions(organizationId, pages, []);
    for (const [path, text, found] of [
      ['subject', subject, inTexts],
      ['body', body, inTexts],
      ['html', html, inPages],
    ] as const) {
      if (text === undefined || !readsContact(found.reading(text))) continue;
      const needed = 'so it needs an API key that may call get_contact';
      throw AppError.invalidField(path, `reads the contact, ${needed}`);
    }
  }

  /** Returns the links. A message without a topic has no `unsubscribe_url`, because there is no topic to leave. */
  private linksFor({ organizationId, id, contact, topic }: ContentTarget): MessageLinks {
    const target = { organizationId, contactId: contact.id, messageId: id, topic: '' };
    const preferences = this.links.urlOf('preferences', target);
    if (topic === undefined) return new MessageLinks({ preferences_url: preferences });
    const unsubscribe = this.links.urlOf('unsubscribe', { ...target, topic });
    return new MessageLinks({ preferences_url: preferences, unsubscribe_url: unsubscribe });
  }

  private async render(
    organizationId: string,
    { subject, body, html }: GivenContent,
    scope: object,
  ): Promise<GivenContent> {
    const texts = (template: string): Promise<string> =>
      this.texts.render(organizationId, template, scope);
    return {
      ...(subject !== undefined && { subject: await texts(subject) }),
      ...(body !== undefined && { body: await texts(body) }),
      ...(html !== undefined && { html: await this.pages.render(organizationId, html, scope) }),
    };
  }
}

/** Returns true if a text reads the contact, or a variable whose name is computed. */
function readsContact({ reads }: TemplateReading): boolean {
  return reads.some((path) => path === '' || /^contact(?:\.|$)/.test(path));
}

function assertPart(name: 'body' | 'html', text: string, mostBytes: number): void {
  if (text.trim() === '') throw AppError.invalidField(name, 'must not be empty');
  // Validated arguments contain no U+0000, but a template can produce it: {{ '%00' | url_decode }}.
  if (text.includes('\0')) {
    throw AppError.invalidField(name, 'must not contain the character U+0000');
  }
  if (Buffer.byteLength(text) > mostBytes) {
    throw AppError.invalidField(name, `must have at most ${mostBytes / 1024} KiB`);
  }
}

/** Returns why a subject cannot be sent, or undefined. */
export function subjectFault(subject: string): string | undefined {
  if (subject.trim() === '') return 'must not be empty';
  // A line break would end the header, and the rest of the subject would become another header.
  if (/[\p{Cc}\u2028\u2029]/u.test(subject)) {
    return 'must not contain line breaks or control characters';
  }
  // A bidi control makes mail programs show the characters of the subject, and of the text after it, in another order.
  if (/[\u202a-\u202e\u2066-\u2069]/u.test(subject)) {
    return 'must not contain marks that change the direction of text, such as U+202E';
  }
  return subject.length > LONGEST_SUBJECT
    ? `must have at most ${LONGEST_SUBJECT} characters`
    : undefined;
}
