import { z } from 'zod';
import { readFleetPage } from '../../../db/reads/page/fleet/read-fleet-page.ts';
import { readGantt } from '../../../db/reads/page/fleet/read-gantt.ts';
import { GanttQuery, type Fleet, type Gantt } from '../../api/fleet.ts';
import { route } from '../route.ts';

export const fleet = route({
  path: 'fleet',
  input: z.strictObject({}),
  read: ({ db, now }): Promise<Fleet> => readFleetPage(db, { now }),
});

export const gantt = route({
  path: 'gantt',
  input: z.strictObject(GanttQuery.shape),
  read: ({ db, now }, { from, to }): Promise<Gantt> => readGantt(db, { now, from, to }),
});
