import { Controller, Get, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { clientOf } from '../accounts/read-request-origin.js';
import { CallTurns } from '../http/call-turns.js';
import { clientAddress, networkOf } from '../http/client-address.js';
import { readRawBody } from '../http/request-body.js';
import {
  LINK_PATHS,
  type LinkKind,
  type LinkTarget,
  PermissionLinks,
} from '../topics/permission-links.js';
import type { Evidence } from '../topics/topic-subscription.entity.js';
import { type Language, languageOfLocale, languageOfRequest } from '../http/page-language.js';
import { PAGE_TEXTS } from './page-texts.js';
import { sendPage } from './permission-page.js';
import { PermissionPageFilter } from './permission-page.filter.js';
import { type LinkView, PermissionPagesService } from './permission-pages.service.js';

const BODY_LIMIT_BYTES = 16 * 1024;

/**
 * Serves the pages that the links in messages open. There, people see and change which messages they get. GET changes
 * nothing, because mail servers and scanners open every link.
 */
@Controller()
@UseFilters(PermissionPageFilter)
export class PermissionPagesController {
  constructor(
    private readonly pages: PermissionPagesService,
    private readonly links: PermissionLinks,
    private readonly turns: CallTurns,
  ) {}

  @Get(`${LINK_PATHS.unsubscribe}/:token`)
  async showUnsubscribe(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const view = await this.pages.view(this.open('unsubscribe', token, request));
    const { language, texts, topic } = textsOf(view, request);
    sendPage(response, {
      language,
      title: texts.unsubscribeTitle,
      text: texts.unsubscribeAsk(topic),
      button: texts.unsubscribe,
      link: this.preferencesLink(view, texts.choose),
    });
  }

  /** Handles the button of the page and the POST of a mail program (RFC 8058). It ignores the body. */
  @Post(`${LINK_PATHS.unsubscribe}/:token`)
  @HttpCode(200)
  async unsubscribe(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const target = this.open('unsubscribe', token, request);
    const body = await this.readForm(request, target);
    const source = body.has('List-Unsubscribe') ? 'one_click' : 'unsubscribe_link';
    const view = await this.pages.unsubscribe(target, source, evidenceOf(request, target));
    const { language, texts, topic } = textsOf(view, request);
    sendPage(response, {
      language,
      title: texts.unsubscribeTitle,
      result: texts.unsubscribed(topic),
      link: this.preferencesLink(view, texts.choose),
    });
  }

  @Get(`${LINK_PATHS.confirm}/:token`)
  async showConfirm(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const view = await this.pages.view(this.open('confirm', token, request));
    const { language, texts, topic } = textsOf(view, request);
    const { confirmTitle: title, confirm: button } = texts;
    sendPage(response, { language, title, text: texts.confirmAsk(topic), button });
  }

  @Post(`${LINK_PATHS.confirm}/:token`)
  @HttpCode(200)
  async confirm(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const target = this.open('confirm', token, request);
    await this.readForm(request, target);
    const view = await this.pages.confirm(target, evidenceOf(request, target));
    const { language, texts, topic } = textsOf(view, request);
    sendPage(response, {
      language,
      title: texts.confirmTitle,
      result: texts.confirmed(topic),
      link: this.preferencesLink(view, texts.choose),
    });
  }

  @Get(`${LINK_PATHS.preferences}/:token`)
  async showPreferences(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const view = await this.pages.view(this.open('preferences', token, request));
    sendPreferences(response, view, request);
  }

  @Post(`${LINK_PATHS.preferences}/:token`)
  @HttpCode(200)
  async savePreferences(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const target = this.open('preferences', token, request);
    const form = await this.readForm(request, target);
    const choice = {
      shown: new Set(form.getAll('shown')),
      chosen: new Set(form.getAll('topic')),
    };
    const { view, refused } = await this.pages.choose(target, choice, evidenceOf(request, target));
    sendPreferences(response, view, request, refused);
  }

  private open(kind: LinkKind, token: string, request: Request): LinkTarget {
    return this.pages.open(kind, token, clientAddress(request));
  }

  /** Returns the fields of a form. Returns no fields for any other body. Throws `payload_too_large`. */
  private async readForm(
    request: Request,
    { organizationId }: LinkTarget,
  ): Promise<URLSearchParams> {
    const network = networkOf(clientAddress(request));
    const body = await readRawBody(request, BODY_LIMIT_BYTES, (bytes) =>
      this.turns.takeForUnverifiedBody(organizationId, network, bytes),
    );
    const isMultipart = request.headers['content-type']?.startsWith('multipart/form-data') === true;
    // Mail programs send `List-Unsubscribe=One-Click` as multipart or as URL-encoded form data (RFC 8058, section 3.2).
    if (isMultipart && body.includes('name="List-Unsubscribe"')) {
      return new URLSearchParams('List-Unsubscribe=One-Click');
    }
    return new URLSearchParams(body.toString('utf8'));
  }

  private preferencesLink({ target }: LinkView, text: string): { href: string; text: string } {
    const token = this.links.tokenOf('preferences', { ...target, topic: '' });
    // The link is a path and not a whole URL, so that the page works at each address of the installation.
    return { href: `../${LINK_PATHS.preferences}/${token}`, text };
  }
}

function sendPreferences(
  response: Response,
  view: LinkView,
  request: Request,
  /** The titles of the topics that could not be saved. Undefined when nothing was saved. */
  refused?: readonly string[],
): void {
  const { language, texts } = textsOf(view, request);
  const choices = view.subscriptions.map(({ topic, title, description, state }) => ({
    name: topic,
    title,
    description,
    isChosen: state !== 'unsubscribed',
    isPending: state === 'pending',
  }));
  sendPage(response, {
    language,
    title: texts.preferencesTitle,
    text: choices.length > 0 ? texts.preferencesAbout : texts.noTopics,
    ...(refused && {
      result: refused.length > 0 ? texts.partlySaved(refused.join(', ')) : texts.saved,
    }),
    ...(choices.length > 0 && { button: texts.save, choices, unconfirmed: texts.unconfirmed }),
  });
}

/** Returns the texts in the language of the contact, or else of the browser, and the title of the topic of the link. */
function textsOf({ target, contact, subscriptions }: LinkView, request: Request) {
  const language: Language = languageOfLocale(contact.locale) ?? languageOfRequest(request);
  const texts = PAGE_TEXTS[language];
  const found = subscriptions.find(({ topic }) => topic === target.topic);
  return { language, texts, topic: found?.title ?? texts.anyTopic };
}

function evidenceOf(request: Request, { messageId }: LinkTarget): Evidence {
  const { address, client } = clientOf(request);
  return { ip: address, ...(client && { user_agent: client }), message_id: messageId };
}
