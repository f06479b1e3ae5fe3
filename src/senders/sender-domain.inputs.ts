import { Doc } from '../tools/schema/doc.decorator.js';
import { Text } from '../tools/schema/fields.js';

export class ListSenderDomainsInput {}

export class AddSenderDomainInput {
  @Doc('The part of the addresses after the @. Subdomains are domains of their own.', {
    examples: ['acme.example'],
  })
  @Text({ min: 1, max: 253 })
  domain: string;
}

export class SenderDomainIdInput {
  @Text('Id of the domain, snd_….', { min: 1, max: 64 })
  domain_id: string;
}
