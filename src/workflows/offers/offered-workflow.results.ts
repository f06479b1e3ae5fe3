import { Doc } from '../../tools/schema/doc.decorator.js';
import {
  Choice,
  Flag,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  Text,
} from '../../tools/schema/fields.js';
import type { OfferedWorkflow } from '../store/workflow.entity.js';

export const OFFER_STATES = ['offered', 'inactive', 'name_taken'] as const;

export type OfferState = (typeof OFFER_STATES)[number];

export class OfferedWorkflowView {
  @Text()
  workflow_id: string;

  @Text()
  name: string;

  @Doc('inactive: the workflow is not active. name_taken: Switchboard has a tool of this name.')
  @Choice(OFFER_STATES)
  state: OfferState;

  @Text()
  title: string;

  @Text()
  description: string;

  @JsonObject()
  input_schema: object;

  @Integer()
  wait_seconds: number;

  @JsonObject({ nullable: true })
  result: object | null;

  @Text()
  updated_at: string;
}

export function offeredWorkflowView(
  offered: OfferedWorkflow,
  state: OfferState,
): OfferedWorkflowView {
  return {
    workflow_id: offered.workflowId,
    name: offered.name,
    state,
    title: offered.title,
    description: offered.description,
    input_schema: offered.inputSchema,
    wait_seconds: offered.waitSeconds,
    result: offered.result,
    updated_at: offered.updatedAt.toISOString(),
  };
}

export class OfferedWorkflowResult {
  @Nested(() => OfferedWorkflowView)
  offer: OfferedWorkflowView;
}

export class OfferedWorkflowList {
  @ListOf(() => OfferedWorkflowView)
  offers: OfferedWorkflowView[];
}

export class WithdrawnWorkflowResult {
  @Flag()
  withdrawn: boolean;
}
