import { createHash } from 'node:crypto';
import { TRIAL_SPEC } from '../../../domain/job.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { PRIORITY } from '../../../domain/trial/priority.ts';
import { HOSTILE, hostileHypothesis } from './hostile.ts';
import { filesOf, type Design } from './design.ts';
import { bytes } from './insert-rows.ts';
import type { Played, Story } from './story.ts';

/** The research of the rows; `from` is its start, in milliseconds of the epoch. */
export interface SeededResearch {
  id: string;
  taskHash: string;
  pool: string;
  proposer: string;
  from: number;
  slots: readonly { id: string; host: string; gpu: string }[];
  hostile: boolean;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Timestamp of a time of the story, given in seconds since its start. */
export const timestampAt = ({ from }: Pick<SeededResearch, 'from'>, seconds: number | null): string | null =>
  seconds === null ? null : new Date(from + seconds * 1000).toISOString();

/** Stage of a trial that is open at the end of the story. */
export type Stage = 'proposing' | 'queued' | 'running';

export function stageOf({ ready, started }: Played, { totalSeconds: end }: Pick<Story, 'totalSeconds'>): Stage {
  if (ready > end) return 'proposing';
  return started === null || started > end ? 'queued' : 'running';
}

const blob = (text: string) => ({ hash: sha256(text), content: bytes(text) });

/** Contents of the files of candidates, without duplicates. */
export function blobRows(designs: Iterable<Design>, hostile: boolean) {
  const texts = new Set([...designs].flatMap((design) => Object.values(filesOf(design))));
  return [...texts, ...(hostile ? [HOSTILE.content] : [])].map(blob);
}

export const candidateRows = (designs: ReadonlyMap<string, Design>, { hostile }: Pick<SeededResearch, 'hostile'>) =>
  [...designs].map(([id, design], index) => ({
    id,
    immutable_hash: 'seeded',
    files: {
      ...Object.fromEntries(Object.entries(filesOf(design)).map(([path, text]) => [path, sha256(text)])),
      ...(hostile && index % 3 === 1 ? { [HOSTILE.file]: sha256(HOSTILE.content) } : {}),
    },
  }));

export const jobRow = (place: SeededResearch, { n, kind, created, ended }: Played, open: boolean) => ({
  id: trialIdOf(place.id, n),
  kind: 'trial',
  research_id: place.id,
  task_hash: place.taskHash,
  pool: place.pool,
  priority: PRIORITY[kind],
  spec: TRIAL_SPEC,
  opened_at: timestampAt(place, created),
  ended_at: open ? null : timestampAt(place, ended),
});

/** Row of an ended trial; with a stage, of an open one. */
export function trialRow(place: SeededResearch, trial: Played, stage?: Stage) {
  const { n, kind, ofTrial, candidateId, parentId, parentReason, expectedDelta, created, ready, slotWait } = trial;
  const isOpen = stage !== undefined;
  const runs = trial.slot !== null && (!isOpen || stage === 'running');
  const proposes = kind === 'search' || kind === 'injected';
  const hypothesis = proposes && place.hostile ? hostileHypothesis(n) : trial.hypothesis;
  const proposer = kind === 'search' ? place.proposer : 'person';
  return {
    id: trialIdOf(place.id, n),
    research_id: place.id,
    n,
    kind,
    of_trial: ofTrial,
    seed: 8 * n,
    proposer_seed: n,
    task_hash: place.taskHash,
    pool: place.pool,
    admission: `seeded/${n}`,
    candidate_id: stage === 'proposing' ? null : candidateId,
    parent_id: parentId,
    parent_reason: parentReason,
    proposer: proposes ? proposer : null,
    hypothesis: stage === 'proposing' ? null : hypothesis,
    expected_delta: stage === 'proposing' ? null : expectedDelta,
    staleness: proposes && runs ? n % 7 : null,
    ready_at: stage === 'proposing' ? null : timestampAt(place, ready),
    placement: runs ? 1 : 0,
    attempts: runs ? 1 : 0,
    slot_id: runs ? (place.slots[trial.slot ?? 0]?.id ?? null) : null,
    slot_wait_seconds: runs ? slotWait : null,
    created_at: timestampAt(place, created),
    started_at: runs ? timestampAt(place, trial.started) : null,
    ...(isOpen ? OPEN : endOf(place, trial)),
  };
}

const OPEN = {
  status: null,
  failure: null,
  failure_message: null,
  value: null,
  metrics: null,
  evaluator_notes: null,
  trusted: null,
  verdict: null,
  reason: null,
  ruled_at: null,
  ended_at: null,
  seconds: null,
};

function endOf(place: SeededResearch, trial: Played) {
  const { status, failure, failureMessage, value, evaluatorNotes, verdict, reason, ruled, ended, seconds, n } = trial;
  const metrics = value === null ? {} : { val_loss: value, accuracy: Number((0.98 - value / 6).toFixed(4)) };
  return {
    status,
    failure,
    value,
    evaluator_notes: evaluatorNotes,
    trusted: true,
    verdict,
    seconds,
    failure_message: failureMessage !== null && place.hostile ? HOSTILE.message : failureMessage,
    metrics: place.hostile && n % 5 === 0 ? { ...metrics, [HOSTILE.metric]: 'nan', rate: 'inf' } : metrics,
    reason: reason !== null && place.hostile && n % 2 === 0 ? HOSTILE.message : reason,
    ruled_at: timestampAt(place, ruled),
    ended_at: timestampAt(place, ended),
  };
}

const MACHINE = { cores: 32, memoryMb: 262_144 };
export const GPU = { name: 'NVIDIA H100 80GB HBM3', memoryMb: 81_559 };

/** Row of the run of a placed trial. */
export function runRow(place: SeededResearch, trial: Played, open: boolean) {
  const { n, started, seconds, ended, status, failure, abort } = trial;
  const slot = place.slots[trial.slot ?? 0];
  const endedAt = started === null ? null : started + (seconds ?? 0);
  const isKilled = failure !== null && failure !== 'exit-code';
  const ownEnd = isKilled ? 'killed' : 'exit';
  const exitCode = failure === null ? 0 : 1;
  const end = {
    reason: status === 'timed_out' ? 'wall' : ownEnd,
    exitCode: isKilled ? null : exitCode,
    signal: isKilled ? 'SIGKILL' : null,
    wallSeconds: seconds,
    cpuSeconds: (seconds ?? 0) * 3.1,
    maxRssMb: 1210,
    outputBytes: 5120,
    startedAt: timestampAt(place, started),
    endedAt: timestampAt(place, endedAt),
    containment: 'cgroup',
    sandboxed: true,
    treeGone: true,
  };
  return {
    trial_id: trialIdOf(place.id, n),
    placement: 1,
    host: slot?.host ?? 'local',
    slot_id: slot?.id ?? 'local/0',
    machine: { ...MACHINE, gpus: [{ index: 0, uuid: slot?.gpu ?? '', ...GPU }] },
    fence: n,
    log_offset: 5120,
    abort: open ? null : abort,
    end: open || status === 'lost' ? null : end,
    log_tail: place.hostile ? HOSTILE.log : logOf(trial),
    launched_at: timestampAt(place, started),
    ended_at: open ? null : timestampAt(place, status === 'lost' ? ended : endedAt),
  };
}

function logOf({ value, failureMessage }: Played): string {
  const steps = [100, 200, 300, 400].map((step) => `step ${step} loss ${(4.2 - step / 400).toFixed(3)}`);
  const last =
    failureMessage === null ? `saved model.pt, validation loss ${value ?? '-'}` : `Traceback:\n${failureMessage}`;
  return ['NVIDIA H100, torch 2.9, 12.4 M parameters', ...steps, last, ''].join('\n');
}
