import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  ValidateNested,
} from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import type { OfferedWorkflow } from '../store/workflow.entity.js';

export const OFFER_STATES = ['offered', 'inactive', 'name_taken'] as const;

export type OfferState = (typeof OFFER_STATES)[number];

/** An offered workflow, as people see it. */
export class OfferedWorkflowView {
  @IsString()
  workflow_id: string;

  @IsString()
  name: string;

  @Doc('inactive: the workflow is not active. name_taken: Switchboard has a tool of this name.')
  @IsIn(OFFER_STATES)
  state: OfferState;

  @IsString()
  title: string;

  @IsString()
  description: string;

  @IsObject()
  input_schema: object;

  @IsInt()
  wait_seconds: number;

  @IsObject()
  @Nullable()
  result: object | null;

  @IsString()
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
  @ValidateNested()
  @Type(() => OfferedWorkflowView)
  offer: OfferedWorkflowView;
}

export class OfferedWorkflowList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => OfferedWorkflowView)
  offers: OfferedWorkflowView[];
}

export class WithdrawnWorkflowResult {
  @IsBoolean()
  withdrawn: boolean;
}
