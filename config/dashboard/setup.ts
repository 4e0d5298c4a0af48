import { z } from 'zod';
import type { SetupView } from '../../view/setup.ts';
import { dashboardFiles, readDashboardFile, writeDashboardFile } from './files.ts';

const State = z.enum(['running', 'done', 'warning', 'failed']);
const Step = z.object({
  part: z.string(),
  text: z.string(),
  state: State,
  at: z.string(),
  progress: z.string().optional(),
});
const View = z.object({ startedAt: z.string().nullable(), done: z.boolean(), steps: z.array(Step) });

/** Progress of the last start of this home's stack; empty if none was stored. */
export const readSetup = (home: string): SetupView =>
  View.safeParse(readDashboardFile(dashboardFiles(home).setup)).data ?? { startedAt: null, done: false, steps: [] };

export const writeSetup = (home: string, view: SetupView): void =>
  writeDashboardFile(home, dashboardFiles(home).setup, `${JSON.stringify(view)}\n`);
