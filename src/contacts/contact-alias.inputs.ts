import { Doc } from '../tools/schema/doc.decorator.js';
import { Text } from '../tools/schema/fields.js';

export class ListContactAliasesInput {
  @Text({ min: 1, max: 64 })
  contact_id: string;
}

/** Declares the contact and one address of it. */
export class ContactAliasInput {
  @Doc('Exactly one of email and phone is required.')
  @Text({ min: 1, max: 64 })
  contact_id: string;

  @Text('One e-mail address.', { optional: true, min: 1, max: 254 })
  email?: string;

  @Doc('Phone number in international form, or in national form of the region of the organization.')
  @Text({ optional: true, min: 1, max: 40 })
  phone?: string;
}
