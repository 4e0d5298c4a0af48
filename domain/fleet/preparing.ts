/** Begins what a job waits for whose host is being prepared for its task: it may hold no slot meanwhile. */
export const PREPARING = 'its ';

/** What it waits for then, in words that follow `waits for`. */
export const preparing = (what: 'Python' | 'setup', host: string): string => `${PREPARING}${what} on ${host}`;
