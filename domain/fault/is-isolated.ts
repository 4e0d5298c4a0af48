/**
 * Whether a program can reach nothing of what supervises it: it is in a sandbox, or is another user. In a bare namespace it has the
 * user and the files of its supervisor, and can do all that one can.
 */
export const isIsolated = ({ sandboxed, containment }: { sandboxed: boolean; containment: string }): boolean =>
  sandboxed || containment === 'uid';
