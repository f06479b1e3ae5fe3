import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { ImportIdInput, ListImportsInput, StartImportInput } from './import.inputs.js';
import { ImportOutline, ImportPage, ImportResult, ImportView } from './import.results.js';
import type { ContactImport } from './import.entity.js';
import { ImportsService } from './imports.service.js';

/** Provides the tools that turn uploaded files into contacts. */
@Injectable()
export class ImportTools {
  constructor(private readonly imports: ImportsService) {}

  @Tool({
    name: 'start_import',
    title: 'Start an import',
    description:
      'Imports the contacts of a file that was uploaded with POST /api/imports. It continues in the background; get_import ' +
      'shows the progress. With check_only it changes no contact.',
    output: ImportResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async start(input: StartImportInput, call: ToolCall): Promise<ImportResult> {
    const job = await this.imports.start(call.organizationId, input.import_id, {
      mapping: input.mapping,
      matchBy: input.match_by,
      onExisting: input.on_existing,
      isDryRun: input.check_only,
      startsWorkflows: input.start_workflows,
      source: call.surface,
    });
    return await this.show(job);
  }

  @Tool({
    name: 'get_import',
    title: 'Get an import',
    description:
      'Returns the state of an import, its counts, the columns of the file, its first rows and the first rejected rows.',
    output: ImportResult,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async get({ import_id: id }: ImportIdInput, call: ToolCall): Promise<ImportResult> {
    return await this.show(await this.imports.get(call.organizationId, id));
  }

  @Tool({
    name: 'list_imports',
    title: 'List imports',
    description:
      'Lists uploaded CSV files and their imports, newest first. Each is kept for 14 days.',
    output: ImportPage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list({ limit, cursor }: ListImportsInput, call: ToolCall): Promise<ImportPage> {
    const { imports, nextCursor } = await this.imports.list(call.organizationId, { limit, cursor });
    return { imports: imports.map((job) => ImportOutline.of(job)), next_cursor: nextCursor };
  }

  @Tool({
    name: 'cancel_import',
    title: 'Cancel an import',
    description: 'Ends an import that has not ended. Contacts that it has written stay.',
    output: ImportResult,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async cancel({ import_id: id }: ImportIdInput, call: ToolCall): Promise<ImportResult> {
    return await this.show(await this.imports.cancel(call.organizationId, id));
  }

  private async show(job: ContactImport): Promise<ImportResult> {
    const mapping = await this.imports.suggestMapping(job);
    const rejected = await this.imports.firstRejected(job);
    return { import: ImportView.withDetails(job, mapping, rejected) };
  }
}
