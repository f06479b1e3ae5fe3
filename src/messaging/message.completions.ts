import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MOST_COMPLETIONS,
} from '../completions/completion.decorator.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { MessagesService } from './messages.service.js';

/** Completes message ids and addressees. */
@Injectable()
export class MessageCompletions {
  constructor(
    private readonly messages: MessagesService,
    private readonly contacts: ContactsService,
  ) {}

  @Completion({
    resource: 'switchboard://messages/{message_id}',
    argument: 'message_id',
    needs: ['list_messages'],
  })
  messageIds(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.messages.listIdsStartingWith(organizationId, text, MOST_COMPLETIONS + 1);
  }

  /** Returns e-mail addresses, which people recognize, and the id of a contact without one. */
  @Completion({ prompt: 'write_message', argument: 'contact', needs: ['search_contacts'] })
  async addressees(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    const contacts = await this.contacts.listStartingWith(
      organizationId,
      text,
      MOST_COMPLETIONS + 1,
    );
    return contacts.map(({ id, email }) => email ?? id);
  }
}
