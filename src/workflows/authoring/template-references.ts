import type { Fault } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import type { TemplateVariable } from '../../templates/template-content.js';
import type { DeclaredVariables } from '../../templates/published-templates.service.js';
import { checkNames, readValue } from '../../templates/variable-values.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { isDynamic } from '../definitions/step-fields.js';

const SEND = 'send_message';

/** Returns the templates that steps name at any depth. The definition may be invalid, because it is checked later. */
export function templatesNamedIn(given: unknown): string[] {
  if (typeof given !== 'object' || given === null) return [];
  const { tool, arguments: own } = given as { tool?: unknown; arguments?: unknown };
  const name = tool === SEND && isJsonObject(own) ? own.template_id : undefined;
  const named = typeof name === 'string' && !isDynamic(name) ? [name] : [];
  return [...named, ...Object.values(given).flatMap(templatesNamedIn)];
}

/**
 * Returns the faults of the template and its variables in the arguments of a step. Values of expressions are known only
 * in a run, so the run checks them.
 */
export function templateFaults(
  tool: string,
  { template_id: id, variables = {} }: Readonly<Record<string, unknown>>,
  declared: DeclaredVariables,
): readonly Fault[] {
  if (tool !== SEND || typeof id !== 'string' || isDynamic(id)) return [];
  const known = declared.get(id);
  if (known === undefined) {
    return [{ path: 'template_id', message: 'must be the id or name of a template' }];
  }
  if (known === null) {
    return [{ path: 'template_id', message: 'must be a template with a published version' }];
  }
  if (!isJsonObject(variables)) return [];
  const faults = new FaultList();
  checkNames(known, variables, faults);
  for (const variable of known) checkVariable(variable, variables, faults);
  return faults.first;
}

function checkVariable(
  { name, type, default: fallback }: TemplateVariable,
  variables: Readonly<Record<string, unknown>>,
  faults: FaultList,
): void {
  const path = `variables.${name}`;
  const value = (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? fallback;
  if (value === undefined || value === null) {
    faults.push({ path, message: 'has no value, and the template has no default for it' });
  } else if (typeof value === 'string' && isDynamic(value)) return;
  else if (readValue(type, value) === undefined) {
    faults.push({ path, message: `must be a value of the type ${type}` });
  }
}
