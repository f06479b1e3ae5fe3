import { Injectable } from '@nestjs/common';

/** The largest amount of a deal that agents and workflows may record. */
@Injectable()
export class DealLimit {
  readonly amount: number = 100_000;
}
