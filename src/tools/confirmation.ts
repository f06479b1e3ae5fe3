import { askForm, type InputRequest } from './input-request.js';

const MOST_SHOWN = 2000;

/** Nothing to fill in: to accept it is to agree. */
class Agreement {}

/** Asks a person whether a tool may run with these arguments. */
export function confirmationOf(title: string, input: object): InputRequest<Agreement> {
  const shown = JSON.stringify(input, undefined, 2);
  const cut = shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN).toWellFormed()}…` : shown;
  return askForm(`Allow this action? ${title}, with:\n${cut}`, Agreement);
}
