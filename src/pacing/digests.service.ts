import { Injectable } from '@nestjs/common';
import { type DigestContent, type DigestKey, DigestsRepository } from './digests.repository.js';
import type { MessageDigest, OpenDigest } from './message-digest.entity.js';

/** Keeps the items that messages collect until they are sent. Each method needs a transaction of the organization. */
@Injectable()
export class DigestsService {
  constructor(private readonly digests: DigestsRepository) {}

  /**
   * Finds the message that collects items of this key. Until the transaction ends, no other transaction begins or
   * changes such a message.
   */
  findOpen(organizationId: string, key: DigestKey): Promise<OpenDigest | undefined> {
    return this.digests.findOpen(organizationId, key);
  }

  /** Lets a new held message collect items until it is full, for the given number of seconds at most. */
  async begin(digest: MessageDigest, key: string, seconds: number): Promise<void> {
    await this.digests.begin(digest, key, seconds);
    if (digest.items.length >= digest.maxItems) await this.digests.close(digest);
  }

  /** Adds an item to a message that `findOpen` returned, and stores its new content. */
  add(digest: MessageDigest, item: object, content: DigestContent): Promise<void> {
    return this.digests.add(digest, item, content);
  }

  /** Ends the digest that `findOpen` returned: no more calls fill its message. Workers may send it now. */
  close(digest: MessageDigest): Promise<void> {
    return this.digests.close(digest);
  }
}
