/**
 * The name of a custom event of an organization. The prefix keeps it apart from all events of Switchboard, including
 * events that are added later.
 */
export type CustomEventName = `custom.${string}`;

export const CUSTOM_EVENT_PATTERN = /^custom(\.[a-z0-9_]+)+$/;
export const MAX_EVENT_NAME = 100;
export const CUSTOM_EVENT_IN_WORDS = `"custom." and then a-z, 0-9, _ and dots between them, at most ${MAX_EVENT_NAME} characters`;

export function isCustomEventName(name: unknown): name is CustomEventName {
  return (
    typeof name === 'string' && name.length <= MAX_EVENT_NAME && CUSTOM_EVENT_PATTERN.test(name)
  );
}
