import { afterFirstEnd, codesInUtf8 } from '../../../domain/metric/lines.ts';

const TAIL = 64 * 1024;
/** What is read of the end of stdout: with the byte before, by which a line that is whole is told from one that is cut. */
export const STDOUT_BYTES = TAIL + 1;

/** The lines that are whole in the last bytes of a stream; where there are so many, it may begin before them. */
export function wholeLines(tail: Buffer): string {
  const bytes = tail.toString('latin1');
  const whole = tail.length <= TAIL ? bytes : afterFirstEnd(bytes);
  return Buffer.from(codesInUtf8(whole), 'latin1').toString('utf8');
}
