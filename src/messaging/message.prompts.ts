import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MAX_COMPLETIONS,
} from '../completions/completion.decorator.js';
import type { Contact } from '../contacts/contact.entity.js';
import { ContactView } from '../contacts/contact.results.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { CAUTION, dataMessage } from '../prompts/data-message.js';
import { Prompt, type PromptResult } from '../prompts/prompt.decorator.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { WriteMessageInput } from './message.inputs.js';
import { MessageView } from './message.results.js';
import { MessagesService } from './messages.service.js';

const EARLIER_MESSAGES = 5;
const LONGEST_CONTACT = 16_000;
const LONGEST_MESSAGE = 4000;

/** Provides the prompt `write_message` and the completions of addressees and message ids. */
@Injectable()
export class MessagePrompts {
  constructor(
    private readonly contacts: ContactsService,
    private readonly messages: MessagesService,
  ) {}

  @Completion({
    resource: 'switchboard://messages/{message_id}',
    argument: 'message_id',
    needs: ['list_messages'],
  })
  completeMessageId(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.messages.listIdsStartingWith(organizationId, text, MAX_COMPLETIONS + 1);
  }

  /** Suggests e-mail addresses, which people recognize, and the id of a contact without an address. */
  @Completion({ prompt: 'write_message', argument: 'contact', needs: ['search_contacts'] })
  async completeContact(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    const limit = MAX_COMPLETIONS + 1;
    const contacts = await this.contacts.listStartingWith(organizationId, text, limit);
    return contacts.map(({ id, email }) => email ?? id);
  }

  @Prompt({
    name: 'write_message',
    title: 'Write a message to a contact',
    description:
      'Drafts an e-mail to one contact from its fields and its earlier messages, and sends it after you agree.',
    needs: ['get_contact', 'list_messages', 'send_message'],
  })
  async writeMessage(input: WriteMessageInput, call: ToolCall): Promise<PromptResult> {
    const { organizationId } = call;
    const given = input.contact.trim();
    const key = given.includes('@') ? { email: given } : { contact_id: given };
    const contact = await this.contacts.getBy(organizationId, key);
    const messages = await this.messages.listNewest(organizationId, contact.id, EARLIER_MESSAGES);
    const uri = `switchboard://contacts/${contact.id}`;
    return {
      description: `Writes to the contact ${contact.id}.`,
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: writeInstructions(contact, uri, input.goal) },
        },
        dataMessage(uri, ContactView.of(contact), LONGEST_CONTACT),
        ...messages.map((message) =>
          dataMessage(
            `switchboard://messages/${message.id}`,
            MessageView.of(message),
            LONGEST_MESSAGE,
          ),
        ),
      ],
    };
  }
}

// The instructions contain ids and no names, because a name can contain instructions of a stranger.
function writeInstructions(contact: Contact, uri: string, goal: string): string {
  return [
    `Write an e-mail to the contact that is attached as ${uri}. Its goal, in my words:`,
    goal,
    findObstacle(contact) ??
      [
        '1. Use the attached contact and the attached messages to and from it, which are sorted newest ' +
          'first. Invent nothing, and do not repeat what was already sent.',
        "2. Write plain text in the contact's language (locale; without one, the language of my words above), as " +
          'short as the goal allows, with a subject of one line. Leave no placeholders.',
        '3. Show me the subject and the body, and wait until I agree or ask for changes.',
        `4. Then call send_message with contact_id "${contact.id}", the subject, the body and a new idempotency_key; ` +
          'use the same key again if you have to repeat the call, so that it is sent once.',
        '5. Tell me its status with get_message, and if it failed, why.',
      ].join('\n'),
    CAUTION,
  ].join('\n\n');
}

function findObstacle(contact: Contact): string | undefined {
  if (contact.email === null) {
    return 'This contact has no e-mail address, so send_message would refuse. Ask me for one (update_contact adds it) before you write.';
  }
  if (contact.consent.email?.status === 'denied') {
    return 'This contact has denied consent to e-mail, so send_message would refuse. Tell me so, and do not try another way.';
  }
  return undefined;
}
