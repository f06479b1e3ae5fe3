import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

/** Says of a value whether it is surely right where it stands in `object`. */
type Check = (value: unknown, object: object) => boolean;
type Rule = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

const checks = new WeakMap<object, Check>();

/**
 * True only where class-validator would find no fault in the object and nothing that has no rule. False says nothing:
 * ask class-validator, which also says what is wrong. The rules of a class are read once; class-validator looks through
 * those of all classes each time, which takes longer than all the rest of a trivial call.
 */
export function isSurelyValid(object: object): boolean {
  const type: unknown = object.constructor;
  // A member of that name hides the class.
  if (typeof type !== 'function') return false;
  let check = checks.get(type);
  if (!check) checks.set(type, (check = checkOf(type)));
  return check(object, object);
}

function checkOf(type: Function): Check {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  const properties = [...names].map((name) => ({
    name,
    check: propertyCheck(
      rules.filter(({ propertyName }) => propertyName === name),
      type.name,
    ),
  }));
  // Loops, here and below: functions made for each call were some percent of all that a small call allocates.
  return (value) => {
    const object = value as Record<string, unknown>;
    for (const name of Object.keys(object)) if (!names.has(name)) return false;
    for (const { name, check } of properties) if (!check(object[name], object)) return false;
    return true;
  };
}

function propertyCheck(rules: readonly Rule[], targetName: string): Check {
  const conditions = rules.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const tests = rules
    .filter((rule) => !conditions.includes(rule))
    .map((rule) => ruleCheck(rule, targetName));
  return (value, object) => {
    for (const { constraints } of conditions) {
      if (!(constraints[0] as Condition)(object, value)) return true;
    }
    for (const test of tests) if (!test(value, object)) return false;
    return true;
  };
}

type Condition = (object: object, value: unknown) => boolean;

function ruleCheck(rule: Rule, targetName: string): Check {
  if (rule.validateIf) return () => false;
  switch (rule.type) {
    case ValidationTypes.WHITELIST:
      return () => true;
    case ValidationTypes.NESTED_VALIDATION:
      return isNestedValid;
    case ValidationTypes.CUSTOM_VALIDATION:
    case ValidationTypes.IS_DEFINED:
      return constraintCheck(rule, targetName);
    default:
      return () => false;
  }
}

function isNestedValid(value: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value)) return value.every(isNestedValid);
  return value instanceof Object && isSurelyValid(value);
}

function constraintCheck(
  { propertyName: property, constraints, constraintCls, each }: Rule,
  targetName: string,
): Check {
  const validators = getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => instance);
  const passes = (value: unknown, given: ValidationArguments): boolean => {
    // A promise, of a validator that is asynchronous, is not `true`.
    for (const validator of validators) if (validator.validate(value, given) !== true) return false;
    return true;
  };
  return (value, object) => {
    const given = { targetName, property, object, value, constraints };
    if (!each || !Array.isArray(value)) return passes(value, given);
    return value.every((item) => passes(item, given));
  };
}
