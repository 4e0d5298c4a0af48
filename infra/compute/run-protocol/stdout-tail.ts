import { afterFirstEnd, codesInUtf8 } from '../../../domain/metric/lines.ts';

const TAIL = 64 * 1024;
/** Bytes to read at the end of stdout. The byte before the tail shows whether the tail's first line is whole. */
export const STDOUT_BYTES = TAIL + 1;

/** Whole lines in the last bytes of a stream. If `tail` exceeds 64 KiB, its first line may be cut and is left out. */
export function wholeLines(tail: Buffer): string {
  const bytes = tail.toString('latin1');
  const whole = tail.length <= TAIL ? bytes : afterFirstEnd(bytes);
  return Buffer.from(codesInUtf8(whole), 'latin1').toString('utf8');
}
