import { z } from 'zod';
import { At, Level } from './shared.ts';

/** `GET events?after=&research=&level=&limit=`: the oldest first after a cursor; without one, the newest `limit`. */
export const EventsQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,20}:\d{1,19}$/, 'expected a cursor such as 0:0')
    .optional(),
  research: z.string().max(300).optional(),
  /** That and louder ones. */
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
