import { useMutation } from '@tanstack/react-query';
import type { ApiError } from './api-error.js';
import { type Read, number, record, text } from './reader.js';
import { request } from './request.js';

const fileResult = record({ file: record({ id: text, name: text, size: number }) });
export type UploadedFile = Read<typeof fileResult>['file'];

/** Uploads a file that can then be attached to a message. */
export function useFileUpload() {
  return useMutation<Read<typeof fileResult>, ApiError, File>({
    mutationFn: (file) =>
      request('POST', `/api/files?name=${encodeURIComponent(file.name)}`, fileResult, {
        file: file.slice(0, file.size, file.type || 'application/octet-stream'),
      }),
  });
}
