import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from './api-error.js';
import { type Read, boolean, nullable, number, record, text } from './reader.js';
import { request } from './request.js';

const PATH = '/api/auth/verification';
const QUERY_KEY = ['verification'];
const FRESH_MS = 60_000;
const readVerification = record({
  email: text,
  is_verified: boolean,
  messages_a_day: nullable(number),
  verified_messages_a_day: nullable(number),
});
export type Verification = Read<typeof readVerification>;

/**
 * Returns whether the address of the signed-in person is verified, and the quotas of messages before and after the
 * verification.
 */
export function useVerification({ isEnabled = true } = {}) {
  return useQuery<Verification, ApiError>({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => request('GET', PATH, readVerification, { signal }),
    staleTime: FRESH_MS,
    enabled: isEnabled,
  });
}

/** Verifies the address with the token of the link in a mail. */
export function useVerifyAddress() {
  const client = useQueryClient();
  return useMutation<Verification, ApiError, string>({
    mutationFn: (token) => request('POST', PATH, readVerification, { body: { token } }),
    onSuccess: (verification) => client.setQueryData(QUERY_KEY, verification),
  });
}

/** Sends the mail with the link once more. */
export function useVerificationMail() {
  return useMutation<null, ApiError>({
    mutationFn: () => request('POST', `${PATH}/mail`, () => null),
  });
}
