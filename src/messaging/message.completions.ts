import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MOST_COMPLETIONS,
} from '../completions/completion.decorator.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { MessagesService } from './messages.service.js';

/** Proposes messages by their ids, and whom to write to. */
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
    return this.messages.idsStartingWith(organizationId, text, MOST_COMPLETIONS + 1);
  }

  /** An address says more to a person than an id; who has none is left the id. */
  @Completion({ prompt: 'write_message', argument: 'contact', needs: ['search_contacts'] })
  async addressees(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    const found = await this.contacts.listStartingWith(organizationId, text, MOST_COMPLETIONS + 1);
    return found.map(({ id, email }) => email ?? id);
  }
}
