/**
 * True if a program cannot reach its supervisor: it runs in a sandbox, or as another user. With only a pid namespace,
 * the program shares the supervisor's user and files, and can do whatever the supervisor can.
 */
export const isIsolated = ({ sandboxed, containment }: { sandboxed: boolean; containment: string }): boolean =>
  sandboxed || containment === 'uid';
