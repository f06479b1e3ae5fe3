import { AppError } from '../../errors/app-error.js';

/** Tells an agent that a person must approve its call. The same call, repeated after that, runs. */
export class ConfirmationRequired extends AppError {
  constructor(confirmationId: string, message: string) {
    super('confirmation_required', message, { members: { confirmation_id: confirmationId } });
  }
}
