import { Injectable } from '@nestjs/common';
import { ContactView } from '../../contacts/contact.results.js';
import { ContactsService } from '../../contacts/contacts.service.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import type { HeldRun } from '../journal/claimed-run.js';
import { mayName } from '../definitions/may-name.js';
import { ResumeUrls } from '../webhooks/resume-urls.service.js';
import { stepValue } from '../definitions/scope.js';
import type { Place, Turn } from '../definitions/step-engine.js';
import { resumablePaths } from '../definitions/steps/awaiting-steps.js';
import {
  type ForEachStep,
  INDEX,
  itemName,
  type LoopInput,
} from '../definitions/steps/for-each-step.js';

/** What the expressions of a step can refer to. */
@Injectable()
export class RunScope {
  constructor(
    private readonly contacts: ContactsService,
    private readonly liquid: LiquidSandbox,
    private readonly resumeUrls: ResumeUrls,
  ) {}

  /** In a transaction of the run. A step named `contact` hides the contact of the run. */
  async of(held: HeldRun, { turns }: Place, withContact = true): Promise<object> {
    const { run } = held;
    const contact =
      run.contactId === null || !withContact
        ? null
        : await this.contacts.find(run.organizationId, run.contactId);
    return {
      contact: contact && ContactView.of(contact),
      ...Object.fromEntries(visibleEntries(held, turns)),
      ...Object.fromEntries(turns.flatMap((turn) => namesOf(held, turn))),
      trigger: { type: run.triggerType, payload: held.content.payload },
      run: { id: run.id, resume_urls: this.urlsOf(held, turns) },
      workflow: { id: run.workflowId, name: held.content.workflowName },
    };
  }

  /** As `of`, for a step that looks at nothing but what its expressions name: the contact is read if one may name it. */
  async ofNamed(held: HeldRun, place: Place): Promise<object> {
    return await this.of(held, place, mayName(place.step, 'contact'));
  }

  /**
   * By the id of the step, for every step that can be resumed from outside, whether it is reached or not; of steps in
   * loops those of the same turn.
   */
  private urlsOf({ lease, content }: HeldRun, turns: readonly Turn[]): Record<string, string> {
    const { organizationId, id: runId } = lease;
    return Object.fromEntries(
      resumablePaths(content.steps, turns).map(([id, stepId]) => [
        id,
        this.resumeUrls.urlOf({ organizationId, runId, stepId }),
      ]),
    );
  }

  /** Whether the condition of a step holds, if it has one. */
  allows(step: { if?: string }, scope: object): boolean {
    return step.if === undefined || this.liquid.test(step.if, scope);
  }
}

/** What the steps have come to that are not in a turn of a loop, or in one of these. */
function visibleEntries(held: HeldRun, turns: readonly Turn[]): [string, object | null][] {
  const prefixes = new Set(['', ...turns.map(({ loop, index }) => `${loop.path}[${index}].`)]);
  return [...held.entriesAfter].flatMap(([path, entry]) => {
    const start = path.lastIndexOf('.') + 1;
    if (!prefixes.has(path.slice(0, start))) return [];
    const value = entry.status === 'failed' ? { error: entry.error } : stepValue(entry.output);
    return [[path.slice(start), value]];
  });
}

/** The names that a loop gives to what is inside: the item, its number, and its own id for both. */
function namesOf(held: HeldRun, { loop, index }: Turn): [string, unknown][] {
  const step = loop.step as ForEachStep;
  const { items } = held.journalAfter(loop.path)!.input as LoopInput;
  const item = items[index];
  return [
    [itemName(step), item],
    [INDEX, index],
    [step.id, { item, index, count: items.length }],
  ];
}
