import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OPERATIONS } from '../../src/openapi/operations.js';
import { PROBLEM } from '../../src/openapi/schemas.js';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
const compiled = new Map<object, ValidateFunction>();

const PATTERNS = Object.entries(OPERATIONS).map(([route, operation]) => {
  const [method, path] = route.split(' ') as [string, string];
  return { method, path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), operation };
});

/**
 * Replaces the global `fetch` with a function that throws when an answer is not as GET /api/openapi.json describes it.
 * Answers of other servers, and answers that are not JSON, are not checked. Each test file of a worker calls
 * `checkAnswersOfFetch`, so a second call changes nothing.
 */
export function checkAnswersOfFetch(): void {
  const original = globalThis.fetch;
  if ('checksAnswers' in original) return;
  const checked: typeof fetch = async (input, init) => {
    const response = await original(input, init);
    const fault = await findFault(response, init?.method ?? 'GET');
    if (fault) throw new Error(fault);
    return response;
  };
  globalThis.fetch = Object.assign(checked, { checksAnswers: true });
}

async function findFault(response: Response, method: string): Promise<string | undefined> {
  const type = response.headers.get('content-type') ?? '';
  // The policy begins with `sandbox` only in the answers of `respond` steps, which workflows define.
  if (response.headers.get('content-security-policy')?.startsWith('sandbox;')) return undefined;
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
  const { responses, error = PROBLEM } = found.operation;
  const schema =
    response.status < 300 ? responses[response.status] : (responses[response.status] ?? error);
  const answer = `${method} ${pathname} answered ${response.status}`;
  if (schema === undefined) return `${answer}, a status that is not described.`;
  if (schema === null) return text === '' ? undefined : `${answer} with a body: ${text}`;
  if (typeof schema === 'string') return undefined;
  const validate = validatorOf(schema);
  if (validate(JSON.parse(text))) return undefined;
  return `${answer}, not as it is described: ${ajv.errorsText(validate.errors)}\n${text}`;
}

function validatorOf(schema: object): ValidateFunction {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}
