import { askForm, type InputRequest } from '../contract/input-request.js';
import type { ToolCall } from '../contract/tool-call.js';
import type { RegisteredTool } from '../registry/registered-tool.js';

/** The largest number of characters of arguments that a person sees before confirming a call. */
const MAX_SHOWN_ARGUMENTS = 2000;

/**
 * Lets the client ask its person, if the client supports it. Whether a person confirms depends on the client: a program
 * with the key can accept the request without a person.
 */
export async function confirm(tool: RegisteredTool, input: object, call: ToolCall): Promise<void> {
  if (call.confirmation === undefined) return;
  const request = confirmationRequest(tool.descriptor.title, input, call.dryRun);
  if (!call.canAsk(request)) return;
  await call.ask({ 'switchboard.confirmation': request });
}

/** A form without fields: a person agrees by accepting it. */
class Agreement {}

function confirmationRequest(
  title: string,
  input: object,
  isDryRun = false,
): InputRequest<Agreement> {
  const json = JSON.stringify(input, undefined, 2);
  const shown =
    json.length > MAX_SHOWN_ARGUMENTS
      ? `${json.slice(0, MAX_SHOWN_ARGUMENTS).toWellFormed()}…`
      : json;
  const kind = isDryRun ? 'dry run' : 'call';
  return askForm(`Confirm this ${kind}: ${title}, with:\n${shown}`, Agreement);
}
