import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { AppError, HTTP_STATUS, UnauthenticatedError, toError } from '../errors/app-error.js';
import { sendJson } from '../http/send-json.js';
import { ERROR_CODES } from './app-error-encoding.js';
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  JsonRpcError,
  PARSE_ERROR,
  encodeError,
} from './json-rpc-error.js';
import { mcpHeadersOf, unreadableId } from './mcp-headers.js';

const TITLES: Partial<Record<number, string>> = {
  [PARSE_ERROR]: 'Parse error: ',
  [INVALID_REQUEST]: 'Invalid Request: ',
};

/** Responds to failures that happen before any member of the message runs. The JSON-RPC error has no id. */
@Catch()
export class McpExceptionFilter implements ExceptionFilter {
  private readonly logger = new Logger('Mcp');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Drop the rest of the body. Otherwise a client that is still sending gets a connection reset and no response.
    request.resume();
    if (thrown instanceof UnauthenticatedError) {
      response.setHeader('WWW-Authenticate', thrown.challenge);
    }
    if (thrown instanceof AppError && thrown.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', thrown.retryAfterSeconds);
    }
    const { status, error } = this.describe(thrown);
    const id = unreadableId(mcpHeadersOf(request.headers).version);
    sendJson(response, status, encodeError(id, error));
  }

  private describe(thrown: unknown): { status: number; error: JsonRpcError } {
    const code = thrown instanceof AppError ? ERROR_CODES[thrown.code].request : INTERNAL_ERROR;
    if (thrown instanceof AppError && code !== INTERNAL_ERROR) {
      const message = `${TITLES[code] ?? ''}${thrown.message}`;
      return { status: HTTP_STATUS[thrown.code], error: new JsonRpcError(code, message) };
    }
    const errorId = randomUUID();
    this.logger.error({ error_id: errorId }, toError(thrown).stack);
    return { status: 500, error: JsonRpcError.internal(errorId) };
  }
}
