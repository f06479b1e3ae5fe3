import { All, Controller, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { TakeTurn } from '../../http/body-chunks.js';
import { CallTurns } from '../../http/call-turns.js';
import { clientAddress } from '../../http/client-address.js';
import { readRawBody } from '../../http/request-body.js';
import type { WebhookFormat } from '../definitions/webhook-formats.js';
import { readContentType } from './bodies/content-type.js';
import { readPayload } from './bodies/read-payload.js';
import { sendResumePage, wantsPage } from './resume-page.js';
import { ResumesService } from './resumes.service.js';
import { WebhookErrorFilter } from './webhook-error.filter.js';
import { NO_RUN, RESUME_PATH, sendError } from './webhook.js';

const BODY_LIMIT_BYTES = 1024 * 1024;
/**
 * The formats of a body. Forms are accepted, so that a page with a form can resume a run. Browsers send forms to every
 * site, but JSON only to the site of the page.
 */
const FORMATS: readonly WebhookFormat[] = ['form'];

/** Receives calls of resume URLs. Anybody who has a URL may resume its step, once. */
@Controller(RESUME_PATH)
@UseFilters(WebhookErrorFilter)
export class ResumeController {
  constructor(
    private readonly resumes: ResumesService,
    private readonly turns: CallTurns,
  ) {}

  @Post(':token')
  async resume(
    @Param('token') token: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const resumed = await this.resumes.resume(token, {
      readBody: async (organizationId) => {
        const type = readContentType(request.headers, FORMATS);
        const takeTurn: TakeTurn = (bytes) => this.turns.takeForBody(organizationId, bytes);
        const body = await readRawBody(request, BODY_LIMIT_BYTES, takeTurn);
        const rules = { formats: FORMATS, unwrapsPayload: false, takeTurn };
        return async () => (await readPayload(body, type, rules)).payload;
      },
      address: clientAddress(request),
    });
    // The status of `over` is 410, and not the 404 of a wrong URL, so that the caller stops trying. The status reveals
    // nothing, because the URL is signed.
    const status = { stored: 202, duplicate: 200, over: 410 }[resumed];
    if (wantsPage(request)) sendResumePage(request, response, status, resumed);
    else if (resumed === 'over') {
      sendError(response, status, 'over', 'The run no longer waits for this call.');
    } else {
      response
        .status(status)
        .json(resumed === 'stored' ? { ok: true } : { ok: true, duplicate: true });
    }
  }

  /** Refuses GET, because mail scanners follow the links in e-mails and would resume runs. */
  @All(':token')
  refuse(@Res() response: Response): void {
    response.setHeader('Allow', 'POST');
    sendError(response, 405, 'method_not_allowed', 'Resume the run with POST.');
  }

  @All()
  refuseAll(@Res() response: Response): void {
    sendError(response, 404, 'not_found', NO_RUN);
  }
}
