import { endingOf } from '../../../../domain/job/run-ending.ts';
import { cpuSecondsOf } from '../../../../view/trial/used.ts';
import { machineWords } from '../../../../view/trial/words.ts';
import type { RunRow } from '../../read-trial.ts';

/** Where one run of a trial was, and how that ended. */
export interface Placement {
  placement: number;
  host: string;
  slot: string;
  machine: string | null;
  launchedAt: string | null;
  endedAt: string | null;
  /** From launch to end. */
  seconds: number | null;
  cpuSeconds: number | null;
  /** In words; null while it goes on. */
  end: string | null;
  /** What the machine lacked: the run was not counted. */
  shortage: string | null;
}

/** A run for a person's eyes. */
export const placementOf = (run: RunRow): Placement => ({
  ...{ placement: run.placement, host: run.host, slot: run.slotId, shortage: run.shortage },
  machine: run.machine && machineWords(run.machine),
  launchedAt: run.launchedAt?.toISOString() ?? null,
  endedAt: run.endedAt?.toISOString() ?? null,
  seconds: run.launchedAt && run.endedAt ? (run.endedAt.getTime() - run.launchedAt.getTime()) / 1000 : null,
  cpuSeconds: cpuSecondsOf(run.end),
  end: run.end === null && run.endedAt === null ? null : endingOf(run.end as Parameters<typeof endingOf>[0]),
});
