import { z } from 'zod';

/**
 * `GET stream`, server-sent events. `changed`: something of a research changed (null: of a host), up to that cursor of the
 * events. `away`, `back`: the database does not answer, or does again.
 */
export const Changed = z.object({ research: z.string().nullable(), cursor: z.string() });
export type Changed = z.infer<typeof Changed>;
