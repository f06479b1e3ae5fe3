import type { Actor } from '../accounts/account.js';
import { PageResult } from '../paging/paging.js';
import type { JsonChange } from '../text/json-diff.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import {
  Choice,
  Flag,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  ObjectList,
  Text,
  TextList,
  Timestamp,
} from '../tools/schema/fields.js';
import type { TemplateVersion } from './template-version.entity.js';
import type { VersionSummary } from './template-versions.repository.js';
import type { Template } from './template.entity.js';
import type { TemplateSummary } from './templates.repository.js';

export class TemplateSummaryView {
  @Text()
  id: string;

  @Text()
  name: string;

  @Text({ nullable: true })
  description: string | null;

  @Integer('Number of the published version; null before the first one.', { nullable: true })
  version: number | null;

  @Integer('Counts the changes of the draft.')
  draft_version: number;

  @TextList('Locales of the draft.')
  locales: string[];

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static of(template: TemplateSummary & { locales: string[] }): TemplateSummaryView {
    return {
      id: template.id,
      name: template.name,
      description: template.description,
      version: template.version,
      draft_version: template.draftVersion,
      locales: template.locales,
      created_at: template.createdAt.toISOString(),
      updated_at: template.updatedAt.toISOString(),
    };
  }
}

export class TemplateView extends TemplateSummaryView {
  @ObjectList('Variables of the draft.')
  variables: object[];

  @JsonObject('Texts of the draft by locale.')
  variants: object;

  @Integer('Version that was restored as the draft; null after a change.', { nullable: true })
  restored_from: number | null;

  static withDraft(template: Template): TemplateView {
    const { variables, variants } = template.draft;
    return {
      ...TemplateSummaryView.of({ ...template, locales: Object.keys(variants) }),
      variables: [...variables],
      variants,
      restored_from: template.restoredFrom,
    };
  }
}

export class TemplateResult {
  @Nested(() => TemplateView)
  template: TemplateView;
}

export class TemplatePage extends PageResult {
  @ListOf(() => TemplateSummaryView)
  templates: TemplateSummaryView[];
}

export class DeletedTemplate {
  @Flag()
  deleted: boolean;
}

export class TemplateWarning {
  @Text()
  path: string;

  @Text('With the line and column.')
  message: string;
}

class TemplateVersionAuthor {
  @Choice(['user', 'key', 'run', 'system'])
  kind: Actor['kind'];

  @Text()
  id: string;
}

export class TemplateVersionSummary {
  @Integer()
  version: number;

  @Timestamp()
  published_at: string;

  @Nested(() => TemplateVersionAuthor)
  published_by: TemplateVersionAuthor;

  @Integer('The number of the earlier version that was restored as this version, if any.', {
    nullable: true,
  })
  restored_from: number | null;

  @ListOf(() => TemplateWarning)
  warnings: TemplateWarning[];

  static of(version: VersionSummary): TemplateVersionSummary {
    return {
      version: version.version,
      published_at: version.createdAt.toISOString(),
      published_by: { kind: version.actorKind, id: version.actorId },
      restored_from: version.restoredFrom,
      warnings: version.warnings,
    };
  }
}

export class TemplateVersionView extends TemplateVersionSummary {
  @ObjectList()
  variables: object[];

  @JsonObject('Texts by locale as the author wrote them.')
  variants: object;

  @JsonObject('Texts by locale as they are rendered: with snippets and inlined CSS.')
  compiled: object;

  static withContent(version: TemplateVersion): TemplateVersionView {
    return {
      ...TemplateVersionSummary.of(version),
      variables: [...version.content.variables],
      variants: version.content.variants,
      compiled: version.compiled.variants,
    };
  }
}

export class PublishedTemplateResult extends TemplateResult {
  @Doc('What an author should know, such as values that are not escaped.')
  @ListOf(() => TemplateWarning)
  warnings: TemplateWarning[];
}

export class TemplateVersionResult {
  @Nested(() => TemplateVersionView)
  version: TemplateVersionView;
}

export class TemplateVersionPage extends PageResult {
  @ListOf(() => TemplateVersionSummary)
  versions: TemplateVersionSummary[];
}

export class TemplateVersionsDiff {
  @Doc(
    '{path, before?, after?} by JSON Pointer: /variants/en/email/subject, /variables/name and so on.',
  )
  @ObjectList()
  changes: object[];

  static of(changes: readonly JsonChange[]): TemplateVersionsDiff {
    return { changes: [...changes] };
  }
}
