import { Injectable } from '@nestjs/common';
import type { Actor } from '../accounts/account.js';
import { AppError } from '../errors/app-error.js';
import { pageOf, readCursor, writeCursor } from '../paging/paging.js';
import { newId } from '../text/ids.js';
import { type JsonChange, jsonDiff } from '../text/json-diff.js';
import { type Compilation, ContentCompilerService } from './content-compiler.service.js';
import { parseContent } from './parse-content.js';
import { SnippetsRepository } from './snippets.repository.js';
import type { TemplateContent } from './template-content.js';
import type { TemplateVersion } from './template-version.entity.js';
import { TemplateVersionsRepository, type VersionSummary } from './template-versions.repository.js';
import type { Template } from './template.entity.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

/**
 * The largest number of versions that are kept. Older versions are deleted, and messages that were made from them stay.
 */
const MOST_VERSIONS = 100;

/** Publishes, lists, compares and restores versions. Every method needs a transaction of the organization. */
@Injectable()
export class TemplateVersionsService {
  constructor(
    private readonly editor: TemplatesService,
    private readonly templates: TemplatesRepository,
    private readonly versions: TemplateVersionsRepository,
    private readonly snippets: SnippetsRepository,
    private readonly compiler: ContentCompilerService,
  ) {}

  /** Publishes the draft. Throws `invalid_arguments` with the path, line and column of each fault. */
  async publish(
    organizationId: string,
    id: string,
    { expectedVersion, actor }: { expectedVersion: number | undefined; actor: Actor },
  ): Promise<{ template: Template; version: TemplateVersion }> {
    // The draft is first read without a lock. Compiling takes long, and other calls may read and change the template
    // meanwhile.
    const before = await this.editor.get(organizationId, id);
    const snippets = await this.snippets.contents(organizationId);
    const { content, warnings } = await this.compiler.compile(
      organizationId,
      before.draft,
      snippets,
    );
    const { draftVersion } = before;
    const locked = await this.editor.getForUpdate(
      organizationId,
      id,
      expectedVersion ?? draftVersion,
    );
    if (locked.draftVersion !== draftVersion) {
      throw new AppError('conflict', 'The draft has changed meanwhile. Publish it again.');
    }
    const version = (locked.version ?? 0) + 1;
    const versionId = newId('tpv');
    await this.versions.insert({
      organizationId,
      templateId: id,
      version,
      id: versionId,
      content: locked.draft,
      compiled: content,
      warnings: [...warnings],
      restoredFrom: locked.restoredFrom,
      actorKind: actor.kind,
      actorId: actor.id,
    });
    await this.versions.deleteUpTo(organizationId, id, version - MOST_VERSIONS);
    await this.templates.setPublished(organizationId, id, { version, versionId });
    return {
      template: await this.editor.get(organizationId, id),
      version: await this.get(organizationId, id, version),
    };
  }

  /**
   * Compiles the draft, or content that is not saved, as publishing does. Throws `not_found`, and `invalid_arguments`
   * with the path, line and column of each fault.
   */
  async compileDraft(
    organizationId: string,
    id: string,
    unsaved: { variables: readonly object[]; variants: object } | undefined,
  ): Promise<Compilation> {
    const { draft } = await this.editor.get(organizationId, id);
    const snippets = await this.snippets.contents(organizationId);
    const content = unsaved ? parseContent(unsaved) : draft;
    return await this.compiler.compile(organizationId, content, snippets);
  }

  /** Returns a version of a template. Throws `not_found` for an unknown template or version. */
  async get(organizationId: string, id: string, version: number): Promise<TemplateVersion> {
    const found = await this.versions.find(organizationId, id, version);
    if (found) return found;
    await this.editor.get(organizationId, id);
    throw new AppError(
      'not_found',
      `This template has no version ${version}. List its versions with list_template_versions.`,
    );
  }

  async list(
    organizationId: string,
    id: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ versions: VersionSummary[]; nextCursor: string | null }> {
    await this.editor.get(organizationId, id);
    const before = readVersionCursor(page.cursor);
    const rows = await this.versions.list(organizationId, id, { before, limit: page.limit + 1 });
    const { page: versions, nextCursor } = pageOf(rows, page.limit, (last) =>
      writeCursor([last.version]),
    );
    return { versions, nextCursor };
  }

  /** Returns the differences from one version to another, or to the draft. */
  async diff(
    organizationId: string,
    id: string,
    from: number,
    to: number | undefined,
  ): Promise<JsonChange[]> {
    const before = (await this.get(organizationId, id, from)).content;
    const after =
      to === undefined
        ? (await this.editor.get(organizationId, id)).draft
        : (await this.get(organizationId, id, to)).content;
    return jsonDiff(comparable(before), comparable(after));
  }

  /** Makes the content of a version the draft. */
  async restore(
    organizationId: string,
    id: string,
    version: number,
    expectedVersion: number | undefined,
  ): Promise<Template> {
    await this.editor.getForUpdate(organizationId, id, expectedVersion);
    const { content } = await this.get(organizationId, id, version);
    await this.templates.setDraft(organizationId, id, content, version);
    return await this.editor.get(organizationId, id);
  }
}

/**
 * Returns the content with its variables as members of an object, by their names. So an inserted variable does not
 * count as a change of all later variables.
 */
function comparable({ variables, variants }: TemplateContent): object {
  return { variables: Object.fromEntries(variables.map((one) => [one.name, one])), variants };
}

function readVersionCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [version, ...more] = readCursor(cursor);
  if (Number.isSafeInteger(version) && Number(version) <= 2 ** 31 - 1 && more.length === 0) {
    return Number(version);
  }
  const message = 'was not returned by this tool';
  throw AppError.invalid(`cursor ${message}. Use next_cursor of the previous page.`, [
    { path: 'cursor', message },
  ]);
}
