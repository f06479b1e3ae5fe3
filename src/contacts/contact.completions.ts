import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MOST_COMPLETIONS,
} from '../completions/completion.decorator.js';
import { ContactsService } from './contacts.service.js';

/** Completes contact ids from the start of an id, a name or an identifier. */
@Injectable()
export class ContactCompletions {
  constructor(private readonly contacts: ContactsService) {}

  @Completion({
    resource: 'switchboard://contacts/{contact_id}',
    argument: 'contact_id',
    needs: ['search_contacts'],
  })
  async contactIds(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    const contacts = await this.contacts.listStartingWith(
      organizationId,
      text,
      MOST_COMPLETIONS + 1,
    );
    return contacts.map(({ id }) => id);
  }
}
