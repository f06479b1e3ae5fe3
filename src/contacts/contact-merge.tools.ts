import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import {
  ListContactMergesInput,
  MergeContactsInput,
  UnmergeContactsInput,
} from './contact-merge.inputs.js';
import {
  ContactMergeList,
  MergeContactsResult,
  UnmergeContactsResult,
} from './contact-merge.results.js';
import { ContactMergesService } from './contact-merges.service.js';

/** Provides the tools that merge two contacts, undo a merge, and list merges. */
@Injectable()
export class ContactMergeTools {
  constructor(private readonly merges: ContactMergesService) {}

  @Tool({
    name: 'merge_contacts',
    title: 'Merge two contacts',
    description:
      'Merges the contact other_id into contact_id, which stays. It keeps its values, and gets missing values, messages, ' +
      'runs, aliases, and the stricter consent of each channel. Then both ids mean this contact. A dry run shows what ' +
      'would move and which values win. unmerge_contacts can undo the merge for 30 days.',
    output: MergeContactsResult,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async merge(input: MergeContactsInput, call: ToolCall): Promise<MergeContactsResult> {
    const { contact_id: contactId, other_id: otherId } = input;
    return MergeContactsResult.of(await this.merges.merge(call.organizationId, contactId, otherId));
  }

  @Tool({
    name: 'unmerge_contacts',
    title: 'Undo a merge of contacts',
    description:
      'Restores a contact merged within the last 30 days, with its values, messages, runs and aliases before the ' +
      'merge. Later changes, messages and runs stay with the other contact. Both contacts have the stricter consent.',
    output: UnmergeContactsResult,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async unmerge(input: UnmergeContactsInput, call: ToolCall): Promise<UnmergeContactsResult> {
    return UnmergeContactsResult.of(
      await this.merges.unmerge(call.organizationId, input.merged_id),
    );
  }

  @Tool({
    name: 'list_contact_merges',
    title: 'List the merges into a contact',
    description:
      'Returns the newest 50 contacts that were merged into a contact and can be restored with unmerge_contacts.',
    output: ContactMergeList,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list(input: ListContactMergesInput, call: ToolCall): Promise<ContactMergeList> {
    return ContactMergeList.of(await this.merges.list(call.organizationId, input.contact_id));
  }
}
