import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppError, toError } from '../errors/app-error.js';
import { languageOfRequest } from '../http/page-language.js';
import { PAGE_TEXTS } from './page-texts.js';
import { notFoundPage, sendPage } from './permission-page.js';

const CLIENT_FAULTS: Readonly<Partial<Record<AppError['code'], number>>> = {
  payload_too_large: 413,
  too_complex: 413,
  invalid_json: 400,
  no_consent: 409,
  conflict: 409,
  invalid_arguments: 409,
};

/**
 * Answers every error on the pages for contacts with an HTML page that explains it. It logs no path, because paths
 * contain tokens.
 */
@Catch()
export class PermissionPageFilter implements ExceptionFilter {
  private readonly logger = new Logger('Permission');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const language = languageOfRequest(request);
    const texts = PAGE_TEXTS[language];
    const code = thrown instanceof AppError ? thrown.code : 'internal';
    if (code === 'not_found') {
      sendPage(response, notFoundPage(language, texts));
      return;
    }
    if (thrown instanceof AppError && thrown.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', thrown.retryAfterSeconds);
    }
    if (code === 'rate_limited') {
      sendPage(response, { status: 429, language, title: texts.tooMany });
      return;
    }
    const status = CLIENT_FAULTS[code] ?? (code === 'unavailable' ? 503 : 500);
    // End the connection, so that the server need not read the rest of a body that is too large.
    if (status === 413) response.setHeader('Connection', 'close');
    if (status === 500) this.logger.error(toError(thrown).stack);
    sendPage(response, { status, language, title: texts.failed });
  }
}
