import { Injectable } from '@nestjs/common';

/** Remembers which organizations have written something since the last call of `take`. */
@Injectable()
export class ActiveOrganizations {
  private ids = new Set<string>();

  add(organizationId: string): void {
    this.ids.add(organizationId);
  }

  /** Returns the ids of the organizations that have written since the last call. */
  take(): string[] {
    if (this.ids.size === 0) return [];
    const taken = [...this.ids];
    this.ids = new Set();
    return taken;
  }
}
