import { AppError } from '../../errors/app-error.js';

/**
 * The error for an agent whose call a person must approve. When the agent repeats the call after the approval, the call
 * runs.
 */
export class ConfirmationRequired extends AppError {
  constructor(confirmationId: string, message: string) {
    super('confirmation_required', message, { members: { confirmation_id: confirmationId } });
  }
}
