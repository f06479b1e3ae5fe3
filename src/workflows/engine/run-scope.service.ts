import { Injectable } from '@nestjs/common';
import { ContactView } from '../../contacts/contact.results.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { SecretMarkers } from '../../secrets/secret-markers.js';
import { triggerVariable } from '../definitions/trigger-request.js';
import type { ForEachStep, Step } from '../definitions/definition.js';
import { collectTexts, mayReference, renderArguments, stepVariable } from '../definitions/scope.js';
import { type Iteration, iterationPath, type Place } from '../definitions/step-engine.js';
import { resumablePaths } from '../definitions/steps/awaiting-steps.js';
import { FAILURE, FAILURE_STEP_ID } from '../definitions/steps/failure-step.js';
import { CURSOR, INDEX, itemName, itemsOf } from '../definitions/steps/for-each-step.js';
import { progressOf } from '../definitions/steps/loop-progress.js';
import { setsBefore, stepsOf } from '../definitions/set-variables.js';
import type { SetOutput } from '../definitions/steps/set-step.js';
import { VARS } from '../definitions/steps/step-checks.js';
import { everyStep } from '../definitions/steps/step-kinds.js';
import type { ClaimedRun } from '../journal/claimed-run.js';
import type { RunTransaction } from '../journal/run-transaction.js';
import { LargePayloadsService } from '../payloads/large-payloads.service.js';
import { ResumesService } from '../webhooks/resumes.service.js';

@Injectable()
export class RunScopeService {
  constructor(
    private readonly contacts: ContactsService,
    private readonly liquid: LiquidSandbox,
    private readonly resumes: ResumesService,
    private readonly secrets: SecretMarkers,
    private readonly largePayloads: LargePayloadsService,
  ) {}

  /**
   * Returns the variables by name. The contact is read only when the caller needs it or an expression of the step may
   * use it. In a definition of an earlier release, a step with the id `contact` hides the contact of the run.
   */
  async getScope(
    tx: RunTransaction,
    { step, path, iterations }: Place,
    needsContact = mayReference(step, 'contact'),
  ): Promise<object> {
    const { row, data } = tx.run;
    if (data.isLarge) this.largePayloads.attach(row.organizationId, row.id, data.payload);
    const contact =
      row.contactId !== null && needsContact
        ? await this.contacts.find(row.organizationId, row.contactId)
        : null;
    return {
      contact: contact && ContactView.of(contact),
      ...(mayReference(step, 'secrets') && {
        secrets: this.secrets.variableFor({ runId: row.id, stepPath: path }, collectTexts(step)),
      }),
      ...(mayReference(step, VARS) && { [VARS]: setVariables(tx, step, iterations) }),
      ...Object.fromEntries(stepVariables(tx, iterations)),
      ...Object.fromEntries(iterations.flatMap((iteration) => loopVariables(tx, iteration))),
      trigger: triggerVariable({ ...row, type: row.triggerType, payload: data.payload }),
      run: {
        id: row.id,
        // Signing the URLs takes time, so they are made only for steps that may read them.
        ...(mayReference(step, 'run') && { resume_urls: this.getResumeUrls(tx.run, iterations) }),
      },
      workflow: { id: row.workflowId, name: data.workflowName },
      ...failureVariable(tx),
    };
  }

  /** Returns the variables as {@link getScope} does, or undefined when the condition of the step is not met. */
  async getScopeIfMet(
    tx: RunTransaction,
    place: Place,
    needsContact?: boolean,
  ): Promise<object | undefined> {
    const scope = await this.getScope(tx, place, needsContact);
    return (await this.isConditionMet(tx, place.step, scope)) ? scope : undefined;
  }

  /**
   * Returns the values with their expressions replaced, or undefined when the condition of the step is not met. Throws
   * the errors of {@link renderArguments}.
   */
  async renderIfMet(
    tx: RunTransaction,
    place: Place,
    given: Record<string, unknown>,
    maxBytes?: number,
  ): Promise<Record<string, unknown> | undefined> {
    const scope = await this.getScopeIfMet(tx, place);
    if (!scope) return undefined;
    return await renderArguments(tx.run.row.organizationId, given, scope, this.liquid, maxBytes);
  }

  async isConditionMet(
    { run }: RunTransaction,
    step: { if?: string },
    scope: object,
  ): Promise<boolean> {
    const { organizationId } = run.lease;
    return step.if === undefined || (await this.liquid.test(organizationId, step.if, scope));
  }

  /**
   * Returns the resume URLs by step id, even of steps that the run has not reached yet. For steps in loops, returns the
   * URLs of this iteration.
   */
  private getResumeUrls(
    { lease, data }: ClaimedRun,
    iterations: readonly Iteration[],
  ): Record<string, string> {
    const { organizationId, id: runId } = lease;
    return Object.fromEntries(
      resumablePaths(data.steps, iterations).map(([id, stepId]) => [
        id,
        this.resumes.urlOf({ organizationId, runId, stepId }),
      ]),
    );
  }
}

/** Returns the values that the steps before the given step have set, in the same iterations or outside loops. */
function setVariables(
  tx: RunTransaction,
  step: Step,
  iterations: readonly Iteration[],
): Record<string, unknown> {
  const prefixes = prefixesOf(iterations);
  const vars: Record<string, unknown> = {};
  for (const { id } of stepsOf(setsBefore(tx.run.data.steps).get(step.id))) {
    for (const prefix of prefixes) {
      const entry = tx.get(prefix + id);
      if (entry?.status === 'succeeded') Object.assign(vars, (entry.output as SetOutput).vars);
    }
  }
  return vars;
}

function prefixesOf(iterations: readonly Iteration[]): string[] {
  return ['', ...iterations.map((iteration) => `${iterationPath(iteration)}.`)];
}

/**
 * Returns the results of steps outside loops, and of steps in the given iterations. The duration depends on the
 * definition and not on the number of entries, because SQL of a tool can store any number of entries.
 */
function stepVariables(
  tx: RunTransaction,
  iterations: readonly Iteration[],
): [string, object | null][] {
  const ids = visibleIds(tx.run.data.steps);
  const found: [string, object | null][] = [];
  for (const prefix of prefixesOf(iterations)) {
    for (const id of ids) {
      const entry = tx.get(prefix + id);
      if (!entry) continue;
      found.push([id, entry.status === 'failed' ? { error: entry.error } : stepVariable(entry)]);
    }
  }
  return found;
}

const idCache = new WeakMap<readonly Step[], readonly string[]>();

/** Returns the ids to which expressions can refer. Ids of generated steps contain a dot. */
function visibleIds(steps: readonly Step[]): readonly string[] {
  const known = idCache.get(steps);
  if (known) return known;
  const ids = everyStep(steps)
    .map(({ id }) => id)
    .filter((id) => !id.includes('.'));
  idCache.set(steps, ids);
  return ids;
}

/** Returns the failure of the run while the steps of `on_failure` run. */
function failureVariable(tx: RunTransaction): object {
  const failure = tx.get(FAILURE_STEP_ID)?.output;
  return failure ? { [FAILURE]: failure } : {};
}

/**
 * Returns the variables of a loop: the item, its index, and an object with both, whose name is the id of the loop. The
 * steps that read a page see the index and the cursor of this page.
 */
function loopVariables(
  tx: RunTransaction,
  { loop, index, isPage }: Iteration,
): [string, unknown][] {
  const step = loop.step as ForEachStep;
  const entry = tx.get(loop.path)!;
  const items = itemsOf(entry);
  const { pages } = progressOf(entry) ?? {};
  if (isPage) {
    return [
      [INDEX, index],
      [CURSOR, pages?.cursor ?? null],
    ];
  }
  const item = items[index - (pages?.firstItem ?? 0)];
  return [
    [itemName(step), item],
    [INDEX, index],
    // The number of items of all pages is not known yet.
    [step.id, { item, index, count: pages ? null : items.length }],
  ];
}
