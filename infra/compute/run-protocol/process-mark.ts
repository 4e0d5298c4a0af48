import { createHash } from 'node:crypto';

/**
 * Number that marks all processes of one control directory if no namespace holds them. It is their hard limit of file
 * locks, which Linux no longer enforces. Children inherit it, whatever they do to their environment, session or parent.
 * Only a process that lowers this limit loses the mark.
 */
export const processMark = (control: string): string =>
  String(1e14 + createHash('sha256').update(control).digest().readUIntBE(0, 6));

/** True if the text of `/proc/PID/limits` has the mark. */
export const hasProcessMark = (limits: string, mark: string): boolean => limits.includes(` ${mark} `);
