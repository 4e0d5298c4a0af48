/** The place to which a key moves in a list; null where it moves nothing. `at`: -1 where no place is taken yet. */
export function nextIndex(
  key: string,
  { at, page, length }: { at: number; page: number; length: number },
): number | null {
  if (length === 0) return null;
  const to = (place: number) => Math.min(length - 1, Math.max(0, place));
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'PageDown':
      return to(at + page);
    case 'PageUp':
      return to(at - page);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}
