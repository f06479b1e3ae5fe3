import { Injectable } from '@nestjs/common';
import { ContactPage, ContactView } from '../contacts/contact.results.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { SegmentMembersService } from './segment-members.service.js';
import type { Segment } from './segment.entity.js';
import {
  CreateSegmentInput,
  ListSegmentContactsInput,
  ListSegmentsInput,
  SegmentContactsInput,
  SegmentIdInput,
  UpdateSegmentInput,
} from './segment.inputs.js';
import {
  AddedToSegment,
  DeletedSegment,
  RemovedFromSegment,
  SegmentPage,
  SegmentResult,
  SegmentView,
} from './segment.results.js';
import { SegmentsService } from './segments.service.js';

/** Provides the tools for segments of contacts. */
@Injectable()
export class SegmentTools {
  constructor(
    private readonly segments: SegmentsService,
    private readonly members: SegmentMembersService,
  ) {}

  @Tool({
    name: 'create_segment',
    title: 'Create a segment',
    description:
      'Creates a segment of contacts: with filters a dynamic one, otherwise a static one for add_to_segment. Contacts that ' +
      'match at first do not emit segment.entered.',
    output: SegmentResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async create(input: CreateSegmentInput, call: ToolCall): Promise<SegmentResult> {
    return await this.show(await this.segments.create(call.organizationId, input));
  }

  @Tool({
    name: 'update_segment',
    title: 'Update a segment',
    description:
      'Changes a segment. After a change of its filters, all contacts are compared again, without events.',
    output: SegmentResult,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async update(
    { segment_id: id, ...changes }: UpdateSegmentInput,
    call: ToolCall,
  ): Promise<SegmentResult> {
    return await this.show(await this.segments.update(call.organizationId, id, changes));
  }

  @Tool({
    name: 'get_segment',
    title: 'Get a segment',
    description: 'Returns a segment with the number of its contacts.',
    output: SegmentResult,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async get({ segment_id: id }: SegmentIdInput, call: ToolCall): Promise<SegmentResult> {
    return await this.show(await this.segments.get(call.organizationId, id));
  }

  @Tool({
    name: 'list_segments',
    title: 'List segments',
    description: 'Lists segments of contacts with the number of their contacts, newest first.',
    output: SegmentPage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list({ limit, cursor }: ListSegmentsInput, call: ToolCall): Promise<SegmentPage> {
    const page = await this.segments.list(call.organizationId, { limit, cursor });
    return {
      segments: page.segments.map((segment) => SegmentView.of(segment)),
      next_cursor: page.nextCursor,
    };
  }

  @Tool({
    name: 'delete_segment',
    title: 'Delete a segment',
    description:
      'Deletes a segment and keeps its contacts. Fails with conflict while another segment or a trigger of a workflow uses it.',
    output: DeletedSegment,
    destructive: true,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async delete({ segment_id: id }: SegmentIdInput, call: ToolCall): Promise<DeletedSegment> {
    await this.segments.delete(call.organizationId, id);
    return { deleted: true };
  }

  @Tool({
    name: 'list_segment_contacts',
    title: 'List the contacts of a segment',
    description: 'Returns the contacts that are in a segment now, newest first.',
    output: ContactPage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async listContacts(
    { segment_id: id, limit, cursor }: ListSegmentContactsInput,
    call: ToolCall,
  ): Promise<ContactPage> {
    const page = await this.segments.listContacts(call.organizationId, id, { limit, cursor });
    return {
      contacts: page.contacts.map((contact) => ContactView.of(contact)),
      next_cursor: page.nextCursor,
    };
  }

  @Tool({
    name: 'add_to_segment',
    title: 'Add contacts to a segment',
    description: 'Adds contacts to a static segment. Each entry emits segment.entered.',
    output: AddedToSegment,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async add(input: SegmentContactsInput, call: ToolCall): Promise<AddedToSegment> {
    const segment = await this.segments.getAndKeep(call.organizationId, input.segment_id);
    const { changed, unknown } = await this.members.add(segment, input.contact_ids);
    return { added: changed, unknown };
  }

  @Tool({
    name: 'remove_from_segment',
    title: 'Remove contacts from a segment',
    description: 'Removes contacts from a static segment. Each exit emits segment.left.',
    output: RemovedFromSegment,
    idempotent: true,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async remove(input: SegmentContactsInput, call: ToolCall): Promise<RemovedFromSegment> {
    const segment = await this.segments.getAndKeep(call.organizationId, input.segment_id);
    const { changed, unknown } = await this.members.remove(segment, input.contact_ids);
    return { removed: changed, unknown };
  }

  private async show(segment: Segment): Promise<SegmentResult> {
    const [counted] = await this.segments.count(segment.organizationId, [segment]);
    return { segment: SegmentView.of(counted!) };
  }
}
