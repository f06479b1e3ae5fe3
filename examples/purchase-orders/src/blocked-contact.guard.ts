import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AppError, ContactsService, type ToolCall } from 'switchboard';

/** Lets only people record a purchase order of a contact with the tag `blocked`. Agents and workflows are refused. */
@Injectable()
export class BlockedContactGuard implements CanActivate {
  constructor(private readonly contacts: ContactsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    // Guards run before validation, so the arguments can have any type.
    const [given, call] = context.getArgs<[{ contact_id?: unknown } | undefined, ToolCall]>();
    const id = given?.contact_id;
    if (call.surface === 'dashboard' || typeof id !== 'string' || !/^\w{1,64}$/.test(id)) {
      return true;
    }
    const contact = await this.contacts.find(call.organizationId, id);
    if (!contact?.tags.includes('blocked')) return true;
    throw new AppError('forbidden', 'This contact is blocked, so a person must make this call.');
  }
}
