import { z } from 'zod';
import { readEventLines } from '../../../db/reads/page/research/read-event-lines.ts';
import { EventsQuery, type Events } from '../../api/events.ts';
import { route } from '../route.ts';

export const events = route({
  path: 'events',
  input: z.strictObject(EventsQuery.shape),
  read: ({ db }, { after, research, level, limit }): Promise<Events> =>
    readEventLines(db, { after, researchId: research, level, limit }),
});
