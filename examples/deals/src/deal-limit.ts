import { Injectable } from '@nestjs/common';

/** How large a deal may be that no person has looked at. */
@Injectable()
export class DealLimit {
  readonly amount: number = 100_000;
}
