import { z } from 'zod';

/**
 * Data of the server-sent event `changed` of `GET stream`: a research changed, up to `cursor` in the table of events.
 * If `research` is null, a host changed, or anything may have. The stream also sends `away` when Postgres stops
 * answering, and `back` when it answers again.
 */
export const Changed = z.object({ research: z.string().nullable(), cursor: z.string() });
export type Changed = z.infer<typeof Changed>;
