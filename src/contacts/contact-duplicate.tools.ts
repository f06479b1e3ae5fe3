import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { FindDuplicatesInput } from './contact-duplicate.inputs.js';
import { DuplicatePage, DuplicateView } from './contact-duplicate.results.js';
import { ContactDuplicatesService } from './contact-duplicates.service.js';
import { DUPLICATE_REASONS } from './duplicate-reasons.js';

/** Provides the search for contacts that may be one person. */
@Injectable()
export class ContactDuplicateTools {
  constructor(private readonly duplicates: ContactDuplicatesService) {}

  @Tool({
    name: 'find_duplicates',
    title: 'Find duplicate contacts',
    description:
      'Proposes pairs of contacts that may be one person, with the reason. It changes nothing. If several ' +
      'contacts share a value, each of them is paired with the oldest.',
    output: DuplicatePage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async find(input: FindDuplicatesInput, call: ToolCall): Promise<DuplicatePage> {
    const { pairs, nextCursor } = await this.duplicates.list(
      call.organizationId,
      input.reason ? [input.reason] : DUPLICATE_REASONS,
      { limit: input.limit, cursor: input.cursor },
    );
    return { duplicates: pairs.map((pair) => DuplicateView.of(pair)), next_cursor: nextCursor };
  }
}
