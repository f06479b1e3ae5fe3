import type { Fault } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { didYouMean } from '../../text/nearest-names.js';
import { isDynamic } from '../definitions/step-fields.js';
import { collect, rootOf } from '../definitions/steps/step-checks.js';

const MAX_BYTES = 16 * 1024;
const ROOTS = ['trigger', 'run', 'workflow'];

/** Adds a fault for everything that could not be said of any run of these steps. */
export function checkResultTemplate(
  template: object,
  stepIds: readonly string[],
  liquid: LiquidSandbox,
  faults: Fault[],
): void {
  if (Buffer.byteLength(JSON.stringify(template)) > MAX_BYTES) {
    faults.push({ path: 'result', message: `must be at most ${MAX_BYTES} bytes of JSON` });
    return;
  }
  const known = [...ROOTS, ...stepIds];
  checkValue(template, 'result', (text, path) => {
    collect(path, faults, () => {
      liquid.parse(text);
      for (const root of new Set(liquid.references(text).map(rootOf))) {
        if (known.includes(root)) continue;
        const near = didYouMean(root, known);
        const message = `refers to "${root}", which is neither ${ROOTS.join(', ')} nor a step.${near}`;
        faults.push({ path, message });
      }
    });
  });
}

function checkValue(
  value: unknown,
  path: string,
  checkText: (text: string, path: string) => void,
): void {
  if (typeof value === 'string') {
    if (isDynamic(value)) checkText(value, path);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(item, `${path}[${index}]`, checkText);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) checkValue(item, `${path}.${key}`, checkText);
  }
}
