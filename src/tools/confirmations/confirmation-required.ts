import { AppError } from '../../errors/app-error.js';

/** Tells an agent that a person must approve its call. When the agent repeats the call after that, it runs. */
export class ConfirmationRequired extends AppError {
  constructor(confirmationId: string, message: string) {
    super('confirmation_required', message, { members: { confirmation_id: confirmationId } });
  }
}
