import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { TextCompiler } from '../liquid/text-compiler.js';
import { PreparedVersion } from './prepared-version.js';
import type { TemplateVariable } from './template-content.js';
import { TemplateVersionsRepository } from './template-versions.repository.js';
import { TemplatesRepository } from './templates.repository.js';
import { VersionCache } from './version-cache.js';

/** A published version, which never changes. */
export interface PinnedTemplate {
  readonly id: string;
  readonly version: number;
  readonly versionId: string;
  /** The language of contacts without a locale. */
  readonly defaultLocale: string | null;
}

/** The variables of templates by their ids and names. Null for a template without a published version. */
export type DeclaredVariables = ReadonlyMap<string, readonly TemplateVariable[] | null>;

/**
 * Finds published versions and keeps them parsed. Parsing takes longer than rendering. Every method needs a transaction
 * of the organization.
 */
@Injectable()
export class PublishedTemplatesService {
  /** The versions by their ids, which are unique even among versions that were rolled back. */
  private readonly cache = new VersionCache();

  constructor(
    private readonly templates: TemplatesRepository,
    private readonly versions: TemplateVersionsRepository,
    private readonly compiler: TextCompiler,
  ) {}

  /**
   * Returns the newest published version. Throws `not_found` for an unknown id or name, and `conflict` for a template
   * that was never published.
   */
  async get(organizationId: string, idOrName: string): Promise<PinnedTemplate> {
    const found = await this.templates.findPublished(organizationId, idOrName);
    if (!found) {
      throw new AppError(
        'not_found',
        'No template has this id or name. People see all templates under Templates.',
      );
    }
    const { id, name, version, versionId, defaultLocale } = found;
    if (version !== null && versionId !== null) return { id, version, versionId, defaultLocale };
    throw new AppError(
      'conflict',
      `The template ${name} has no published version yet. Publish it first.`,
    );
  }

  /** Returns this version of a template. Throws `invalid_arguments` when the version was deleted. */
  async getVersion(organizationId: string, id: string, version: number): Promise<PinnedTemplate> {
    const versionId = await this.versions.findId(organizationId, id, version);
    if (versionId !== undefined) return { id, version, versionId, defaultLocale: null };
    throw AppError.invalidField('template_id', `no longer has the version ${version}`);
  }

  /** Returns the variables of those given templates that exist. */
  async declared(
    organizationId: string,
    idsOrNames: readonly string[],
  ): Promise<DeclaredVariables> {
    if (idsOrNames.length === 0) return new Map();
    const found = await this.templates.findDeclared(organizationId, [...new Set(idsOrNames)]);
    const names = found.map(({ name, variables }) => [name, variables] as const);
    // A name may be the id of another template. Then the template with this id is used.
    return new Map([...names, ...found.map(({ id, variables }) => [id, variables] as const)]);
  }

  /** Returns the version with its texts. */
  async read(
    organizationId: string,
    { id, version, versionId }: PinnedTemplate,
  ): Promise<PreparedVersion> {
    const key = `${organizationId} ${versionId}`;
    const known = this.cache.get(key);
    if (known) return known;
    const content = await this.versions.findCompiled(organizationId, id, version);
    if (!content) throw AppError.notFound('template');
    const prepared = new PreparedVersion(content, this.compiler, this.cache.textsOf(key));
    this.cache.set(key, prepared, content);
    return prepared;
  }
}
