import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import {
  CreateSnippetInput,
  ListSnippetsInput,
  SnippetIdInput,
  UpdateSnippetInput,
} from './snippet.inputs.js';
import { DeletedSnippet, SnippetPage, SnippetResult, SnippetView } from './snippet.results.js';
import { SnippetsService } from './snippets.service.js';

/** Provides the tools for pieces of text that templates have in common. */
@Injectable()
export class SnippetTools {
  constructor(private readonly snippets: SnippetsService) {}

  @Tool({
    name: 'create_snippet',
    title: 'Create a snippet',
    description:
      'Creates a piece of text that templates include by its name. A published template has a copy of it.',
    output: SnippetResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async create(input: CreateSnippetInput, call: ToolCall): Promise<SnippetResult> {
    return { snippet: SnippetView.of(await this.snippets.create(call.organizationId, input)) };
  }

  @Tool({
    name: 'update_snippet',
    title: 'Update a snippet',
    description:
      'Changes a snippet. Published templates keep their copy until they are published again.',
    output: SnippetResult,
    destructive: true,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async update(
    { snippet_id: id, ...changes }: UpdateSnippetInput,
    call: ToolCall,
  ): Promise<SnippetResult> {
    return {
      snippet: SnippetView.of(await this.snippets.update(call.organizationId, id, changes)),
    };
  }

  @Tool({
    name: 'list_snippets',
    title: 'List snippets',
    description: 'Lists snippets with their content, newest first.',
    output: SnippetPage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list({ limit, cursor }: ListSnippetsInput, call: ToolCall): Promise<SnippetPage> {
    const page = await this.snippets.list(call.organizationId, { limit, cursor });
    return {
      snippets: page.snippets.map((snippet) => SnippetView.of(snippet)),
      next_cursor: page.nextCursor,
    };
  }

  @Tool({
    name: 'delete_snippet',
    title: 'Delete a snippet',
    description:
      'Deletes a snippet. Published templates keep their copy; drafts that include it cannot be published.',
    output: DeletedSnippet,
    destructive: true,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async delete({ snippet_id: id }: SnippetIdInput, call: ToolCall): Promise<DeletedSnippet> {
    await this.snippets.delete(call.organizationId, id);
    return { deleted: true };
  }
}
