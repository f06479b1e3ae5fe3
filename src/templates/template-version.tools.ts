import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import {
  DiffTemplateVersionsInput,
  ListTemplateVersionsInput,
  PublishTemplateInput,
  RestoreTemplateVersionInput,
  TemplateVersionInput,
} from './template.inputs.js';
import {
  PublishedTemplateResult,
  TemplateResult,
  TemplateVersionPage,
  TemplateVersionResult,
  TemplateVersionSummary,
  TemplateVersionView,
  TemplateVersionsDiff,
  TemplateView,
} from './template.results.js';
import { TemplateVersionsService } from './template-versions.service.js';

/** Provides the tools for published versions of templates. */
@Injectable()
export class TemplateVersionTools {
  constructor(private readonly versions: TemplateVersionsService) {}

  @Tool({
    name: 'publish_template',
    title: 'Publish a template',
    description:
      'Publishes the draft as a new version, which later messages use. Fails with invalid_arguments for texts that are ' +
      'not valid, undeclared variables and unknown snippets; each fault has its path, line and column.',
    output: PublishedTemplateResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async publish(input: PublishTemplateInput, call: ToolCall): Promise<PublishedTemplateResult> {
    const { template_id: id, expected_version: expectedVersion } = input;
    const { organizationId, actor } = call;
    const given = { expectedVersion, actor };
    const { template, version } = await this.versions.publish(organizationId, id, given);
    return { template: TemplateView.withDraft(template), warnings: version.warnings };
  }

  @Tool({
    name: 'list_template_versions',
    title: 'List versions of a template',
    description: 'Lists the published versions of a template, newest first, without their texts.',
    output: TemplateVersionPage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list(input: ListTemplateVersionsInput, call: ToolCall): Promise<TemplateVersionPage> {
    const { template_id: id, limit, cursor } = input;
    const page = await this.versions.list(call.organizationId, id, { limit, cursor });
    return {
      versions: page.versions.map((version) => TemplateVersionSummary.of(version)),
      next_cursor: page.nextCursor,
    };
  }

  @Tool({
    name: 'get_template_version',
    title: 'Get a version of a template',
    description: 'Returns a published version: what its author wrote, and the texts as rendered.',
    output: TemplateVersionResult,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async get(input: TemplateVersionInput, call: ToolCall): Promise<TemplateVersionResult> {
    const { template_id: id, version } = input;
    const found = await this.versions.get(call.organizationId, id, version);
    return { version: TemplateVersionView.withContent(found) };
  }

  @Tool({
    name: 'diff_template_versions',
    title: 'Compare versions of a template',
    description: 'Compares a published version with another one, or with the draft.',
    output: TemplateVersionsDiff,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async diff(input: DiffTemplateVersionsInput, call: ToolCall): Promise<TemplateVersionsDiff> {
    const { template_id: id, from, to } = input;
    return TemplateVersionsDiff.of(await this.versions.diff(call.organizationId, id, from, to));
  }

  @Tool({
    name: 'restore_template_version',
    title: 'Restore a version of a template',
    description: 'Makes the content of a version the draft. Publish it to send it again.',
    output: TemplateResult,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async restore(input: RestoreTemplateVersionInput, call: ToolCall): Promise<TemplateResult> {
    const { template_id: id, version, expected_version: expected } = input;
    const template = await this.versions.restore(call.organizationId, id, version, expected);
    return { template: TemplateView.withDraft(template) };
  }
}
