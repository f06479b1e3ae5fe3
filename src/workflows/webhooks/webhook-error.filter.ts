import { randomUUID } from 'node:crypto';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import type { Response } from 'express';
import { AppError, toError } from '../../errors/app-error.js';
import { sendError, webhookStatus } from './webhook.js';

/** Answers every error of a webhook as `{ok: false, error}`. */
@Catch()
export class WebhookErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Webhook');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, code, message } = this.describe(thrown);
    if (thrown instanceof AppError && thrown.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', thrown.retryAfterSeconds);
    }
    // End the connection, so that the server need not read the rest of a body that is too large.
    if (status === 413) response.setHeader('Connection', 'close');
    sendError(response, status, code, message);
  }

  private describe(thrown: unknown): { status: number; code: string; message: string } {
    if (thrown instanceof AppError && thrown.code !== 'internal') {
      return { status: webhookStatus(thrown.code), code: thrown.code, message: thrown.message };
    }
    if (thrown instanceof HttpException && thrown.getStatus() < 500) {
      const message = 'The request is not valid.';
      return { status: thrown.getStatus(), code: 'invalid_request', message };
    }
    const errorId = randomUUID();
    this.logger.error({ error_id: errorId }, toError(thrown).stack);
    return { status: 500, code: 'internal', message: `Internal error ${errorId}.` };
  }
}
