import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { DEFAULT_ERROR, OPERATIONS, type Operation } from '../../src/openapi/operations.js';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
const compiled = new Map<object, ValidateFunction>();

const PATTERNS = Object.entries(OPERATIONS).map(([route, operation]) => {
  const [method, path] = route.split(' ') as [string, string];
  return { method, path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), operation };
});

/**
 * Replaces the global `fetch` with one that throws when an answer is not as GET /api/openapi.json describes it. Requests
 * to other servers, and answers that are not JSON, are left alone.
 */
export function checkAnswersOfFetch(): void {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await original(input, init);
    const fault = await findFault(response, init?.method ?? 'GET');
    if (fault) throw new Error(fault);
    return response;
  };
}

async function findFault(response: Response, method: string): Promise<string | undefined> {
  const type = response.headers.get('content-type') ?? '';
  const { pathname } = new URL(response.url);
  const found = PATTERNS.find(
    (pattern) => pattern.method === method.toLowerCase() && pattern.path.test(pathname),
  );
  if (!found || !/^application\/(problem\+)?json/.test(type)) return undefined;
  // A test may end the request while the body arrives.
  const text = await response
    .clone()
    .text()
    .catch(() => undefined);
  if (text === undefined) return undefined;
  const validate = validatorOf(found.operation, response.status);
  if (validate === undefined || validate(JSON.parse(text))) return undefined;
  const faults = ajv.errorsText(validate.errors);
  return `${method} ${pathname} answered ${response.status}, not as it is described: ${faults}\n${text}`;
}

/** Returns undefined for an answer whose body has no schema. */
function validatorOf({ responses, error = DEFAULT_ERROR }: Operation, status: number) {
  const schema = responses[status] ?? (status < 300 ? false : error);
  if (typeof schema === 'string') return undefined;
  if (schema === false) throw new Error(`The status ${status} is not described.`);
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}
