import { Integer, Nested, Text, Timestamp } from '../tools/schema/fields.js';
import type { StoredFile } from './file.entity.js';

export class FileView {
  @Text('fil_…, for attachments of send_message.')
  id: string;

  @Text()
  name: string;

  @Text()
  content_type: string;

  @Integer('Bytes.')
  size: number;

  @Text('64 hexadecimal digits.')
  sha256: string;

  @Timestamp()
  created_at: string;

  static of({ id, name, contentType, size, sha256, createdAt }: StoredFile): FileView {
    return {
      id,
      name,
      content_type: contentType,
      size,
      sha256: sha256.toString('hex'),
      created_at: createdAt.toISOString(),
    };
  }
}

export class FileResult {
  @Nested(() => FileView)
  file: FileView;
}
