import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import {
  CreateTemplateInput,
  ListTemplatesInput,
  TemplateIdInput,
  UpdateTemplateInput,
} from './template.inputs.js';
import {
  DeletedTemplate,
  TemplatePage,
  TemplateResult,
  TemplateSummaryView,
  TemplateView,
} from './template.results.js';
import { TemplatesService } from './templates.service.js';

/** Provides the tools by which people and workflows write templates. */
@Injectable()
export class TemplateTools {
  constructor(private readonly templates: TemplatesService) {}

  @Tool({
    name: 'create_template',
    title: 'Create a template',
    description:
      'Creates a template of messages as a draft. send_message can use it after publish_template.',
    output: TemplateResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async create(input: CreateTemplateInput, call: ToolCall): Promise<TemplateResult> {
    const template = await this.templates.create(call.organizationId, input);
    return { template: TemplateView.withDraft(template) };
  }

  @Tool({
    name: 'update_template',
    title: 'Update a template',
    description: 'Changes the draft of a template. The published version stays as it is.',
    output: TemplateResult,
    destructive: true,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async update(input: UpdateTemplateInput, call: ToolCall): Promise<TemplateResult> {
    const { template_id: id, expected_version: expected, ...changes } = input;
    const template = await this.templates.update(call.organizationId, id, changes, expected);
    return { template: TemplateView.withDraft(template) };
  }

  @Tool({
    name: 'get_template',
    title: 'Get a template',
    description: 'Returns a template with its draft and the number of its published version.',
    output: TemplateResult,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async get({ template_id: id }: TemplateIdInput, call: ToolCall): Promise<TemplateResult> {
    return {
      template: TemplateView.withDraft(await this.templates.get(call.organizationId, id)),
    };
  }

  @Tool({
    name: 'list_templates',
    title: 'List templates',
    description: 'Lists templates without their texts, newest first.',
    output: TemplatePage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list({ limit, cursor }: ListTemplatesInput, call: ToolCall): Promise<TemplatePage> {
    const page = await this.templates.list(call.organizationId, { limit, cursor });
    return {
      templates: page.templates.map((template) => TemplateSummaryView.of(template)),
      next_cursor: page.nextCursor,
    };
  }

  @Tool({
    name: 'delete_template',
    title: 'Delete a template',
    description: 'Deletes a template with its versions. Messages that were made from it stay.',
    output: DeletedTemplate,
    destructive: true,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async delete({ template_id: id }: TemplateIdInput, call: ToolCall): Promise<DeletedTemplate> {
    await this.templates.delete(call.organizationId, id);
    return { deleted: true };
  }
}
