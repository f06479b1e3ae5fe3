import { AppError } from '../errors/app-error.js';
import type { ToolCall } from './tool-call.js';

/** For callers that can neither be asked nor be told of progress: workflows, people, and clients of before MCP 2026-07-28. */
export const SILENT_CALLER: Pick<ToolCall, 'report' | 'canAsk' | 'ask'> = {
  report: () => undefined,
  canAsk: () => false,
  ask: () => {
    throw new AppError(
      'forbidden',
      'A person must answer a question first, and this caller cannot be asked: use a client of MCP 2026-07-28 that supports elicitation.',
    );
  },
};
