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
import type { WorkflowTool } from '../store/offered-workflow.entity.js';

export const OFFER_STATES = ['offered', 'inactive', 'name_taken'] as const;

export type OfferState = (typeof OFFER_STATES)[number];

/** A workflow as a tool, as people see it. */
export class WorkflowOfferView {
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

export function workflowOfferView(offer: WorkflowTool, state: OfferState): WorkflowOfferView {
  return {
    workflow_id: offer.workflowId,
    name: offer.name,
    state,
    title: offer.title,
    description: offer.description,
    input_schema: offer.inputSchema,
    wait_seconds: offer.waitSeconds,
    result: offer.result,
    updated_at: offer.updatedAt.toISOString(),
  };
}

export class WorkflowOfferResult {
  @ValidateNested()
  @Type(() => WorkflowOfferView)
  offer: WorkflowOfferView;
}

export class WorkflowOfferList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WorkflowOfferView)
  offers: WorkflowOfferView[];
}

export class WithdrawnOfferResult {
  @IsBoolean()
  withdrawn: boolean;
}
