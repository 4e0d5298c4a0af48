/** Index to which a key moves in a list; null if the key does not move. `at`: the present index; -1: none. */
export function nextIndex(
  key: string,
  { at, page, length }: { at: number; page: number; length: number },
): number | null {
  if (length === 0) return null;
  const clamp = (index: number) => Math.min(length - 1, Math.max(0, index));
  switch (key) {
    case 'ArrowDown':
      return clamp(at + 1);
    case 'ArrowUp':
      return clamp(at - 1);
    case 'PageDown':
      return clamp(at + page);
    case 'PageUp':
      return clamp(at - page);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}
