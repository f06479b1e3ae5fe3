import { PageResult } from '../paging/paging.js';
import { Flag, ListOf, Nested, Text, Timestamp } from '../tools/schema/fields.js';
import type { Snippet } from './snippet.entity.js';

export class SnippetView {
  @Text()
  id: string;

  @Text()
  name: string;

  @Text()
  content: string;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static of({ id, name, content, createdAt, updatedAt }: Snippet): SnippetView {
    return {
      id,
      name,
      content,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }
}

export class SnippetResult {
  @Nested(() => SnippetView)
  snippet: SnippetView;
}

export class SnippetPage extends PageResult {
  @ListOf(() => SnippetView)
  snippets: SnippetView[];
}

export class DeletedSnippet {
  @Flag()
  deleted: boolean;
}
