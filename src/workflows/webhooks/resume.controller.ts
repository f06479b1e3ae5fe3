import { All, Controller, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readJsonBody } from '../../http/request-body.js';

import { ResumesService } from './resumes.service.js';
import { WebhookErrorFilter } from './webhook-error.filter.js';
import { NO_RUN, RESUME_PATH } from './webhook.js';

const BODY_LIMIT_BYTES = 1024 * 1024;

interface ResumeAnswer {
  ok: true;
  duplicate?: true;
}

interface RefusalAnswer {
  ok: false;
  error: { code: string; message: string };
}

/** Receives calls of resume URLs. Anybody who has a URL may resume its step, once. */
@Controller(RESUME_PATH)
@UseFilters(WebhookErrorFilter)
export class ResumeController {
  constructor(private readonly resumes: ResumesService) {}

  @Post(':token')
  @HttpCode(202)
  async resume(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ResumeAnswer | RefusalAnswer> {
    const resumed = await this.resumes.resume(token, () => readJsonBody(request, BODY_LIMIT_BYTES));
    response.setHeader('Cache-Control', 'no-store');
    if (resumed === 'stored') return { ok: true };
    if (resumed === 'duplicate') {
      response.status(200);
      return { ok: true, duplicate: true };
    }
    // A 410 and not the 404 of a wrong URL, so that the caller stops trying. It knew of the run anyway.
    response.status(410);
    return { ok: false, error: { code: 'over', message: 'The run does not wait here any more.' } };
  }

  /** GET must not resume a run: mail scanners follow the links in e-mails. */
  @All(':token')
  refuse(@Res() response: Response): void {
    const error = { code: 'method_not_allowed', message: 'Resume the run with POST.' };
    response
      .status(405)
      .setHeader('Allow', 'POST')
      .setHeader('Cache-Control', 'no-store')
      .json({ ok: false, error });
  }

  @All()
  refuseAll(@Res() response: Response): void {
    response
      .status(404)
      .setHeader('Cache-Control', 'no-store')
      .json({ ok: false, error: { code: 'not_found', message: NO_RUN } });
  }
}
