import { createHash } from 'node:crypto';

/**
 * A number that marks all processes of one control directory where no namespace holds them: their hard limit of file locks,
 * which Linux has long ceased to heed, and which children inherit whatever they do to their environment, session or parent.
 * Only who lowers that limit loses it.
 */
export const processMark = (control: string): string =>
  String(1e14 + createHash('sha256').update(control).digest().readUIntBE(0, 6));

/** Whether what `/proc/PID/limits` holds has the mark. */
export const hasProcessMark = (limits: string, mark: string): boolean => limits.includes(` ${mark} `);
