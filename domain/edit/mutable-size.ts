/** Most bytes of all mutable files together, in UTF-8: they are stored with each candidate and shown to proposers. */
export const MOST_MUTABLE_BYTES = 1024 * 1024;

/** Describes mutable files, path to text, that are too large together; null if they are not. */
export function tooLargeTogether(files: Readonly<Record<string, string>>): string | null {
  const sizes = Object.entries(files).map(([path, text]) => ({ path, bytes: utf8Bytes(text) }));
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
  if (sum <= MOST_MUTABLE_BYTES) return null;
  const largest = sizes.reduce((most, size) => (size.bytes > most.bytes ? size : most));
  return (
    `expected at most ${MOST_MUTABLE_BYTES} bytes of mutable files in all, got ${sum}; ` +
    `the largest is ${JSON.stringify(largest.path.slice(0, 200))} with ${largest.bytes}`
  );
}

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;
