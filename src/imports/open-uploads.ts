import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { OrganizationSlots } from '../turns/organization-slots.js';

/** The largest number of uploads of an organization that a process receives at the same time. */
const MOST_OPEN = 20;

/**
 * Limits the uploads that arrive at the same time. An upload may take up to an hour, and is counted in the database
 * only after its first 512 KiB. So without this limit, a slow organization could occupy any number of connections.
 */
@Injectable()
export class OpenUploads extends OrganizationSlots {
  constructor() {
    const message = `At most ${MOST_OPEN} files can be uploaded at the same time. Wait until one ends.`;
    super(MOST_OPEN, () => new AppError('conflict', message));
  }
}
