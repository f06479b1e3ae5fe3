import { Injectable } from '@nestjs/common';
import {
  attachmentTypeOf,
  CONTENT_ID,
  MOST_ATTACHED_BYTES,
  MOST_ATTACHMENTS,
} from '../channels/attachment-rules.js';
import type { OutgoingAttachment } from '../channels/channel-contract.js';
import { AppError } from '../errors/app-error.js';
import { safeName } from '../files/file-name.js';
import { FilesService } from '../files/files.service.js';

/** A file that a message sends, by its id. */
export interface GivenAttachment {
  file_id: string;
  /** The name of the attachment. The default is the name of the file. */
  name?: string;
  cid?: string;
}

/** Finds the files that messages send. Its caller must have opened a transaction of the organization. */
@Injectable()
export class MessageAttachmentsService {
  constructor(private readonly files: FilesService) {}

  /**
   * Returns the stored form of the attachments. Throws `not_found` for an unknown file, and `invalid_arguments` for an
   * invalid name, `cid`, number or size.
   */
  async resolve(
    organizationId: string,
    given: readonly GivenAttachment[],
    html: string | undefined,
  ): Promise<OutgoingAttachment[]> {
    if (given.length > MOST_ATTACHMENTS) {
      throw AppError.invalidField('attachments', `must have at most ${MOST_ATTACHMENTS} items`);
    }
    for (const [index, { name, cid }] of given.entries()) {
      const path = `attachments[${index}]`;
      if (name !== undefined && (name === '' || safeName(name) !== name)) {
        throw AppError.invalidField(
          `${path}.name`,
          'must be a file name of at most 100 characters, without folders, control characters and "*:<>?|',
        );
      }
      if (cid === undefined) continue;
      if (!CONTENT_ID.test(cid) || given.findIndex((one) => one.cid === cid) !== index) {
        throw AppError.invalidField(
          `${path}.cid`,
          'must have 1 to 64 letters, digits, -, . and _, and be used once',
        );
      }
      if (html === undefined) {
        throw AppError.invalidField(`${path}.cid`, 'must be absent without html');
      }
    }
    const ids = given.map((one) => one.file_id);
    const found = await this.files.keepForMessage(organizationId, ids);
    if (found.reduce((sum, { size }) => sum + size, 0) > MOST_ATTACHED_BYTES) {
      throw AppError.invalidField('attachments', 'must have at most 10 MiB together');
    }
    return found.map(({ id, name, contentType, size }, index) => {
      const { name: chosen, cid } = given[index]!;
      const type = attachmentTypeOf(contentType);
      if (cid !== undefined && !type.startsWith('image/')) {
        throw AppError.invalidField(
          `attachments[${index}].cid`,
          'must be absent, because the file is not an image',
        );
      }
      return {
        fileId: id,
        name: chosen ?? (safeName(name) || 'file'),
        contentType: type,
        size,
        ...(cid !== undefined && { cid }),
      };
    });
  }
}
