import { z } from 'zod';
import { At, Level } from './shared.ts';

/** `GET events?after=&research=&level=&limit=`: events after the cursor, the oldest first; without one, the newest. */
export const EventsQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,20}:\d{1,19}$/, 'expected a cursor such as 0:0')
    .optional(),
  research: z.string().max(300).optional(),
  /** The lowest level that is included. */
  level: Level.default('info'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const Events = z.object({
  events: z.array(
    z.object({
      cursor: z.string(),
      at: At,
      research: z.string().nullable(),
      kind: z.string(),
      level: Level,
      n: z.int().nullable(),
      text: z.string(),
    }),
  ),
  cursor: z.string(),
});
export type Events = z.infer<typeof Events>;
