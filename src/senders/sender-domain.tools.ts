import { Injectable, UseGuards } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import {
  AddSenderDomainInput,
  ListSenderDomainsInput,
  SenderDomainIdInput,
} from './sender-domain.inputs.js';
import {
  RemovedSenderDomain,
  SenderDomainList,
  SenderDomainResult,
  SenderDomainView,
} from './sender-domain.results.js';
import { SenderDomainsService } from './sender-domains.service.js';

/** Provides the tools by which owners prove that they own domains. */
@Injectable()
export class SenderDomainTools {
  constructor(private readonly domains: SenderDomainsService) {}

  @Tool({
    name: 'list_sender_domains',
    title: 'List sender domains',
    description:
      'Returns the domains from whose addresses e-mails can be sent, with their records.',
    output: SenderDomainList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListSenderDomainsInput, call: ToolCall): Promise<SenderDomainList> {
    const domains = await this.domains.list(call.organizationId);
    return { domains: domains.map((domain) => SenderDomainView.of(domain)) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'add_sender_domain',
    title: 'Add a sender domain',
    description:
      'Adds a domain and returns the TXT records to publish: one proves the ownership, the other has the public DKIM ' +
      'key. Then call verify_sender_domain.',
    output: SenderDomainResult,
    surfaces: ['dashboard'],
  })
  async add({ domain }: AddSenderDomainInput, call: ToolCall): Promise<SenderDomainResult> {
    const added = await this.domains.add(call.organizationId, domain, call.actor.id);
    return { domain: SenderDomainView.of(added) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'verify_sender_domain',
    title: 'Verify a sender domain',
    description:
      'Looks up the records of a domain. E-mails can be sent from addresses of the domain after the record that proves ' +
      'the ownership has been found. They are signed after the record of a DKIM key has been found.',
    output: SenderDomainResult,
    external: true,
    surfaces: ['dashboard'],
  })
  async verify(
    { domain_id: id }: SenderDomainIdInput,
    call: ToolCall,
  ): Promise<SenderDomainResult> {
    const domain = await this.domains.verify(call.organizationId, id, call.signal);
    return { domain: SenderDomainView.of(domain) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'rotate_sender_key',
    title: 'Rotate a DKIM key',
    description:
      'Makes the next DKIM key of a domain. The current key signs until verify_sender_domain, or the daily look-up, ' +
      'finds the record of the next key.',
    output: SenderDomainResult,
    surfaces: ['dashboard'],
  })
  async rotate(
    { domain_id: id }: SenderDomainIdInput,
    call: ToolCall,
  ): Promise<SenderDomainResult> {
    return { domain: SenderDomainView.of(await this.domains.rotateKey(call.organizationId, id)) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'remove_sender_domain',
    title: 'Remove a sender domain',
    description:
      'Removes a domain with its keys. Unsent messages from its addresses fail. Adding it again makes ' +
      'new records.',
    output: RemovedSenderDomain,
    destructive: true,
    surfaces: ['dashboard'],
  })
  async remove(
    { domain_id: id }: SenderDomainIdInput,
    { organizationId }: ToolCall,
  ): Promise<RemovedSenderDomain> {
    await this.domains.remove(organizationId, id);
    return { removed: id };
  }
}
