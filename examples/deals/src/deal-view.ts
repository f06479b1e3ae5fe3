import { IsInt, IsString } from 'class-validator';
import { Doc, Nullable } from 'switchboard';
import type { Deal } from './deal.entity.js';

/** Describes a deal as the tools return it. */
export class DealView {
  @IsString()
  id: string;

  @IsString()
  title: string;

  @Doc('In whole euros.')
  @IsInt()
  amount: number;

  @Nullable()
  @IsString()
  contact_id: string | null;

  @Doc('RFC 3339, UTC.')
  @IsString()
  created_at: string;

  static of(deal: Deal): DealView {
    return {
      id: deal.id,
      title: deal.title,
      amount: deal.amount,
      contact_id: deal.contactId,
      created_at: deal.createdAt.toISOString(),
    };
  }
}
