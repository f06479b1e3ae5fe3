import { Injectable } from '@nestjs/common';

/** Is the largest amount of a deal that agents and workflows may record. */
@Injectable()
export class DealLimit {
  readonly amount: number = 100_000;
}
