import { Transform, type TransformCallback } from 'node:stream';

const CHUNK_BYTES = 64 * 1024;

/**
 * Joins small chunks into chunks of about 64 KiB. nodemailer emits one chunk for each header, part and line end of an
 * e-mail. Without this class, each of these chunks would cost a system call of this process, and work in the mail
 * server. This class yields to the event loop after each large chunk, because the next stream reads every byte of the
 * chunk.
 */
export class JoinedChunks extends Transform {
  private chunks: Buffer[] = [];
  private bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < CHUNK_BYTES) return done();
    this.pushJoined();
    setImmediate(done);
  }

  override _flush(done: TransformCallback): void {
    this.pushJoined();
    done();
  }

  private pushJoined(): void {
    if (this.bytes > 0) this.push(Buffer.concat(this.chunks));
    this.chunks = [];
    this.bytes = 0;
  }
}
