import { Text } from '../tools/schema/fields.js';

export class EmittedEventResult {
  @Text()
  event_id: string;
}
