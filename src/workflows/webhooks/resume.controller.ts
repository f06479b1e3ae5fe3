import { All, Controller, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readJsonBody } from '../../http/request-body.js';
import { NO_RUN, RESUME_PATH } from './malformed-webhook-path.js';
import { ResumesService } from './resumes.service.js';
import { WebhookErrorFilter } from './webhook-error.filter.js';

const BODY_LIMIT_BYTES = 1024 * 1024;

interface Resumed {
  ok: true;
  duplicate?: true;
}

interface Refused {
  ok: false;
  error: { code: string; message: string };
}

/** Where other systems let a run go on that waits for them. Whoever has the URL may, once. */
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
  ): Promise<Resumed | Refused> {
    const resumed = await this.resumes.resume(token, () => readJsonBody(request, BODY_LIMIT_BYTES));
    response.setHeader('Cache-Control', 'no-store');
    if (resumed === 'stored') return { ok: true };
    if (resumed === 'duplicate') {
      response.status(200);
      return { ok: true, duplicate: true };
    }
    // Not the 404 of a wrong URL: who has a right one knows of the run already, and is told to stop trying.
    response.status(410);
    return { ok: false, error: { code: 'over', message: 'The run does not wait here any more.' } };
  }

  /** Programs that look at links in mails follow them with GET, so that changes nothing. */
  @All(':token')
  refuse(@Res() response: Response): void {
    const error = { code: 'method_not_allowed', message: 'Let the run go on with POST.' };
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
