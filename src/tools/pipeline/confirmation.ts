import { askForm, type InputRequest } from '../contract/input-request.js';

const MOST_SHOWN = 2000;

/** Nothing to fill in: to accept it is to agree. */
class Agreement {}

/** Asks a person whether a tool may run with these arguments. */
export function confirmationOf(
  title: string,
  input: object,
  isDryRun = false,
): InputRequest<Agreement> {
  const shown = JSON.stringify(input, undefined, 2);
  const cut = shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN).toWellFormed()}…` : shown;
  const question = isDryRun ? 'Allow this to be tried, without effect?' : 'Allow this action?';
  return askForm(`${question} ${title}, with:\n${cut}`, Agreement);
}
