import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionGuard, accountOf } from '../accounts/session.guard.js';
import { releaseSession } from '../accounts/sessions.js';
import { OriginGuard } from '../http/origin.guard.js';
import { goneSignal } from '../http/signals.js';
import { ChangeStreamsService } from './change-streams.service.js';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Without this header, a proxy that buffers responses would delay every event.
  'X-Accel-Buffering': 'no',
};

@Controller('api/changes')
@UseGuards(OriginGuard, SessionGuard)
export class ChangeStreamController {
  constructor(private readonly streams: ChangeStreamsService) {}

  /** Sends the names of changed resources of the organization, as server-sent events, until the session ends. */
  @Get()
  async open(@Req() request: Request, @Res() response: Response): Promise<void> {
    const account = accountOf(request);
    const { sessionID: sessionId } = request;
    // A page that is left open must not keep its session alive.
    releaseSession(request);
    if (request.method === 'HEAD') {
      response.writeHead(200, HEADERS).end();
      return;
    }
    await this.streams.serve({
      account,
      sessionId,
      isReconnect: request.headers['last-event-id'] !== undefined,
      output: response,
      gone: goneSignal(response),
      accept: () => response.writeHead(200, HEADERS).flushHeaders(),
    });
  }
}
