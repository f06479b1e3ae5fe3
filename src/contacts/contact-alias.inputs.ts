import { Doc } from '../tools/schema/doc.decorator.js';
import { Text } from '../tools/schema/fields.js';

export class ListContactAliasesInput {
  @Text({ min: 1, max: 64 })
  contact_id: string;
}

/** The arguments that name a contact and one of its addresses or external ids. */
export class ContactAliasInput {
  @Doc('Exactly one of email, phone and external_id is required.')
  @Text({ min: 1, max: 64 })
  contact_id: string;

  @Text('One e-mail address.', { optional: true, min: 1, max: 254 })
  email?: string;

  @Doc('Phone number in international form, or in national form of the region of the organization.')
  @Text({ optional: true, min: 1, max: 40 })
  phone?: string;

  @Text('Id of this person in another system.', { optional: true, min: 1, max: 255 })
  external_id?: string;
}
