import { FaultList } from '../../errors/fault-list.js';
import { isJsonObject } from '../../text/is-json-object.js';
import type { DefinitionChecker } from './definition-checker.js';
import type { Step } from './definition.js';
import { checkKeys } from './step-fields.js';
import { readStoredSteps } from './stored-steps.js';

/**
 * The mapping of the trigger payload to the contact of a run. The members are fields of `create_contact` and may
 * contain expressions. `on_error` decides whether the run continues when the contact cannot be saved.
 */
export interface ContactMapping {
  on_error?: 'fail' | 'continue';
  [field: string]: string | object | undefined;
}

/** The id of the generated contact step. Ids of a definition contain no dot, so no other step can have this id. */
export const TRIGGER_CONTACT = 'trigger.contact';

/** The fields of `create_contact` that identify a contact. A mapping needs at least one of them. */
export const IDENTIFIERS = ['external_id', 'email', 'phone'];
/** The fields of `create_contact` that are texts. */
export const TEXT_FIELDS = [...IDENTIFIERS, 'first_name', 'last_name', 'locale', 'timezone'];
const FIELDS = [...TEXT_FIELDS, 'tags', 'properties', 'consent'];

/** Parses the form of a mapping. {@link checkContactMapping} checks the values. */
export function parseContactMapping(given: unknown, faults: FaultList): ContactMapping | undefined {
  if (!isJsonObject(given)) {
    faults.push({ path: TRIGGER_CONTACT, message: 'must be an object with fields of a contact' });
    return undefined;
  }
  checkKeys(given, TRIGGER_CONTACT, [...FIELDS, 'on_error'], faults);
  const { on_error: onError = 'fail' } = given;
  if (onError !== 'fail' && onError !== 'continue') {
    const message = 'must be "fail" or "continue"';
    faults.push({ path: `${TRIGGER_CONTACT}.on_error`, message });
  }
  if (!IDENTIFIERS.some((key) => (given[key] ?? '') !== '')) {
    const message = `needs one of ${IDENTIFIERS.join(', ')}`;
    faults.push({ path: TRIGGER_CONTACT, message });
  }
  return given as ContactMapping;
}

/** Adds the faults that a step with the same arguments for `create_contact` would have. */
export function checkContactMapping(
  mapping: ContactMapping,
  checker: DefinitionChecker,
  faults: FaultList,
): void {
  const found = new FaultList();
  const known = Object.entries(mapping).filter(([key]) => FIELDS.includes(key));
  const step = { id: 'mapping', tool: 'create_contact', arguments: Object.fromEntries(known) };
  checker.check([step], found);
  // `found` keeps the first 20 faults. More are not needed, because a response shows at most 20.
  for (const { path, message } of found.first) {
    faults.push({
      path: path.replace(/^steps(\[0\]\.(arguments|tool))?/, TRIGGER_CONTACT),
      message,
    });
  }
}

/**
 * Returns the steps of a run. With a mapping, a generated first step saves the contact. Throws
 * `DefinitionTooLargeError` for a stored mapping that is larger than a definition can be. SQL of a tool can store such
 * a mapping.
 */
export function withContactStep(
  mapping: ContactMapping | null,
  steps: readonly Step[],
): readonly Step[] {
  if (!mapping) return steps;
  const { on_error: stored, ...contact } = mapping;
  // SQL of a tool can store any JSON here. A stored list would be executed as steps that nobody has checked.
  const onError = stored === 'continue' ? 'continue' : 'fail';
  const id = TRIGGER_CONTACT;
  // A contact must be saved even when one field is invalid. Otherwise a wrong phone number would lose the e-mail
  // address too.
  const given = { contact, on_invalid: 'drop' };
  const step: Step = { id, tool: 'set_run_contact', arguments: given, on_error: onError };
  return [...readStoredSteps([step]), ...steps];
}
