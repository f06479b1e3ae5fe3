import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { PreviewTemplateInput, TemplateTestInput } from './template-preview.inputs.js';
import {
  TemplatePreviewResult,
  TemplateTestResult,
  type TestStatus,
} from './template-preview.results.js';
import { type PreviewRequest, TemplatePreviewsService } from './template-previews.service.js';
import { TemplateTestsService } from './template-tests.service.js';

/** Provides the tools that show templates as messages. */
@Injectable()
export class TemplatePreviewTools {
  constructor(
    private readonly previews: TemplatePreviewsService,
    private readonly tests: TemplateTestsService,
  ) {}

  @Tool({
    name: 'preview_template',
    title: 'Preview a template',
    description:
      'Renders the draft or a version of a template for a contact, and sends nothing. Fails with invalid_arguments, as ' +
      'publish_template does, for a draft that cannot be published.',
    output: TemplatePreviewResult,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async preview(input: PreviewTemplateInput, call: ToolCall): Promise<TemplatePreviewResult> {
    const request = { ...requestOf(input), draft: input.draft };
    const { email, sms, missing, faults, warnings } = await this.previews.preview(
      call.organizationId,
      request,
    );
    return {
      email: email
        ? {
            locale: email.locale,
            subject: email.subject ?? '',
            html: email.html ?? null,
            text: email.text,
          }
        : null,
      sms: sms ? { locale: sms.locale, text: sms.text } : null,
      missing: [...missing],
      faults: [...faults],
      warnings: [...warnings],
    };
  }

  @Tool({
    name: 'send_template_test',
    title: 'Send a test of a template',
    description:
      'Sends the e-mail of the draft or of a version to the address of the signed-in person. It counts as a message.',
    output: TemplateTestResult,
    external: true,
    surfaces: ['dashboard'],
  })
  async sendTest(input: TemplateTestInput, call: ToolCall): Promise<TemplateTestResult> {
    const { organizationId, actor, signal } = call;
    if (actor.kind !== 'user') {
      throw new AppError('forbidden', 'Only a signed-in person gets test messages.');
    }
    const message = await this.tests.send(organizationId, actor.id, requestOf(input), signal);
    return {
      message_id: message.id,
      to: message.recipient ?? '',
      status: message.status as TestStatus,
      reason: message.reasonCode === null ? null : message.statusReason,
      reason_code: message.reasonCode,
    };
  }
}

function requestOf(input: TemplateTestInput): PreviewRequest {
  return {
    templateId: input.template_id,
    ...(input.version !== undefined && { version: input.version }),
    ...(input.locale !== undefined && { locale: input.locale }),
    ...(input.contact_id !== undefined && { contactId: input.contact_id }),
    ...(input.variables !== undefined && { variables: input.variables }),
  };
}
