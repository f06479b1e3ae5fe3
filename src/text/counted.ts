/** Returns a number with its noun, such as `1 step` or `20 steps`. The plural of the noun ends with s. */
export function counted(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
