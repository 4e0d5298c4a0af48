/** Test files of one process share this; a module may be loaded again for each of them. */
const shared = globalThis as { perpetuaOpenLogs?: Set<string> };

/** Logs of the workers whose stacks are open in this process. A test that fails prints them. */
export const logsOfOpenStacks = (): Set<string> => (shared.perpetuaOpenLogs ??= new Set());
