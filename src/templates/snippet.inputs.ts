import { PageInput } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Text } from '../tools/schema/fields.js';

const LONGEST_CONTENT = 64 * 1024;

export class SnippetIdInput {
  @Text({ min: 1, max: 64 })
  snippet_id: string;
}

export class CreateSnippetInput {
  @Doc("Name by which templates include it: {% render 'footer' %}.", { examples: ['footer'] })
  @Text({ min: 1, max: 64 })
  name: string;

  @Text('Liquid, which can use the variables of the template that includes the snippet.', {
    max: LONGEST_CONTENT,
  })
  content: string;
}

export class UpdateSnippetInput extends SnippetIdInput {
  @Text('Drafts that include the old name can no longer be published.', {
    optional: true,
    min: 1,
    max: 64,
  })
  name?: string;

  @Text({ optional: true, max: LONGEST_CONTENT })
  content?: string;
}

export class ListSnippetsInput extends PageInput {}
