import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { AppError, HTTP_STATUS, toError, UnauthenticatedError } from '../errors/app-error.js';
import { ShownBug } from '../errors/shown-bug.js';

interface Problem {
  status: number;
  code: string;
  detail: string;
  errors?: readonly { path: string; message: string }[];
  error_id?: string;
  [member: string]: unknown;
}

/** Answers every error that no other filter handles, with a body of the type `application/problem+json` (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (thrown instanceof UnauthenticatedError) {
      response.setHeader('WWW-Authenticate', thrown.challenge);
    }
    const problem = this.describe(thrown, request);
    if (thrown instanceof AppError && thrown.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', thrown.retryAfterSeconds);
    }
    response
      .status(problem.status)
      .type('application/problem+json')
      .send(JSON.stringify({ type: 'about:blank', title: problem.code, ...problem }));
  }

  private describe(thrown: unknown, request: Request): Problem {
    if (thrown instanceof AppError && thrown.code !== 'internal') {
      return {
        status: HTTP_STATUS[thrown.code],
        code: thrown.code,
        detail: thrown.message,
        ...thrown.members,
        ...(thrown.details && { errors: thrown.details }),
      };
    }
    const status = statusOf(thrown);
    if (status < 500) return { status, ...(CLIENT_FAULTS[status] ?? CLIENT_FAULTS[400]!) };
    const errorId = randomUUID();
    this.logger.error(
      { error_id: errorId, method: request.method, path: request.path },
      toError(thrown).stack,
    );
    const detail = thrown instanceof ShownBug ? thrown.message : 'Internal error.';
    return { status: 500, code: 'internal', detail, error_id: errorId };
  }
}

const CLIENT_FAULTS: Record<number, { code: string; detail: string }> = {
  400: { code: 'invalid_request', detail: 'The request is not valid. Check its URL and body.' },
  403: { code: 'forbidden', detail: 'You are not allowed to do this.' },
  404: { code: 'not_found', detail: 'There is nothing at this URL. Check the URL.' },
  405: { code: 'method_not_allowed', detail: 'This HTTP method is not allowed here.' },
  413: { code: 'payload_too_large', detail: 'The body is too large. Send a smaller body.' },
  415: { code: 'unsupported_media_type', detail: 'Content-Type must be application/json.' },
};

/** Returns the HTTP status of an error of Nest, Express or its parsers (http-errors), and 500 for every other error. */
function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status = (thrown as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
