import { PageInput } from '../paging/paging.js';
import { Choice, Text } from '../tools/schema/fields.js';
import { ADDRESS_CHANNELS, type AddressChannel } from './suppressions.service.js';

export class SuppressionInput {
  @Choice(ADDRESS_CHANNELS)
  channel: AddressChannel = 'email';

  @Text('E-mail address, or phone number for the channel sms.', { min: 1, max: 254 })
  address: string;
}

export class ListSuppressionsInput extends PageInput {
  @Choice(ADDRESS_CHANNELS, { optional: true })
  channel?: AddressChannel;
}
